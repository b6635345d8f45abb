/* tacho trace slice: a part of a trace. */
#include "base/number.h"
#include "cli/core/opt.h"
#include "cmd_trace_parts.h"
#include "kit/trace/trace_rewrite.h"
#include "trace_text.h"

enum { FROM, TO, NAME, TRACK, WHOLE };

static int parse_time(struct args *args, const struct opt *opt, int64_t *ret)
{
    uint64_t ns;

    if (tch_parse_duration(args->value, &ns) < 0 || ns > INT64_MAX)
        return cli_wrong_usage(args, "--%s takes a time such as 1.5s or 250ms, not '%s'", opt->name,
                               args->value);
    *ret = (int64_t)ns;
    return EXIT_OK;
}

static int parse_part(struct args *args, struct tch_rewrite_part *part, struct trace_output *out)
{
    const struct opt *opt;
    int status = EXIT_OK;

    while (status == EXIT_OK && (opt = cli_next_opt(args))) {
        if (cli_trace_take_output_opt(out, opt, args->value))
            continue;
        switch (opt->id) {
        case FROM:
            status = parse_time(args, opt, &part->from);
            break;
        case TO:
            status = parse_time(args, opt, &part->to);
            break;
        case NAME:
            part->name = args->value;
            break;
        case TRACK:
            part->track = args->value;
            break;
        default:
            part->whole = true;
        }
    }
    if (status == EXIT_OK)
        status = cli_trace_check_output(args, out);
    if (status == EXIT_OK && part->from >= part->to)
        return cli_wrong_usage(args, "--from must be before --to");
    return status;
}

static int run_slice(struct args *args)
{
    const char *in = args->operands[0];
    struct tch_rewrite_part part = {.from = INT64_MIN, .to = INT64_MAX};
    struct trace_output out = {.path = NULL};
    struct tch_trace_read_options reading;
    struct tch_rewritten done;
    struct trace_progress progress;
    tacho_error err;
    int status = parse_part(args, &part, &out);

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
            cli_warn("nothing of '%s' is in that part", in);
        status = cli_trace_report_rewritten(&done, in, &out, args);
    }
    tch_rewritten_release(&done);
    return status;
}

static const struct opt opts[] = {
    {.id = FROM, .name = "from", .arg = "TIME", .help = "from here on, after the first event"},
    {.id = TO, .name = "to", .arg = "TIME", .help = "up to here, after the first event"},
    {.id = NAME, .name = "name", .arg = "GLOB", .help = "only events whose name matches"},
    {.id = TRACK,
     .name = "track",
     .arg = "GLOB",
     .help = "only tracks whose name, 'process / thread' or tid matches"},
    {.id = WHOLE, .name = "whole", .help = "spans that reach over an edge are not cut there"},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "IN", .help = "a trace; - is the standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho trace slice big.json --from 1.5s --to 1.6s -o small.json", "A tenth of a second."},
    {"tacho trace slice big.json --name 'ffn_*' -o ffn.json", "Some of its spans."},
    {NULL, NULL},
};

const struct cmd cmd_trace_slice = {
    .name = "slice",
    .summary = "a part of a trace: by time, name or track",
    .usage = "tacho trace slice IN [--from TIME] [--to TIME] [--name GLOB] [--track GLOB] -o OUT",
    .about = "Times count from the first event of the trace. Events keep their own times. A span "
             "that reaches over an edge is cut there, unless --whole is given.",
    .opts = opts,
    .more_opts = cli_trace_output_opts,
    .args = operands,
    .examples = examples,
    .exits = cli_trace_output_exits,
    .run = run_slice,
};
