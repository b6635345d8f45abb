/* Writes tacho.verdict.v1. */
#include <math.h>

#include <tacho/version.h>

#include "base/json_write.h"
#include "kit/stats/session.h"
#include "verdict_formats.h"

static void add_side(struct tch_buf *b, const char *key, size_t n, double median)
{
    tch_json_key(b, key);
    tch_json_begin_object(b);
    tch_json_put_u64(b, "n", n);
    tch_json_put_f64(b, "median", median);
    tch_json_end_object(b);
}

static void add_ratio(struct tch_buf *b, const struct tch_verdict_row *r)
{
    tch_json_key(b, "ratio");
    if (!r->has_ratio) {
        tch_json_null(b);
        return;
    }
    tch_json_begin_object(b);
    tch_json_put_f64(b, "estimate", r->ratio.estimate);
    tch_json_put_f64(b, "low", r->ratio.level > 0 ? r->ratio.low : NAN);
    tch_json_put_f64(b, "high", r->ratio.level > 0 ? r->ratio.high : NAN);
    tch_json_put_f64(b, "level", r->ratio.level);
    tch_json_put_f64(b, "effect", r->ratio.effect);
    tch_json_put_f64(b, "of_medians", r->a_count > 0 ? r->b_median / r->a_median : NAN);
    tch_json_end_object(b);
}

/* Adds the effective number of runs: runs that depend on each other count as fewer. */
static void add_effective(struct tch_buf *b, const struct tch_verdict_row *r)
{
    size_t n = r->a_count < r->b_count ? r->a_count : r->b_count;

    tch_json_put_f64(b, "effective_runs", (double)n / tch_session_inflation(r->rho));
}

static void add_budget(struct tch_buf *b, const struct tch_about *about)
{
    tch_json_key(b, "budget");
    if (about->ask == TCH_ASK_NOTHING) {
        tch_json_null(b);
        return;
    }
    tch_json_begin_object(b);
    tch_json_put_text(b, "kind", about->ask == TCH_ASK_MAX ? "max" : "ratio");
    tch_json_put_f64(b, "tolerance", about->ask == TCH_ASK_MAX ? NAN : about->budget.tolerance);
    tch_json_put_f64(b, "min_effect", about->ask == TCH_ASK_MAX ? NAN : about->budget.min_effect);
    tch_json_put_f64(b, "max", about->ask == TCH_ASK_MAX ? about->budget.max : NAN);
    tch_json_put_bool(b, "equivalent", about->budget.equivalent);
    tch_json_put_bool(b, "required", about->required);
    tch_json_end_object(b);
}

static void add_row(struct tch_buf *b, const struct tch_findings *f, size_t i)
{
    static const char *const units[] = {
        [TCH_NS] = "ns",         [TCH_BYTES] = "bytes", [TCH_COUNT] = "count",
        [TCH_JOULES] = "joules", [TCH_PLAIN] = "",      [TCH_RATE] = ""};
    const struct tch_about *about = &f->about[i];
    const struct tch_verdict_row *r = &f->rows[i];
    char room[TCH_STATISTIC_TEXT];

    tch_json_begin_object(b);
    tch_json_put_text(b, "bench", about->bench[0] ? about->bench : NULL);
    tch_json_put_text(b, "metric", about->metric.name);
    tch_json_put_text(b, "title", about->metric.title);
    tch_json_put_text(b, "unit", units[about->metric.unit]);
    tch_json_put_text(b, "statistic", tch_statistic_name(about->budget.quantile, room));
    tch_json_put_text(b, "better", about->budget.higher ? "higher" : "lower");
    add_side(b, "a", r->a_count, r->a_median);
    add_side(b, "b", r->b_count, r->b_median);
    tch_json_put_bool(b, "paired", r->paired);
    if (r->exact)
        tch_json_put_bool(b, "exact", true);
    if (f->set)
        tch_json_put_bool(b, "changed", r->changed);
    if (about->counted_by[0])
        tch_json_put_text(b, "counted_by", about->counted_by);
    tch_json_put_f64(b, "session_spread", r->spread);
    add_effective(b, r);
    add_ratio(b, r);
    tch_json_put_f64(b, "p", r->p);
    tch_json_put_f64(b, "p_adjusted", r->p_adjusted);
    tch_json_put_f64(b, "p_worse", r->p_worse);
    add_budget(b, about);
    tch_json_put_text(b, "verdict",
                      about->ask == TCH_ASK_NOTHING ? NULL : tch_verdict_names[r->verdict]);
    tch_json_put_f64(b, "largest_change", tch_row_at_most(f, i));
    tch_json_key(b, "runs_advised");
    if (r->advised > 0)
        tch_json_u64(b, r->advised);
    else
        tch_json_null(b);
    tch_json_put_text(b, "reason", r->why[0] ? r->why : NULL);
    tch_json_end_object(b);
}

