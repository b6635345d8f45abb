/* tacho trace recover: makes a trace that viewers open from a recording. */
#include "cli/core/opt.h"
#include "cmd_trace_parts.h"
#include "lib/trace/recording_convert.h"

static int run_recover(struct args *args)
{
    const char *name = args->operands[0], *out = NULL;
    struct tch_recording r;
    tacho_error err;

    while (cli_next_opt(args))
        out = args->value;
    if (!out)
        return cli_wrong_usage(args, "-o OUT is missing; name the file to write");
    if (!tch_trace_format_of(out))
        return cli_wrong_usage(args, "'%s' must end in .json, .json.gz or .pftrace", out);
    if (tch_trace_convert(name, out, &r, &err) < 0) {
        cli_complain(&err, "cannot recover '%s'", name);
        return EXIT_WORK;
    }
    if (!args->quiet)
        fprintf(stderr, "tacho: %llu spans of %u threads to '%s'\n",
                (unsigned long long)(r.spans + r.lost_begins + r.unfinished), (unsigned)r.threads,
                out);
    if (r.head.dropped > 0)
        cli_warn("%llu events of '%s' were dropped while it was recorded",
                 (unsigned long long)r.head.dropped, name);
    if (r.invalid_json > 0)
        cli_warn("%llu arguments of '%s' were recorded as JSON but are not valid JSON; they are "
                 "written as text",
                 (unsigned long long)r.invalid_json, name);
    if (r.mismatched > 0)
        cli_warn("%llu spans of '%s' were ended by the end of another span and may have the wrong "
                 "length",
                 (unsigned long long)r.mismatched, name);
    if (r.head.clock_faults > 0)
        cli_warn("CLOCK_MONOTONIC stood still or went back while '%s' was recorded; its times may "
                 "be wrong",
                 name);
    if (r.damaged > 0)
        cli_warn("%llu records of '%s' are damaged and were left out",
                 (unsigned long long)r.damaged, name);
    return EXIT_OK;
}

static const struct opt opts[] = {
    {.name = "output",
     .letter = 'o',
     .arg = "OUT",
     .help = "write to OUT, whose name must end in .json, .json.gz or .pftrace",
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "RECORDING", .help = "a .tacho file", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho trace recover trace.json.4711.tacho -o trace.json",
     "Make a trace of what process 4711 recorded before it was killed, for Perfetto, "
     "chrome://tracing and speedscope."},
    {NULL, NULL},
};

const struct cmd cmd_trace_recover = {
    .name = "recover",
    .summary = "make a trace from a recording, even after a kill",
    .usage = "tacho trace recover RECORDING -o OUT",
    .about = "The trace contains everything that was recorded up to the moment of the kill. Spans "
             "that were open at that moment have no end. The recording itself is not changed.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .run = run_recover,
};
