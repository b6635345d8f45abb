/* Prints the plan of `tacho plan`: how many pairs of runs each effect needs. */
#include <math.h>

#include <tacho/version.h>

#include "base/json_write.h"
#include "cli/core/table.h"
#include "kit/judge/findings.h"
#include "kit/judge/run_compare.h"
#include "kit/stats/rank_null.h"
#include "kit/stats/rank_test.h"
#include "kit/text/human_number.h"
#include "plan_parts.h"

#define PLAN_SCHEMA "tacho.plan.v1"

/* --- Numbers --- */

/* Returns the number of pairs, or 0 for more than TCH_PLAN_MOST. */
static uint64_t pairs_for(const struct planning *p, double effect)
{
    uint64_t pairs =
        tch_plan_pairs(&p->pilot.noise, effect, p->power, p->alpha / (double)p->metrics);
    uint64_t least = tch_judge_least_runs(true, p->alpha, p->metrics);

    return pairs > 0 && pairs < least ? least : pairs;
}

/* Returns the --min-effect with which a change of `effect` FAILs as often as planned. A FAIL also
   needs an estimate of at least --min-effect. The estimate at which the test just says FAIL is high
   enough. */
static double min_effect_for(const struct planning *p, double effect)
{
    double cut = tch_normal_cut(p->alpha / (double)p->metrics);
    double share = cut / (cut + tch_normal_cut(1 - p->power));

    return fmin(tch_budget_default.min_effect, fmin(share, 0.5) * effect);
}

/* Lists the effects of the table: some usual ones, and the one that was asked for. @return how
   many */
static size_t list_effects(const struct planning *p, double effects[6])
{
    static const double usual[] = {0.01, 0.02, 0.03, 0.05, 0.10};
    bool listed = false;
    size_t n = 0;

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (!listed && p->effect <= usual[i] * (1 + 1e-9)) {
            effects[n++] = p->effect;
            listed = true;
        }
        if (fabs(p->effect - usual[i]) > 1e-9 * usual[i])
            effects[n++] = usual[i];
    }
    if (!listed)
        effects[n++] = p->effect;
    return n;
}

/* --- Output --- */

static void add_json_plan(struct tch_buf *b, const struct planning *p, double effect)
{
    uint64_t pairs = pairs_for(p, effect);

    tch_json_begin_object(b);
    tch_json_put_f64(b, "effect", effect);
    tch_json_key(b, "pairs");
    if (pairs > 0)
        tch_json_u64(b, pairs);
    else
        tch_json_null(b);
    tch_json_put_f64(b, "seconds", pairs > 0 ? (double)pairs * p->pilot.pair_ns / 1e9 : NAN);
    tch_json_put_f64(b, "min_effect", min_effect_for(p, effect));
    tch_json_end_object(b);
}

static void add_json(struct tch_buf *b, const struct planning *p)
{
    const struct tch_pilot *noise = &p->pilot.noise;
    double effects[6];
    size_t count = list_effects(p, effects);

    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", PLAN_SCHEMA);
    tch_json_put_text(b, "tacho_version", TACHO_VERSION);
    tch_json_put_text(b, "metric", p->of);
    tch_json_put_f64(b, "power", p->power);
    tch_json_put_f64(b, "alpha", p->alpha);
    tch_json_put_u64(b, "metrics", p->metrics);
    tch_json_key(b, "pilot");
    tch_json_begin_object(b);
    tch_json_key(b, "folders");
    tch_json_begin_array(b);
    for (size_t i = 0; i < SIDES && p->folders[i]; i++)
        tch_json_text(b, p->folders[i]);
    tch_json_end_array(b);
    tch_json_put_u64(b, "pairs", noise->pairs);
    tch_json_put_f64(b, "pair_seconds", p->pilot.pair_ns / 1e9);
    tch_json_put_f64(b, "spread", noise->spread);
    tch_json_put_f64(b, "spread_bound", noise->most);
    tch_json_put_u64(b, "outliers", noise->outliers);
    tch_json_put_bool(b, "trusted", noise->outliers == 0);
    tch_json_end_object(b);
    tch_json_key(b, "plan");
    add_json_plan(b, p, p->effect);
    tch_json_key(b, "effects");
    tch_json_begin_array(b);
    for (size_t i = 0; i < count; i++)
        add_json_plan(b, p, effects[i]);
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
}

