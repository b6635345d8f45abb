/* tacho events compare --json. */
#include "cmd_events_compare.h"

#include <math.h>

#include "base/json_write.h"

static void json_setting(void *ctx, const char *name, const char *x, const char *y)
{
    struct tch_buf *b = ctx;

    tch_json_begin_object(b);
    tch_json_put_text(b, "name", name);
    tch_json_put_text(b, "a", x);
    tch_json_put_text(b, "b", y);
    tch_json_end_object(b);
}

static void json_event(struct tch_buf *b, const struct tch_stage_group *g, const char *by)
{
    tch_json_key(b, "event");
    tch_json_string(b, g->event, g->event_len);
    tch_json_key(b, "by");
    if (by)
        tch_json_string(b, g->by, g->by_len);
    else
        tch_json_null(b);
}

static void json_pair(struct tch_buf *b, const struct tch_stage_pair *pair, const char *by)
{
    tch_json_begin_object(b);
    json_event(b, pair->a_group, by);
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
    tch_json_put_f64(b, "p", pair->p);
    tch_json_put_f64(b, "p_adjusted", pair->p_adjusted);
    tch_json_put_text(b, "verdict", tch_stage_verdict(pair));
    tch_json_end_object(b);
}

static void json_only(struct tch_buf *b, const char *key, const struct tch_side *in,
                      const struct tch_side *not_in)
{
    tch_json_key(b, key);
    tch_json_begin_array(b);
    for (size_t i = 0; i < in->stages.count; i++) {
        const struct tch_stage_group *g = &in->stages.groups[i];

        for (size_t k = 0; k < g->count; k++) {
            if (tch_side_has(not_in, g, &g->stages[k]))
                continue;
            tch_json_begin_object(b);
            json_event(b, g, in->stages.by);
            tch_json_key(b, "stage");
            tch_json_string(b, g->stages[k].name, g->stages[k].name_len);
            tch_json_end_object(b);
        }
    }
    tch_json_end_array(b);
}

static void json_side(struct tch_buf *b, const char *key, const char *path,
                      const struct tch_side *side)
{
    tch_json_key(b, key);
    tch_json_begin_object(b);
    tch_json_put_text(b, "file", path);
    tch_json_put_u64(b, "events", side->events);
    tch_json_put_u64(b, "kinds_of_runtime_flags", side->settings[TCH_SETTING_RUNTIME_FLAGS].count);
    tch_json_end_object(b);
}

int cli_events_compare_json(struct tch_buf *b, const struct events_comparison *c, tacho_error *err)
{
    const struct tch_side *x = &c->sides[0];
    const struct tch_side *y = &c->sides[1];
    int status;

    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.events.compare.v1");
    json_side(b, "a", c->paths[0], x);
    json_side(b, "b", c->paths[1], y);
    tch_json_key(b, "settings");
    tch_json_begin_array(b);
    status = tch_compare_settings(x, y, json_setting, b, err);
    tch_json_end_array(b);
    tch_json_key(b, "stages");
    tch_json_begin_array(b);
    for (size_t i = 0; i < c->result.count; i++)
        json_pair(b, &c->result.pairs[i], x->stages.by);
    tch_json_end_array(b);
    json_only(b, "only_a", x, y);
    json_only(b, "only_b", y, x);
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
    return status;
}
