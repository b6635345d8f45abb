/* The options of `tacho compare`. */
#include <math.h>

#include "base/number.h"
#include "compare_parts.h"

enum { LOWER, HIGHER }; /* ids of options */

static const char *const format_names[] = {"table", "md", "json", "csv", NULL};

static const struct tch_verdict_format *const formats[] = {NULL, &tch_verdict_md, &tch_verdict_json,
                                                           &tch_verdict_csv};

/* Parses "5%" or "0.05". Refuses "5", which is 500 % and probably a typing error. */
static bool parse_share(const char *text, double *ret)
{
    size_t len = strlen(text);
    bool percent = len > 0 && text[len - 1] == '%';
    double value;

    if (tch_parse_f64_n(text, len - percent, &value) < 0 || !isfinite(value) || value < 0 ||
        (!percent && value > 1))
        return false;
    *ret = percent ? value / 100 : value;
    return true;
}

/* Parses "5%" for all metrics judged by default, or "memory=2%" for one. */
static int take_tolerance(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;
    const char *equals = strrchr(args->value, '='); /* the name of a span may contain '=' */
    const char *share = equals ? equals + 1 : args->value;
    struct tch_named_budget *budget = &c->budgets[c->budget_count];

    (void)opt;
    if (c->budget_count == BUDGETS_MOST)
        return cli_wrong_usage(args, "there can be at most %d tolerances", BUDGETS_MOST);
    *budget = (struct tch_named_budget){.budget = tch_budget_default};
    if (!parse_share(share, &budget->budget.tolerance) || equals == args->value)
        return cli_wrong_usage(
            args, "--tolerance needs a share such as 5%% or memory=2%%, not '%s'", args->value);
    if (equals) {
        c->names[c->budget_count] = strndup(args->value, (size_t)(equals - args->value));
        if (!c->names[c->budget_count])
            return cli_no_memory();
        budget->name = c->names[c->budget_count];
    }
    c->budget_count++;
    return EXIT_OK;
}

static int take_min_effect(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;

    (void)opt;
    if (!parse_share(args->value, &c->min_effect))
        return cli_wrong_usage(args, "--min-effect needs a share such as 2%%, not '%s'",
                               args->value);
    return EXIT_OK;
}

static int take_alpha(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;

    (void)opt;
    if (!parse_share(args->value, &c->alpha) || c->alpha <= 0 || c->alpha > 0.5)
        return cli_wrong_usage(args, "--alpha needs a probability such as 5%% or 0.01, not '%s'",
                               args->value);
    return EXIT_OK;
}

static int take_session_spread(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;

    (void)opt;
    if (!parse_share(args->value, &c->findings.session_spread))
        return cli_wrong_usage(args, "--session-spread needs a share such as 1%% or 0.01, not '%s'",
                               args->value);
    return EXIT_OK;
}

static int take_quantile(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;
    size_t len = strlen(args->value);
    double *quantile = &c->findings.quantile;

    (void)opt;
    len -= len > 0 && args->value[len - 1] == '%';
    if (tch_parse_f64_n(args->value, len, quantile) < 0)
        *quantile = NAN;
    *quantile /= 100;
    if (!(*quantile > 0 && *quantile < 1))
        return cli_wrong_usage(
            args, "--quantile needs a percentage above 0 and below 100, such as 99, not '%s'",
            args->value);
    return EXIT_OK;
}

static int take_metric(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;
    tacho_error err;

    if (!tch_metric_is_recorded(args->value))
        return cli_wrong_value(args, opt->name,
                               "what the runs recorded: span:NAME, stage:EVENT.STAGE or "
                               "latency:NAME");
    if (c->metric_count == TCH_METRICS_MOST)
        return cli_wrong_usage(args, "there can be at most %d metrics", TCH_METRICS_MOST);
    if (tch_metric_rule_init(&c->metrics[c->metric_count], args->value, &err) < 0)
        return cli_wrong_usage(args, "%s", err.message);
    c->metric_count++;
    return EXIT_OK;
}

static int take_direction(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;

    if (c->direction_count == BUDGETS_MOST)
        return cli_wrong_usage(args, "there can be at most %d directions", BUDGETS_MOST);
    c->directions[c->direction_count].name = args->value;
    c->directions[c->direction_count++].higher = opt->id == HIGHER;
    return EXIT_OK;
}

/* Applies directions and minimum effects to every tolerance, whatever the order of the options. */
static void complete_budgets(struct compare *c)
{
    for (size_t i = 0; i < c->budget_count; i++) {
        struct tch_named_budget *budget = &c->budgets[i];

        budget->budget.min_effect =
            isnan(c->min_effect) ? tch_budget_least_effect(&budget->budget) : c->min_effect;
        budget->budget.equivalent = c->equivalent;
        for (size_t k = 0; k < c->direction_count; k++)
            if (budget->name && strcmp(budget->name, c->directions[k].name) == 0) {
                budget->directed = true;
                budget->budget.higher = c->directions[k].higher;
            }
    }
}

