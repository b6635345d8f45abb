/* tacho events compare: compares two files of events, settings first, then stages. */

#include "cli/core/text.h"
#include "cmd_events_parts.h"
#include "kit/event/event_settings.h"

/* Reads both files, compares them and prints the result. */
static int compare(const struct args *args, struct tch_events_comparison *c)
{
    uint64_t bad = 0;
    struct tch_buf b;
    tacho_error err;
    int status;

    for (size_t i = 0; i < 2; i++) {
        void *worker = &c->sides[i];
        /* One thread reads, because the first values of each stage are kept in their order. */
        const struct tch_scan scan = {
            .threads = 1, .workers = &worker, .event = tch_event_side_add};
        struct tch_scan_counts counts;

        c->paths[i] = args->operands[i];
        if (cli_events_scan(c->paths[i], scan, &counts) != EXIT_OK)
            return EXIT_WORK;
        bad += counts.bad + counts.salvaged;
    }
    if (tch_compare_stages(&c->sides[0], &c->sides[1], &c->result, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    tch_buf_init(&b, EVENTS_COMPARE_MAX);
    status = args->json ? tch_events_comparison_json(&b, c, &err)
                        : cli_events_compare_text(&b, c, &args->out, &err);
    if (status < 0) {
        cli_complain(NULL, "%s", err.message);
        tch_buf_release(&b);
        return EXIT_WORK;
    }
    if (cli_print(&b) != EXIT_OK)
        return EXIT_WORK;
    return bad > 0 ? EXIT_CHECK : EXIT_OK;
}

struct options {
    const char *only;
    const char *by;
};

static int run_compare(struct args *args)
{
    struct tch_events_comparison c = {0};
    struct options o = {.only = NULL};
    int status;

    cli_set_opts(args, &o, NULL);
    for (size_t i = 0; i < 2; i++)
        tch_event_side_init(&c.sides[i], o.only, o.by);
    status = compare(args, &c);
    tch_event_comparison_release(&c.result);
    for (size_t i = 0; i < 2; i++)
        tch_event_side_release(&c.sides[i]);
    return status;
}

static const struct opt opts[] = {
    EVENTS_BY_OPT(struct options, by),
    EVENTS_EVENT_OPT(struct options, only),
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "A", .help = "the events before; - for standard input", .complete = COMPLETE_FILE},
    {.name = "B", .help = "the events after; - for standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a line is invalid or torn; the others were compared"},
    {0, NULL},
};

static const struct example examples[] = {
    {"tacho events compare --event unified_prof --by items before.jsonl after.jsonl",
     "Compare the stages of one event, separately for each value of items."},
    {NULL, NULL},
};

const struct cmd cmd_events_compare = {
    .name = "compare",
    .summary = "compare two files of events, stage by stage",
    .usage = "tacho events compare [--event E] [--by SHAPE_KEY] [--json] A B",
    .about =
        "First shows which settings differ: commit, model, environment and runtime flags. Then "
        "shows each stage of both files: the medians, the ratio B / A with its 95 % interval, how "
        "often a value of B exceeds a value of A (0.50 means no difference), and whether the "
        "difference is more than chance. The ratio is the median of all ratios between a value of "
        "B and one of A (Hodges and Lehmann, 1963, on logarithms). Last come the events and stages "
        "that only one file has.\n\nThe values of one file do not come from independent runs. The "
        "intervals therefore allow for sessions that differ by 2.6 % and for values that depend on "
        "the previous one, as 'tacho compare' does for runs that were not interleaved. p is "
        "adjusted for the number of stages (Holm, 1979). A stage with values of 0 has no ratio and "
        "is not tested.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_compare,
};
