/* The documents tacho.events.*.v1: summaries, comparisons, validations. */
#include "event_json.h"

#include <math.h>

#include "base/json_write.h"
#include "event_settings.h"
#include "event_stages_sum.h"

static void put_event(struct tch_buf *b, const struct tch_stage_group *g, const char *by)
{
    tch_json_key(b, "event");
    tch_json_string(b, g->event, g->event_len);
    tch_json_key(b, "by");
    if (by)
        tch_json_string(b, g->by, g->by_len);
    else
        tch_json_null(b);
}

/* Adds one stage. Times have their unit in the member names; counts have no unit. */
static void put_stage(struct tch_buf *b, struct tch_stage *stage, double group_total)
{
    static const char *const time_keys[] = {"total_us", "mean_us", "p50_us",
                                            "p95_us",   "p99_us",  "max_us"};
    static const char *const count_keys[] = {"total", "mean", "p50", "p95", "p99", "max"};
    const char *const *keys = stage->is_count ? count_keys : time_keys;
    struct tch_stage_summary sum;

    tch_stage_summarise(stage, &sum);
    tch_json_begin_object(b);
    tch_json_key(b, "name");
    tch_json_string(b, stage->name, stage->name_len);
    tch_json_put_u64(b, "count", stage->count);
    tch_json_put_f64(b, keys[0], sum.total);
    tch_json_put_f64(b, keys[1], sum.mean);
    tch_json_put_f64(b, keys[2], sum.p50);
    tch_json_put_f64(b, keys[3], sum.p95);
    tch_json_put_f64(b, keys[4], sum.p99);
    tch_json_put_f64(b, keys[5], sum.max);
    if (!stage->is_count) {
        tch_json_key(b, "share");
        if (group_total > 0)
            tch_json_f64(b, sum.total / group_total);
        else
            tch_json_null(b);
    }
    tch_json_put_bool(b, "exact", sum.exact);
    tch_json_end_object(b);
}

static void put_stages(struct tch_buf *b, struct tch_stage_group *g, bool counts,
                       double group_total)
{
    tch_json_key(b, counts ? "counts" : "stages");
    tch_json_begin_array(b);
    for (size_t i = 0; i < g->count; i++)
        if (g->stages[i].is_count == counts)
            put_stage(b, &g->stages[i], group_total);
    tch_json_end_array(b);
}

static void put_group(struct tch_buf *b, struct tch_stage_group *g, const char *by)
{
    bool is_stage;
    double total = tch_stage_group_total(g, &is_stage);

    tch_json_begin_object(b);
    put_event(b, g, by);
    tch_json_put_u64(b, "events", g->events);
    tch_json_put_f64(b, "total_us", total);
    tch_json_put_text(b, "total_source", is_stage ? "stage" : "sum");
    tch_json_put_u64(b, "non_numeric", g->passed_over);
    put_stages(b, g, false, total);
    put_stages(b, g, true, total);
    tch_json_end_object(b);
}

void tch_events_summary_json(struct tch_buf *b, const struct tch_stages *stages,
                             const struct tch_scan_counts *total)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.events.summary.v1");
    tch_json_put_u64(b, "events", total->events);
    tch_json_put_u64(b, "bad", total->bad);
    tch_json_put_u64(b, "torn", total->torn);
    tch_json_put_u64(b, "salvaged", total->salvaged);
    tch_json_put_u64(b, "left_out", stages->left_out);
    tch_json_put_text(b, "by", stages->by);
    tch_json_key(b, "groups");
    tch_json_begin_array(b);
    for (size_t i = 0; i < stages->count; i++)
        put_group(b, &stages->groups[i], stages->by);
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
}

static void put_setting(void *ctx, const char *name, const char *x, const char *y)
{
    struct tch_buf *b = ctx;

    tch_json_begin_object(b);
    tch_json_put_text(b, "name", name);
    tch_json_put_text(b, "a", x);
    tch_json_put_text(b, "b", y);
    tch_json_end_object(b);
}

static void put_pair(struct tch_buf *b, const struct tch_stage_pair *pair, const char *by)
{
    tch_json_begin_object(b);
    put_event(b, pair->a_group, by);
    tch_json_key(b, "stage");
    tch_json_string(b, pair->a->name, pair->a->name_len);
    tch_json_put_text(b, "kind", pair->a->is_count ? "count" : "time_us");
    tch_json_put_u64(b, "a_count", pair->a->count);
    tch_json_put_u64(b, "b_count", pair->b->count);
    tch_json_put_f64(b, "a_median", pair->a_median);
    tch_json_put_f64(b, "b_median", pair->b_median);
    tch_json_key(b, "ratio");
    if (pair->has_ratio) {
        tch_json_begin_object(b);
        tch_json_put_f64(b, "estimate", pair->ratio.estimate);
        tch_json_put_f64(b, "low", pair->ratio.level > 0 ? pair->ratio.low : NAN);
        tch_json_put_f64(b, "high", pair->ratio.level > 0 ? pair->ratio.high : NAN);
        tch_json_put_f64(b, "level", pair->ratio.level);
        tch_json_end_object(b);
    } else {
        tch_json_null(b);
    }
    tch_json_put_f64(b, "effect", pair->effect);
    tch_json_put_f64(b, "dependence", pair->rho);
    tch_json_put_f64(b, "p", pair->p);
    tch_json_put_f64(b, "p_adjusted", pair->p_adjusted);
    tch_json_put_text(b, "verdict", tch_stage_verdict(pair));
    tch_json_end_object(b);
}

