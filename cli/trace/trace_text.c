/* Options, warnings and reports that the sub-commands of tacho trace share. */
#include "trace_text.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/core/term.h"

static void step(void *ctx, uint64_t bytes)
{
    cli_progress_step(ctx, bytes);
}

struct tch_trace_read_options cli_trace_reading(struct trace_progress *p, const struct args *args,
                                                const char *path, bool with_args)
{
    struct stat st;
    size_t len = strlen(path);
    bool zipped = len > 3 && strcmp(path + len - 3, ".gz") == 0;
    uint64_t total = stat(path, &st) == 0 && !zipped ? (uint64_t)st.st_size : 0;

    cli_progress_begin(&p->progress, args, "reading", total);
    return (struct tch_trace_read_options){
        .args = with_args, .progress = step, .progress_ctx = &p->progress};
}

/* Output. */

static const char *const forms[] = {"array", "object", NULL};

static int take_form(void *into, const struct args *args, const struct opt *opt)
{
    struct trace_output *o = into;

    o->writing.object = cli_choice_index(opt->choices, args->value) == 1;
    return EXIT_OK;
}

const struct opt cli_trace_output_opts[] = {
    {.name = "output",
     .letter = 'o',
     .arg = "OUT",
     .help = "write to OUT; its extension chooses the format",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct trace_output, path)},
    {.name = "form",
     .arg = "FORM",
     .choices = forms,
     .help = "write Chrome JSON as a bare array, or as an object that contains it",
     .take = take_form},
    {.name = "raw",
     .help = "write names to CSV unchanged, even those that a spreadsheet would run as formulas",
     CLI_FLAG(struct trace_output, writing.raw)},
    {.name = "fail-on-warn",
     .help = "exit with 3 if anything was lost",
     CLI_FLAG(struct trace_output, fail_on_warn)},
    {.name = NULL},
};

const struct exit_note cli_trace_output_exits[] = {
    {EXIT_WARN, "something was lost, and --fail-on-warn was given"},
    {0, NULL},
};

int cli_trace_check_output(struct args *args, const struct trace_output *o)
{
    return o->path ? EXIT_OK : cli_wrong_usage(args, "-o OUT is missing; name the file to write");
}

/* Warnings and reports about files that were read and written. */

int cli_trace_warn_losses(const struct tch_model *m, const char *path)
{
    int warnings = 0;

    if (m->cut) {
        cli_warn("'%s' is damaged at byte %llu and was read up to there: %s", path,
                 (unsigned long long)m->why.offset, m->why.message);
        warnings++;
    }
    if (m->bad.count > 0) {
        char place[48] = "";

        if (m->kind != TCH_KIND_RECORDING)
            snprintf(place, sizeof place, ", the first at byte %llu",
                     (unsigned long long)m->bad.first[0]);
        cli_warn("'%s': %llu events lack a required member and were skipped%s", path,
                 (unsigned long long)m->bad.count, place);
        warnings++;
    }
    if (m->dropped > 0) {
        cli_warn("'%s': the recorder dropped %llu events", path, (unsigned long long)m->dropped);
        warnings++;
    }
    if (m->invalid_json > 0) {
        cli_warn("'%s': %llu arguments were recorded as JSON but are not valid JSON; they are kept "
                 "as text",
                 path, (unsigned long long)m->invalid_json);
        warnings++;
    }
    if (m->mismatched > 0) {
        cli_warn("'%s': %llu spans were ended by the end of another span and may have the wrong "
                 "length (argument " TCH_MISMATCH "); record fibers on tracks (tacho_track)",
                 path, (unsigned long long)m->mismatched);
        warnings++;
    }
    if (m->clock_faults > 0) {
        cli_warn("'%s': CLOCK_MONOTONIC stood still or went back while it was recorded; its times "
                 "may be wrong",
                 path);
        warnings++;
    }
    return warnings;
}

int cli_trace_report_rewritten(const struct tch_rewritten *done, const char *in,
                               const struct trace_output *output, const struct args *args)
{
    const char *out = output->path;
    int warnings = cli_trace_warn_losses(&done->model, in);

    if (done->left_out > 0) {
        cli_warn("%llu events are not spans and were left out: '%s' can only hold spans",
                 (unsigned long long)done->left_out, out);
        warnings++;
    }
    if (done->changed > 0) {
        cli_warn("%llu texts and arguments were too long for '%s' and were truncated or left out",
                 (unsigned long long)done->changed, out);
        warnings++;
    }
    if (done->unlabelled > 0) {
        cli_warn("labels and sort orders of %u processes and tracks were left out: '%s' cannot "
                 "hold them",
                 (unsigned)done->unlabelled, out);
        warnings++;
    }
    if (done->lone_ends > 0) {
        cli_warn("%llu ends without a begin were left out", (unsigned long long)done->lone_ends);
        warnings++;
    }
    if (!args->quiet) {
        fprintf(stderr, "%s: %llu of %llu events", out, (unsigned long long)done->kept,
                (unsigned long long)done->read);
        if (done->model.ignored.count > 0)
            fprintf(stderr, "; %llu events that no viewer shows left out",
                    (unsigned long long)done->model.ignored.count);
        if (done->moved > 0)
            fprintf(stderr, "; %llu overlapping spans moved to extra tracks",
                    (unsigned long long)done->moved);
        if (done->cut > 0)
            fprintf(stderr, "; %llu spans clipped", (unsigned long long)done->cut);
        if (done->shift > 0)
            fprintf(stderr, "; all times shifted by %.3f us, because some were before 0",
                    (double)done->shift / 1000);
        fputc('\n', stderr);
    }
    return output->fail_on_warn && warnings > 0 ? EXIT_WARN : EXIT_OK;
}
