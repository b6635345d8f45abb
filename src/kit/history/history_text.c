/* Describes shifts for people, and writes a series as JSON. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "history.h"

enum { SHORT_HASH = 9 };

static void add_change(struct tch_buf *b, const struct tch_history *h, double change)
{
    if (h->ratios) {
        tch_buf_addf(b, "%+.1f %%", 100 * expm1(change));
        return;
    }
    tch_buf_adds(b, change < 0 ? "-" : "+");
    tch_add_value(b, h->series->metric.unit, fabs(change) * h->series->metric.scale);
}

void tch_history_add_size(struct tch_buf *b, const struct tch_history *h, const struct tch_shift *s)
{
    add_change(b, h, s->change);
    if (s->low < s->high) {
        tch_buf_adds(b, " [");
        add_change(b, h, s->low);
        tch_buf_adds(b, " .. ");
        add_change(b, h, s->high);
        tch_buf_adds(b, "]");
    }
}

void tch_history_add_place(struct tch_buf *b, const struct tch_history *h,
                           const struct tch_shift *s)
{
    const struct tch_store_point *before = &h->points.items[s->first - 1];
    const struct tch_store_point *after = &h->points.items[s->last];
    char time[TCH_TIME_TEXT];

    if (h->by_commit) {
        tch_buf_addf(b, "%.*s..%.*s", SHORT_HASH, before->commit, SHORT_HASH, after->commit);
        return;
    }
    tch_utc_text(time, (uint64_t)after->started_ns);
    tch_buf_adds(b, time);
}

static void write_point(struct tch_buf *b, const struct tch_history *h,
                        const struct tch_commit_order *order, const struct tch_store_point *p)
{
    double scale = h->series->metric.scale;
    char time[TCH_TIME_TEXT];

    tch_json_begin_object(b);
    tch_utc_text(time, (uint64_t)p->started_ns);
    tch_json_put_text(b, "at", time);
    if (*p->commit) {
        tch_json_put_text(b, "commit", p->commit);
        tch_json_put_text(b, "subject", tch_commit_subject(order, p->commit));
    }
    tch_json_put_u64(b, "n", (uint64_t)p->n);
    tch_json_put_f64(b, "median", p->median * scale);
    tch_json_put_f64(b, "low", p->low * scale);
    tch_json_put_f64(b, "high", p->high * scale);
    tch_json_end_object(b);
}

/* Ratios are written as such, differences in the unit of the metric. */
static double change_value(const struct tch_history *h, double change)
{
    return h->ratios ? exp(change) : change * h->series->metric.scale;
}

static double level_value(const struct tch_history *h, double level)
{
    return (h->ratios ? exp(level) : level) * h->series->metric.scale;
}

static void write_shift(struct tch_buf *b, const struct tch_history *h, const struct tch_shift *s)
{
    struct tch_history_cause cause = tch_history_cause(h, s);
    static const char *const directions[] = {"better", "unknown", "worse"};

    tch_json_begin_object(b);
    tch_json_put_u64(b, "point", s->at);
    tch_json_put_u64(b, "first_point", s->first);
    tch_json_put_u64(b, "last_point", s->last);
    if (h->by_commit) {
        tch_json_put_text(b, "after_commit", h->points.items[s->first - 1].commit);
        tch_json_put_text(b, "commit", h->points.items[s->at].commit);
        tch_json_put_text(b, "until_commit", h->points.items[s->last].commit);
    }
    tch_json_put_f64(b, "before", level_value(h, s->before));
    tch_json_put_f64(b, "after", level_value(h, s->after));
    tch_json_put_text(b, "change_is", h->ratios ? "ratio" : "difference");
    tch_json_put_f64(b, "change", change_value(h, s->change));
    tch_json_put_f64(b, "low", change_value(h, s->low));
    tch_json_put_f64(b, "high", change_value(h, s->high));
    tch_json_put_f64(b, "p", s->p);
    tch_json_put_text(b, "direction", directions[1 + tch_history_direction(h, s)]);
    tch_json_put_bool(b, "environment_changed", cause.environment);
    tch_json_put_bool(b, "same_program", cause.same_program);
    tch_json_end_object(b);
}

void tch_history_write(struct tch_buf *b, const struct tch_history *h,
                       const struct tch_commit_order *order, bool points)
{
    static const char *const units[] = {"ns", "bytes", "count", "joules", "plain", "per second"};
    static const char *const betters[] = {"unknown", "lower", "higher"};

    tch_json_begin_object(b);
    tch_json_put_text(b, "bench", h->series->bench);
    tch_json_put_text(b, "metric", h->series->metric.name);
    tch_json_put_text(b, "title", h->series->metric.title);
    tch_json_put_text(b, "unit", units[h->series->metric.unit]);
    tch_json_put_text(b, "better", betters[h->series->metric.better]);
    tch_json_put_bool(b, "exact", h->series->metric.exact);
    tch_json_put_text(b, "machine_class", h->series->machine_class);
    tch_json_put_text(b, "settings", h->series->settings);
    tch_json_put_text(b, "order", h->by_commit ? "commits" : "time");
    tch_json_put_u64(b, "points_used", h->points.count);
    tch_json_put_u64(b, "points_off_branch", h->off_branch);
    tch_json_put_u64(b, "points_dirty", h->dirty);
    tch_json_put_f64(b, "correlation", h->shifts.rho);
    tch_json_put_bool(b, "drift", h->shifts.drift);
    tch_json_key(b, "shifts");
    tch_json_begin_array(b);
    for (size_t i = 0; i < h->shifts.count; i++)
        write_shift(b, h, &h->shifts.items[i]);
    tch_json_end_array(b);
    if (points) {
        tch_json_key(b, "points");
        tch_json_begin_array(b);
        for (size_t i = 0; i < h->points.count; i++)
            write_point(b, h, order, &h->points.items[i]);
        tch_json_end_array(b);
    }
    tch_json_end_object(b);
}
