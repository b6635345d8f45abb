/* Writes the document tacho.watch.v1. */
#include <math.h>

#include "base/json_write.h"
#include "process_watch.h"

/* Writes a memory size, or null for 0: a running process always has memory, so 0 means that it was
   never seen running. */
static void put_known(struct tch_buf *b, const char *key, uint64_t value)
{
    tch_json_key(b, key);
    if (value > 0)
        tch_json_u64(b, value);
    else
        tch_json_null(b);
}

static void put_power(struct tch_buf *b, const tacho_power_report *p)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "source", p->name);
    tch_json_put_text(b, "domain", p->domain[0] ? p->domain : NULL);
    tch_json_put_text(b, "status", tacho_power_status(p));
    tch_json_put_u64(b, "update_us", p->update_us);
    tch_json_put_u64(b, "counted_by", p->counted_by);
    tch_json_put_f64(b, "joules", p->joules);
    tch_json_put_f64(b, "mean_watts", p->mean_watts);
    tch_json_put_f64(b, "peak_watts", p->peak_watts);
    tch_json_put_u64(b, "samples", p->samples);
    tch_json_put_u64(b, "dropped", p->dropped);
    tch_json_put_bool(b, "estimated", p->estimated);
    tch_json_end_object(b);
}

void tch_watch_json(struct tch_buf *b, const struct tch_watch_report *r, pid_t pid,
                    const int *wait_status, const char *no_power)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.watch.v1");
    tch_json_put_u64(b, "pid", (uint64_t)pid);
    tch_json_put_f64(b, "seconds", r->seconds);
    tch_json_put_u64(b, "polls", r->looks);
    tch_json_put_u64(b, "failed_polls", r->missed);
    tch_json_put_u64(b, "max_processes", r->most_processes);
    put_known(b, "peak_rss_bytes", r->peak_rss_bytes);
    put_known(b, "peak_rss_upper_bound_bytes", r->peak_at_most);
    put_known(b, "mean_rss_bytes", r->mean_rss_bytes);
    tch_json_put_u64(b, "swap_bytes", r->swap_bytes);
    tch_json_put_u64(b, "minor_faults", r->minor_faults);
    tch_json_put_u64(b, "major_faults", r->major_faults);
    tch_json_put_u64(b, "cpu_ns", r->cpu_ns);
    tch_json_key(b, "wait_status");
    if (wait_status)
        tch_json_i64(b, *wait_status);
    else
        tch_json_null(b);
    tch_json_key(b, "power");
    tch_json_begin_array(b);
    for (size_t i = 0; i < r->sources; i++)
        put_power(b, &r->power[i]);
    tch_json_end_array(b);
    tch_json_put_f64(b, "joules", r->joules);
    tch_json_put_f64(b, "tree_joules", r->tree_joules);
    tch_json_put_text(b, "tree_status", isnan(r->tree_joules) ? "unavailable" : "estimated");
    tch_json_put_bool(b, "too_short", tch_power_too_short(&r->origin, r->seconds));
    tch_json_key(b, "energy");
    tch_json_fields_write(b, tch_power_origin_fields, &r->origin);
    tch_json_put_text(b, "power_unavailable", no_power);
    tch_json_end_object(b);
    tch_json_line_end(b);
}
