/* tacho trace convert: a trace in another format. */
#include "opt.h"
#include "trace/rewrite.h"
#include "trace_cmds.h"
#include "trace_text.h"

enum { OUT, FORM, FAIL_ON_WARN };

static const char *const forms[] = {"array", "object", NULL};

static int run_convert(struct args *args)
{
    const char *in = args->operands[0], *out = NULL;
    struct tch_write_options writing = {.object = false};
    struct tch_read_options reading;
    struct tch_rewritten done;
    struct trace_progress progress;
    const struct opt *opt;
    bool fail_on_warn = false;
    tacho_error err;
    int status;

    while ((opt = next_opt(args)))
        switch (opt->id) {
        case OUT:
            out = args->value;
            break;
        case FORM:
            writing.object = choice_index(forms, args->value) == 1;
            break;
        default:
            fail_on_warn = true;
        }
    if (!out)
        return wrong_usage(args, "-o OUT is missing: what to write");
    reading = trace_reading(&progress, args, in, true);
    status = tch_rewrite(&done, in, out, &reading, &writing, NULL, &err);
    progress_end(&progress.progress);
    if (status < 0)
        complain(&err, "cannot convert '%s' to '%s'", in, out);
    status = status < 0 ? EXIT_WORK : tell_rewritten(&done, in, out, args, fail_on_warn);
    tch_rewritten_release(&done);
    return status;
}

static const struct opt opts[] = {
    {.id = OUT,
     .name = "output",
     .letter = 'o',
     .arg = "OUT",
     .help = "the file to write; its ending chooses the format",
     .complete = COMPLETE_FILE},
    {.id = FORM,
     .name = "form",
     .arg = "FORM",
     .choices = forms,
     .help = "of Chrome JSON: the bare array, or an object that has it"},
    {.id = FAIL_ON_WARN, .name = "fail-on-warn", .help = "end with 3 when something was lost"},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "IN", .help = "a trace; - is the standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho trace convert trace.json -o trace.pftrace", "Smaller, and quicker to open."},
    {"tacho trace convert trace.pftrace -o trace.folded", "Stacks for a flamegraph."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_WARN, "something was lost, and --fail-on-warn was given"},
    {0, NULL},
};

const struct cmd cmd_trace_convert = {
    .name = "convert",
    .summary = "a trace in another format",
    .usage = "tacho trace convert IN -o OUT [--form FORM]",
    .about =
        "Reads recordings (.tacho), Chrome JSON of any writer (array, object or JSON lines, also "
        "gzip), Perfetto traces and CSV of spans, whatever their names are. Writes .json, "
        ".json.gz, .pftrace, .csv (spans) and .folded (stacks, in nanoseconds). A damaged "
        "file is read up to where it is sound.\n\n"
        "Begins and ends become whole spans. In .pftrace and .folded, spans that overlap others "
        "of their track only partly go to tracks of their own. Everything goes through a sort "
        "that uses a temporary file in TMPDIR once there are more than a million events.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .run = run_convert,
};