const struct opt cli_compare_opts[] = {
    {.name = "tolerance",
     .letter = 't',
     .arg = "[METRIC=]P",
     .help = "judge: B may be at most P worse than A, such as 5%, in METRIC (default: in the usual "
             "metrics)",
     .take = take_tolerance},
    {.name = "equivalent",
     .help = "judge whether A and B are equivalent: B may be neither worse nor better by more than "
             "the tolerance",
     CLI_FLAG(struct compare, equivalent)},
    {.name = "min-effect",
     .arg = "P",
     .help = "ignore changes smaller than P (default 2%, or the tolerance if that is smaller)",
     .take = take_min_effect},
    {.name = "alpha",
     .arg = "P",
     .help = "probability of a wrong FAIL in the whole report (default 5%)",
     .take = take_alpha},
    {.name = "session-spread",
     .arg = "P",
     .help = "assume that sessions differ by P, for runs that were not interleaved (default 2.6% "
             "for times, 0.65% for memory and instructions)",
     .take = take_session_spread},
    {.name = "quantile",
     .arg = "Q",
     .help = "compare the quantile Q within each run, such as 99, of metrics with several values "
             "per run (default 50; recorded latencies and stages: 50, 95 or 99)",
     .take = take_quantile},
    {.name = "metric",
     .letter = 'm',
     .arg = "RECORDED",
     .help = "compare span:NAME, stage:EVENT.STAGE or latency:NAME, with :total, :count, :mean, "
             ":p50, :p99 or :max, also of runs that were made without it",
     .take = take_metric},
    {.name = "higher-is-better",
     .arg = "METRIC",
     .help = "treat more of METRIC as better, for a metric of your own",
     .id = HIGHER,
     .take = take_direction},
    {.name = "lower-is-better",
     .arg = "METRIC",
     .help = "treat less of METRIC as better",
     .id = LOWER,
     .take = take_direction},
    {.name = "format",
     .letter = 'f',
     .arg = "FORMAT",
     .help = "print table, md, json or csv (default table)",
     CLI_CHOICE(struct compare, format, format_names)},
    {.name = "raw",
     .help = "csv: do not quote names that a spreadsheet takes for a formula",
     CLI_FLAG(struct compare, raw)},
    {.name = "html",
     .arg = "FILE",
     .help = "write a page with the runs' distributions and differential flamegraph",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct compare, html)},
    {.name = "force",
     .help = "compare runs of different machine classes",
     CLI_FLAG(struct compare, force)},
    {.name = "filter",
     .arg = "REGEX",
     .help = "sets: compare only benchmarks whose name matches",
     CLI_TEXT(struct compare, filter)},
    {.name = "changed",
     .help = "sets: print only rows that changed",
     CLI_FLAG(struct compare, only_changed)},
    {.name = "rows",
     .arg = "N",
     .help = "sets: print the first N rows of the table (default 40; 0: all)",
     .set = CLI_SET(struct compare, rows_shown, .kind = TCH_SET_U64, .most = 1000000)},
    {.name = "fail-on-warn",
     .help = "exit with 3 if a verdict is WARN or INCONCLUSIVE",
     CLI_FLAG(struct compare, fail_on_warn)},
    {.name = NULL},
};

int cli_compare_parse(struct compare *c, struct args *args)
{
    int status;

    c->alpha = TCH_ALPHA;
    c->min_effect = NAN;
    c->rows_shown = 40;
    status = cli_set_opts(args, c, NULL);
    complete_budgets(c);
    if (status == EXIT_OK && args->json && c->format > 0 && formats[c->format] != &tch_verdict_json)
        status = cli_wrong_usage(
            args, "--json means --format json; it cannot be combined with another format");
    if (status == EXIT_OK && c->equivalent && c->budget_count == 0)
        status = cli_wrong_usage(
            args, "--equivalent needs --tolerance, which says how far B may differ from A");
    if (status == EXIT_OK && c->raw && formats[c->format] != &tch_verdict_csv)
        status = cli_wrong_usage(args, "--raw needs --format csv");
    if (status == EXIT_OK && (c->filter || c->only_changed) && !cli_compare_is_sets(args))
        status = cli_wrong_usage(
            args, "--filter and --changed need two sets: files of other tools, or folders with "
                  "many runs");
    c->writer = c->raw ? &tch_verdict_raw_csv : args->json ? &tch_verdict_json : formats[c->format];
    return status;
}
