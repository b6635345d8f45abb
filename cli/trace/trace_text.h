/*
 * Options, warnings and reports that the sub-commands of tacho trace share.
 */
#ifndef CLI_TRACE_TEXT_H
#define CLI_TRACE_TEXT_H

#include "base/buf.h"
#include "cli/core/opt.h"
#include "cli/core/progress.h"
#include "kit/trace/trace_rewrite.h"
#include "kit/trace/trace_summary.h"

/** Progress of reading a file, and the read options that update it. The caller ends the
    progress. */
struct trace_progress {
    struct progress progress;
};
struct tch_trace_read_options cli_trace_reading(struct trace_progress *p, const struct args *args,
                                                const char *path, bool with_args);

/* The options that convert, slice and merge share: -o OUT, --form, --raw, --fail-on-warn. */
struct trace_output {
    const char *path;
    struct tch_write_options writing;
    bool fail_on_warn;
};

/** The values for .more_opts, which fill a struct trace_output, and for .exits. */
extern const struct opt cli_trace_output_opts[];
extern const struct exit_note cli_trace_output_exits[];

/** Checks the options after all are read. Returns EXIT_OK, or EXIT_USAGE after an error message. */
int cli_trace_check_output(struct args *args, const struct trace_output *o);

/** Warns on stderr about the parts of the file that could not be read. Returns the number of
    warnings. */
int cli_trace_warn_losses(const struct tch_model *m, const char *path);

/** Reports what was written and what was left out. Returns EXIT_OK, or EXIT_WARN if --fail-on-warn
    was given and something was lost. */
int cli_trace_report_rewritten(const struct tch_rewritten *done, const char *in,
                               const struct trace_output *out, const struct args *args);

/** Prints the contents of a trace of any format and returns an exit status. */
int cli_trace_file_info(struct args *args, const char *path);

/** Adds the lanes of the busiest tracks, and a legend of their letters and colours. */
void cli_trace_add_picture(struct tch_buf *b, const struct tch_trace_summary *s,
                           const struct term *term);

#endif
