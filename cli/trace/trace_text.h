/*
 * What the sub-commands of tacho trace share: names made safe, notes about how a file was read.
 */
#ifndef CLI_TRACE_TEXT_H
#define CLI_TRACE_TEXT_H

#include "base/buf.h"
#include "cli/core/opt.h"
#include "cli/core/progress.h"
#include "kit/trace/trace_rewrite.h"
#include "kit/trace/trace_summary.h"

/** Starts a progress of reading `path`, to be ended by the caller, and options that drive it. */
struct trace_progress {
    struct progress progress;
};
struct tch_trace_read_options cli_trace_reading(struct trace_progress *p, const struct args *args,
                                                const char *path, bool with_args);

/*
 * What convert, slice and merge take alike: -o OUT, --form, --fail-on-warn.
 */
struct trace_output {
    const char *path;
    struct tch_write_options writing;
    bool fail_on_warn;
};

/** For .more_opts, which fills a struct trace_output, and .exits. */
extern const struct opt cli_trace_output_opts[];
extern const struct exit_note cli_trace_output_exits[];

/** After all options: EXIT_OK, or EXIT_USAGE after a complaint. */
int cli_trace_check_output(struct args *args, const struct trace_output *o);

/** Says on stderr what of the file could not be read. The number of such warnings. */
int cli_trace_warn_losses(const struct tch_model *m, const char *path);

/** Says what was written and what was not; EXIT_OK, or EXIT_WARN when asked for. */
int cli_trace_report_rewritten(const struct tch_rewritten *done, const char *in,
                               const struct trace_output *out, const struct args *args);

/** Prints what is in a trace of any format; an exit status. */
int cli_trace_file_info(struct args *args, const char *path);

/** Lanes of the busiest tracks, and what their letters and colours mean. */
void cli_trace_add_picture(struct tch_buf *b, const struct tch_trace_summary *s,
                           const struct term *term);

#endif
