/* tacho trace slice: keeps a part of a trace. */
#include "cli/core/opt.h"
#include "cmd_trace_parts.h"
#include "kit/trace/trace_rewrite.h"
#include "trace_text.h"

static int run_slice(struct args *args)
{
    const char *in = args->operands[0];
    struct tch_rewrite_part part = {.from = INT64_MIN, .to = INT64_MAX};
    struct trace_output out = {.path = NULL};
    struct tch_trace_read_options reading;
    struct tch_rewritten done;
    struct trace_progress progress;
    tacho_error err;
    int status = cli_set_opts(args, &part, &out);

    if (status == EXIT_OK)
        status = cli_trace_check_output(args, &out);
    if (status == EXIT_OK && part.from >= part.to)
        status = cli_wrong_usage(args, "--from must be before --to");
    if (status != EXIT_OK)
        return status;
    reading = cli_trace_reading(&progress, args, in, true);
    status = tch_rewrite(&done, in, out.path, &reading, &out.writing, &part, &err);
    cli_progress_end(&progress.progress);
    if (status < 0) {
        cli_complain(&err, "cannot slice '%s' to '%s'", in, out.path);
        status = EXIT_WORK;
    } else {
        if (done.kept == 0)
            cli_warn("no event of '%s' is in that part", in);
        status = cli_trace_report_rewritten(&done, in, &out, args);
    }
    tch_rewritten_release(&done);
    return status;
}

#define TIME(field, rule_text) \
    .rule = (rule_text),       \
    .set = CLI_SET(struct tch_rewrite_part, field, .kind = TCH_SET_DURATION, .most = INT64_MAX)

static const struct opt opts[] = {
    {.name = "from",
     .arg = "TIME",
     .help = "leave out what is earlier than TIME after the first event",
     TIME(from, "--from needs a time such as 1.5s or 250ms")},
    {.name = "to",
     .arg = "TIME",
     .help = "leave out what is later than TIME after the first event",
     TIME(to, "--to needs a time such as 1.5s or 250ms")},
    {.name = "name",
     .arg = "GLOB",
     .help = "keep only events whose name matches",
     CLI_TEXT(struct tch_rewrite_part, name)},
    {.name = "track",
     .arg = "GLOB",
     .help = "keep only tracks whose name, 'process / thread' or tid matches",
     CLI_TEXT(struct tch_rewrite_part, track)},
    {.name = "whole",
     .help = "keep the full length of spans that cross --from or --to",
     CLI_FLAG(struct tch_rewrite_part, whole)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "IN", .help = "the trace to read; - for standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho trace slice big.json --from 1.5s --to 1.6s -o small.json", "Keep a tenth of a second."},
    {"tacho trace slice big.json --name 'ffn_*' -o ffn.json",
     "Keep only the spans with these names."},
    {NULL, NULL},
};

const struct cmd cmd_trace_slice = {
    .name = "slice",
    .summary = "keep a part of a trace, by time, name or track",
    .usage = "tacho trace slice IN [--from TIME] [--to TIME] [--name GLOB] [--track GLOB] -o OUT",
    .about =
        "TIME counts from the first event of the trace. Events keep their original times. A "
        "span that crosses --from or --to is clipped there unless --whole is given. This holds "
        "for async spans, too; --name and --track check where they begin. An arrow of a "
        "flow needs both ends inside the part.",
    .opts = opts,
    .more_opts = cli_trace_output_opts,
    .args = operands,
    .examples = examples,
    .exits = cli_trace_output_exits,
    .run = run_slice,
};
