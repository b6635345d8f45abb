/* tacho trace merge: merges several traces into one file, on one clock. */
#include <stdio.h>

#include "cli/core/opt.h"
#include "cmd_trace_parts.h"
#include "kit/text/human_number.h"
#include "kit/trace/trace_merge.h"
#include "trace_text.h"

/* Adds how the input was aligned with the first one: ", +1.5 ms by wall clock, to within 2 ms". */
static void add_place(struct tch_buf *b, const struct tch_merged_input *in)
{
    const char *within = NULL;

    switch (in->way) {
    case TCH_MERGE_FIRST:
        return;
    case TCH_MERGE_TICKS:
        within = " by the time stamp counter, to within ";
        break;
    case TCH_MERGE_BOOT:
        within = " by the monotonic clock, to within ";
        break;
    case TCH_MERGE_WALL:
        within = in->wall == TCH_WALL_KNOWN ? " by wall clock, to within "
                                            : " by wall clock, to no better than ";
        break;
    default:
        break;
    }
    tch_buf_adds(b, in->offset < 0 ? ", -" : ", +");
    tch_add_value(b, TCH_NS, (double)(in->offset < 0 ? -in->offset : in->offset));
    tch_buf_addf(b, "%s%s", within ? within : " by ", within ? "" : tch_merge_way_name(in->way));
    if (within)
        tch_add_value(b, TCH_NS, (double)in->uncertainty);
}

static void print_input(const struct tch_merged_input *in)
{
    char mem[128];
    struct tch_buf place;

    tch_buf_init_on(&place, mem, sizeof mem, sizeof mem - 1);
    add_place(&place, in);
    fprintf(stderr, "%s: %llu events%s\n", in->path, (unsigned long long)in->events, place.data);
    tch_buf_release(&place);
    if (in->renumbered > 0)
        fprintf(stderr, "%s: %u processes got new pids because another file uses theirs\n",
                in->path, (unsigned)in->renumbered);
    if (in->parted > 0)
        fprintf(stderr,
                "%s: %llu events of flows and async spans got new ids because an earlier trace "
                "uses theirs\n",
                in->path, (unsigned long long)in->parted);
}

/* Prints the warnings about an input and returns their number. */
static int warn_of_input(const struct tch_merged_input *in)
{
    static const char *const why[] = {
        [TCH_WALL_KNOWN] = "the offset is only as accurate as the errors that the two kernels "
                           "reported for their wall clocks",
        [TCH_WALL_WRONG] = "one of the wall clocks was not synchronised (by NTP, for example), so "
                           "the offset may be far off",
        [TCH_WALL_MUTE] = "the recordings do not say how accurate their wall clocks were",
    };

    if (in->way == TCH_MERGE_WALL)
        cli_warn("'%s' comes from another boot or machine: %s; --align EVENT does not depend on "
                 "wall clocks",
                 in->path, why[in->wall]);
    if (in->way == TCH_MERGE_EVENT)
        cli_warn("'%s' was aligned by a single event: its times are right only if that event "
                 "happened everywhere at once, and clocks drift apart from there",
                 in->path);
    if (in->cut)
        cli_warn("'%s' is damaged; only the part before the damage was merged", in->path);
    return (in->way == TCH_MERGE_WALL) + (in->way == TCH_MERGE_EVENT) + in->cut;
}

static int report_merged(const struct tch_merged *done, const struct trace_output *out, bool quiet)
{
    int warnings = 0;

    for (size_t i = 0; i < done->count; i++) {
        if (!quiet)
            print_input(&done->inputs[i]);
        warnings += warn_of_input(&done->inputs[i]);
    }
    if (!quiet)
        fprintf(stderr, "%s: %llu events, %u processes, %u tracks\n", out->path,
                (unsigned long long)done->events, (unsigned)done->processes,
                (unsigned)done->tracks);
    if (done->left_out > 0) {
        cli_warn("%llu events are not spans and were left out: '%s' can only hold spans",
                 (unsigned long long)done->left_out, out->path);
        warnings++;
    }
    return out->fail_on_warn && warnings > 0 ? EXIT_WARN : EXIT_OK;
}

static int run_merge(struct args *args)
{
    struct tch_merge_options options = {.align = NULL};
    struct trace_output out = {.path = NULL};
    struct tch_merged done;
    tacho_error err;
    int status;

    cli_set_opts(args, &options, &out);
    status = cli_trace_check_output(args, &out);
    if (status != EXIT_OK)
        return status;
    if (args->count < 2)
        return cli_wrong_usage(args, "name at least two traces to merge");
    status = tch_merge(&done, args->operands, args->count, out.path, &options, &out.writing, &err);
    if (status < 0) {
        cli_complain(&err, "cannot merge into '%s'", out.path);
        status = EXIT_WORK;
    } else {
        status = report_merged(&done, &out, args->quiet);
    }
    tch_merged_release(&done);
    return status;
}

static const struct opt opts[] = {
    {.name = "align",
     .arg = "EVENT",
     .help = "align all traces at the first event with this name",
     CLI_TEXT(struct tch_merge_options, align)},
    {.name = "same-clock",
     .help = "assume that traces without a known clock use the clock of the first trace",
     CLI_FLAG(struct tch_merge_options, same_clock)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE", .help = "the traces to merge", .many = true, .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho trace merge rank0.tacho rank1.tacho -o all.pftrace",
     "Merge two processes of one machine."},
    {"tacho trace merge --align barrier a.json b.json -o all.json",
     "Align two traces at an event that both contain."},
    {NULL, NULL},
};

const struct cmd cmd_trace_merge = {
    .name = "merge",
    .summary = "merge several traces into one file, on one clock",
    .usage = "tacho trace merge [--align EVENT] [--same-clock] FILE... -o OUT",
    .about =
        "Recordings from the same boot of a machine are aligned by its time stamp counter or its "
        "monotonic clock; the report gives the remaining uncertainty in nanoseconds. Recordings "
        "from different boots or machines are aligned by their wall clocks, with a warning. Traces "
        "of other tools do not record a clock: use --align with an event that happened in all of "
        "them at once, or --same-clock. When two files use the same pid, the second process gets a "
        "new one.",
    .opts = opts,
    .more_opts = cli_trace_output_opts,
    .args = operands,
    .examples = examples,
    .exits = cli_trace_output_exits,
    .run = run_merge,
};