static void put_only(struct tch_buf *b, const char *key, const struct tch_event_side *in,
                     const struct tch_event_side *not_in)
{
    tch_json_key(b, key);
    tch_json_begin_array(b);
    for (size_t i = 0; i < in->stages.count; i++) {
        const struct tch_stage_group *g = &in->stages.groups[i];

        for (size_t k = 0; k < g->count; k++) {
            if (tch_event_side_has(not_in, g, &g->stages[k]))
                continue;
            tch_json_begin_object(b);
            put_event(b, g, in->stages.by);
            tch_json_key(b, "stage");
            tch_json_string(b, g->stages[k].name, g->stages[k].name_len);
            tch_json_end_object(b);
        }
    }
    tch_json_end_array(b);
}

static void put_side(struct tch_buf *b, const char *key, const char *path,
                     const struct tch_event_side *side)
{
    tch_json_key(b, key);
    tch_json_begin_object(b);
    tch_json_put_text(b, "file", path);
    tch_json_put_u64(b, "events", side->events);
    tch_json_put_u64(b, "kinds_of_runtime_flags", side->settings[TCH_SETTING_RUNTIME_FLAGS].count);
    tch_json_end_object(b);
}

int tch_events_comparison_json(struct tch_buf *b, const struct tch_events_comparison *c,
                               tacho_error *err)
{
    const struct tch_event_side *x = &c->sides[0];
    const struct tch_event_side *y = &c->sides[1];
    int status;

    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.events.compare.v1");
    put_side(b, "a", c->paths[0], x);
    put_side(b, "b", c->paths[1], y);
    tch_json_key(b, "settings");
    tch_json_begin_array(b);
    status = tch_compare_settings(x, y, put_setting, b, err);
    tch_json_end_array(b);
    tch_json_key(b, "stages");
    tch_json_begin_array(b);
    for (size_t i = 0; i < c->result.count; i++)
        put_pair(b, &c->result.pairs[i], x->stages.by);
    tch_json_end_array(b);
    put_only(b, "only_a", x, y);
    put_only(b, "only_b", y, x);
    tch_json_end_object(b);
    tch_json_line_end(b);
    return status;
}

void tch_validate_json_begin(struct tch_buf *b)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.events.validate.v1");
    tch_json_key(b, "files");
    tch_json_begin_array(b);
}

void tch_validate_json_file(struct tch_buf *b, const char *path)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "file", path);
    tch_json_key(b, "errors");
    tch_json_begin_array(b);
}

void tch_validate_json_error(struct tch_buf *b, const tacho_error *why)
{
    tch_json_begin_object(b);
    tch_json_put_u64(b, "line", why->line);
    tch_json_put_text(b, "message", why->message);
    tch_json_end_object(b);
}

void tch_validate_json_file_end(struct tch_buf *b, bool readable, const struct tch_scan_counts *c,
                                uint64_t listed)
{
    tch_json_end_array(b);
    tch_json_put_bool(b, "readable", readable);
    tch_json_put_u64(b, "bytes", c->bytes);
    tch_json_put_u64(b, "lines", c->lines);
    tch_json_put_u64(b, "blank", c->blank);
    tch_json_put_u64(b, "events", c->events);
    tch_json_put_u64(b, "bad", c->bad);
    tch_json_put_u64(b, "torn", c->torn);
    tch_json_put_u64(b, "salvaged", c->salvaged);
    tch_json_put_u64(b, "errors_not_listed", c->bad + c->salvaged - listed);
    tch_json_end_object(b);
}

void tch_validate_json_end(struct tch_buf *b, const tacho_event_groups *groups, bool valid)
{
    const char *missing = NULL;

    tch_json_end_array(b);
    tch_json_key(b, "missing_groups");
    tch_json_begin_array(b);
    while ((missing = tacho_event_groups_missing(groups, missing)))
        tch_json_text(b, missing);
    tch_json_end_array(b);
    tch_json_put_bool(b, "valid", valid);
    tch_json_end_object(b);
    tch_json_line_end(b);
}
