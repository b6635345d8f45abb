/* Writes the document tacho.stats.v1. */
#include "stats_json.h"

#include "base/json_write.h"
#include "session.h"

const char *const tch_stats_definitions[] = {"tacho", "reference", NULL};

static void put_bins(struct tch_buf *b, const struct tch_stats_report *r)
{
    tch_json_key(b, "histogram");
    tch_json_begin_array(b);
    for (int i = 0; i < TCH_STATS_BINS; i++) {
        tch_json_begin_object(b);
        tch_json_put_f64(b, "low", r->edges[i]);
        tch_json_put_f64(b, "high", i + 1 == TCH_STATS_BINS ? r->stream.max : r->edges[i + 1]);
        tch_json_put_u64(b, "count", r->below[i + 1] - r->below[i]);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}

static void put_text(struct tch_buf *b, const char *key, const char *text)
{
    tch_json_key(b, key);
    if (text && text[0])
        tch_json_text(b, text);
    else
        tch_json_null(b);
}

void tch_stats_json(struct tch_buf *b, const struct tch_stats_report *r)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.stats.v1");
    put_text(b, "file", r->file);
    put_text(b, "column", r->found.column);
    put_text(b, "unit", r->unit);
    tch_json_put_u64(b, "n", r->stream.n);
    tch_json_put_u64(b, "skipped", r->found.skipped);
    if (r->interval_ns > 0) {
        tch_json_put_u64(b, "expected_interval_ns", r->interval_ns);
        tch_json_put_u64(b, "added", r->added);
    }
    tch_json_put_text(b, "definition", tch_stats_definitions[r->definition]);
    tch_json_put_bool(b, "exact", tch_stream_exact(&r->stream));
    tch_json_put_f64(b, "relative_error", r->relative);
    tch_json_put_f64(b, "absolute_error", r->coarse);
    tch_json_put_f64(b, "min", r->stream.min);
    tch_json_put_f64(b, "max", r->stream.max);
    tch_json_put_f64(b, "mean", tch_stream_mean(&r->stream));
    tch_json_put_f64(b, "stddev", r->sd);
    tch_json_put_f64(b, "stddev_error", r->sd_error);
    tch_json_put_f64(b, "mad", r->mad);
    tch_json_put_f64(b, "mad_error", r->mad_error);
    tch_json_put_f64(b, "effective", (double)r->stream.n / tch_session_inflation(r->rho));
    put_text(b, "assumes", r->assumes);
    tch_json_key(b, "percentiles");
    tch_json_begin_array(b);
    for (size_t i = 0; i < r->count; i++) {
        const struct tch_percentile *p = &r->percentiles[i];

        tch_json_begin_object(b);
        put_text(b, "percentile", p->text);
        tch_json_put_f64(b, "value", p->value);
        tch_json_put_f64(b, "low95", p->low);
        tch_json_put_f64(b, "high95", p->high);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
    put_bins(b, r);
    tch_json_end_object(b);
    tch_json_line_end(b);
}