static void add_differences(struct tch_buf *b, const struct tch_findings *f)
{
    tch_json_key(b, "differences");
    tch_json_begin_array(b);
    for (size_t i = 0; i < f->difference_count; i++) {
        const struct tch_difference *d = &f->differences[i];

        tch_json_begin_object(b);
        tch_json_put_text(b, "path", d->path);
        tch_json_key(b, "a");
        tch_json_raw(b, d->a ? d->a : "null", d->a ? strlen(d->a) : 4);
        tch_json_key(b, "b");
        tch_json_raw(b, d->b ? d->b : "null", d->b ? strlen(d->b) : 4);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}

static void add_references(struct tch_buf *b, const struct tch_findings *f)
{
    tch_json_key(b, "baselines");
    tch_json_begin_array(b);
    for (size_t i = 0; i < f->reference_count; i++) {
        const struct tch_reference *r = &f->references[i];

        tch_json_begin_object(b);
        tch_json_put_text(b, "bench", r->bench);
        tch_json_put_text(b, "at", r->at);
        tch_json_key(b, "age_days");
        if (r->days < 0)
            tch_json_null(b);
        else
            tch_json_u64(b, (uint64_t)r->days);
        tch_json_put_bool(b, "old", r->old);
        tch_json_put_text(b, "commit", r->commit[0] ? r->commit : NULL);
        tch_json_put_bool(b, "dirty", r->dirty);
        tch_json_key(b, "ancestor");
        if (r->ancestor < 0)
            tch_json_null(b);
        else
            tch_json_bool(b, r->ancestor > 0);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}

static void add_names(struct tch_buf *b, const char *key, char *const *names, size_t count)
{
    tch_json_key(b, key);
    tch_json_begin_array(b);
    for (size_t i = 0; i < count; i++)
        tch_json_text(b, names[i]);
    tch_json_end_array(b);
}

static void add_set(struct tch_buf *b, const struct tch_set_summary *s)
{
    tch_json_key(b, "set");
    tch_json_begin_object(b);
    tch_json_put_u64(b, "benches", s->benches);
    tch_json_put_u64(b, "changed", s->changed);
    tch_json_put_u64(b, "hidden", s->hidden);
    add_names(b, "only_a", s->only_a, s->only_a_count);
    add_names(b, "only_b", s->only_b, s->only_b_count);
    tch_json_key(b, "geometric_means");
    tch_json_begin_array(b);
    for (size_t i = 0; i < s->mean_count; i++) {
        const struct tch_set_mean *mean = &s->means[i];

        tch_json_begin_object(b);
        tch_json_put_text(b, "metric", mean->metric.name);
        tch_json_put_u64(b, "benches", mean->count);
        tch_json_put_u64(b, "without_interval", mean->unsure_count);
        tch_json_put_f64(b, "estimate", mean->estimate);
        tch_json_put_f64(b, "low", mean->low);
        tch_json_put_f64(b, "high", mean->high);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
    tch_json_end_object(b);
}

static void add_texts(struct tch_buf *b, const char *key, const struct tch_note *notes,
                      size_t count)
{
    tch_json_key(b, key);
    tch_json_begin_array(b);
    for (size_t i = 0; i < count; i++)
        tch_json_text(b, notes[i].text);
    tch_json_end_array(b);
}

static void write_json(struct tch_buf *b, const struct tch_findings *f)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", TCH_VERDICT_SCHEMA);
    tch_json_put_text(b, "tacho_version", TACHO_VERSION);
    tch_json_put_text(b, "mode", f->mode);
    tch_json_put_text(b, "verdict", tch_findings_word(f));
    tch_json_put_text(b, "a", f->a_name);
    tch_json_put_text(b, "b", f->b_name);
    tch_json_put_f64(b, "alpha", f->alpha);
    tch_json_put_u64(b, "analyses", f->analyses);
    tch_json_put_text(b, "reproduce", f->reproduce);
    tch_json_put_text(b, "link", f->link);
    add_texts(b, "problems", f->problems, f->problem_count);
    add_texts(b, "notes", f->notes, f->note_count);
    if (strcmp(f->mode, "baseline") == 0)
        add_references(b, f);
    if (f->set)
        add_set(b, f->set);
    add_differences(b, f);
    tch_json_key(b, "rows");
    tch_json_begin_array(b);
    for (size_t i = 0; i < f->count; i++)
        add_row(b, f, i);
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
}

const struct tch_verdict_format tch_verdict_json = {"json", write_json};