/* Returns the longest time of the table. All times are shown in its unit. */
static double longest_time(const struct planning *p)
{
    double effects[6];
    size_t count = list_effects(p, effects);
    double longest = 0;

    for (size_t i = 0; i < count; i++)
        longest = fmax(longest, (double)pairs_for(p, effects[i]) * p->pilot.pair_ns);
    return longest;
}

/* Adds "43 pairs, 86 runs in all, about 86 s". */
static void add_need(struct tch_buf *b, const struct planning *p)
{
    uint64_t pairs = pairs_for(p, p->effect);

    if (pairs == 0) {
        tch_buf_addf(b, "more than %d pairs", TCH_PLAN_MOST);
        return;
    }
    tch_buf_addf(b, "%llu pairs, %llu runs in all, about ", (unsigned long long)pairs,
                 2 * (unsigned long long)pairs);
    tch_add_time_like(b, (double)pairs * p->pilot.pair_ns, longest_time(p));
}

static void add_effects(struct tch_buf *b, const struct planning *p, const struct term *term)
{
    static const struct column columns[] = {{.title = "effect", .right = true},
                                            {.title = "pairs", .right = true},
                                            {.title = "time", .right = true},
                                            {.title = "judge with"}};
    double effects[6];
    size_t count = list_effects(p, effects);
    double longest = longest_time(p);
    struct table t;

    cli_table_init(&t, term, columns, 4);
    t.indent = 2;
    for (size_t i = 0; i < count; i++) {
        uint64_t pairs = pairs_for(p, effects[i]);
        enum paint paint = effects[i] == p->effect ? BOLD : PLAIN;

        cli_table_addf(&t, paint, "%.4g %%", 100 * effects[i]);
        if (pairs > 0)
            cli_table_addf(&t, paint, "%llu", (unsigned long long)pairs);
        else
            cli_table_addf(&t, paint, ">%d", TCH_PLAN_MOST);
        tch_add_time_like(cli_table_cell(&t, paint),
                          pairs > 0 ? (double)pairs * p->pilot.pair_ns : NAN, longest);
        cli_table_addf(&t, paint, "--min-effect %.2g%%", 100 * min_effect_for(p, effects[i]));
    }
    cli_table_print(&t, b);
    cli_table_release(&t);
}

static void add_text(struct tch_buf *b, const struct planning *p, const struct args *args)
{
    const struct tch_pilot *noise = &p->pilot.noise;
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_buf_addf(&text,
                 "%zu pairs, which differ in %s by %.2g %% (standard deviation; at most "
                 "%.2g %%, with 90 %% confidence)",
                 noise->pairs, p->of, 100 * noise->spread, 100 * noise->most);
    cli_add_labelled(b, &args->out, BOLD, "pilot:    ", text.data);
    tch_buf_clear(&text);
    tch_buf_addf(&text,
                 "to find a change of %.4g %% in %.4g %% of reports that judge %llu metric%s, "
                 "with a wrong FAIL in at most %.4g %% of them",
                 100 * p->effect, 100 * p->power, (unsigned long long)p->metrics,
                 tch_plural(p->metrics), 100 * p->alpha);
    cli_add_labelled(b, &args->out, BOLD, "question: ", text.data);
    tch_buf_clear(&text);
    add_need(&text, p);
    cli_add_labelled(b, &args->out, BOLD, "plan:     ", text.data);
    if (noise->outliers > 0) {
        tch_buf_clear(&text);
        tch_buf_addf(&text,
                     "do not trust these numbers: %zu of the %zu pairs %s far from the "
                     "others. Find out what disturbs the runs (tacho doctor), then run a new "
                     "pilot",
                     noise->outliers, noise->pairs, noise->outliers == 1 ? "is" : "are");
        cli_add_labelled(b, &args->out, YELLOW, "warning:  ", text.data);
    }
    tch_buf_addc(b, '\n');
    add_effects(b, p, &args->out);
    if (p->run.plan.runs > 0 && !args->quiet)
        tch_buf_addc(b, '\n');
    for (size_t i = 0; i < p->run.plan.command_count && !args->quiet; i++)
        tch_buf_addf(b, "pilot: %s\n", p->folders[i]);
    tch_buf_release(&text);
}

void cli_add_plan(struct tch_buf *b, const struct planning *p, const struct args *args)
{
    if (args->json)
        add_json(b, p);
    else
        add_text(b, p, args);
}
