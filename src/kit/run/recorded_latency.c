/* Computes statistics of latencies that programs recorded, and writes them as JSON. */
#include <errno.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/found_file.h"
#include "base/json_write.h"
#include "lib/measure/csv_columns.h"
#include "recorded.h"

enum { KEPT_MOST = 1 << 25 };

/* --- Collecting --- */

static int count_instead(struct tch_latencies *l, tacho_error *err)
{
    if (tacho_histogram_new(&l->histogram, err) < 0)
        return TACHO_ENOMEM;
    tacho_histogram_record_all(l->histogram, l->value, l->count);
    free(l->value);
    l->value = NULL;
    l->room = 0;
    return 0;
}

int tch_latencies_add(struct tch_latencies *l, uint64_t ns, tacho_error *err)
{
    if (l->count == KEPT_MOST && count_instead(l, err) < 0)
        return TACHO_ENOMEM;
    if (l->histogram)
        tacho_histogram_record(l->histogram, ns);
    else if (tch_array_reserve(&l->value, &l->room, l->count + 1) < 0)
        return tch_fail_memory(err);
    else
        l->value[l->count] = ns;
    l->count++;
    return 0;
}

int tch_latencies_stats(const struct tch_latencies *l, tacho_latency_stats *ret, tacho_error *err)
{
    *ret = (tacho_latency_stats)TACHO_LATENCY_STATS_INIT;
    return l->histogram ? tacho_histogram_stats(l->histogram, ret, err)
                        : tacho_latency_stats_of(l->value, l->count, ret, err);
}

double tch_latencies_median(const struct tch_latencies *l, uint64_t p50)
{
    uint64_t next = UINT64_MAX; /* the smallest value above p50 */
    size_t up_to = 0;

    if (l->histogram || l->count % 2 == 1)
        return (double)p50;
    for (size_t i = 0; i < l->count; i++) {
        up_to += l->value[i] <= p50;
        if (l->value[i] > p50 && l->value[i] < next)
            next = l->value[i];
    }
    return up_to > l->count / 2 ? (double)p50 : (double)p50 + (double)(next - p50) / 2;
}

void tch_latencies_release(struct tch_latencies *l)
{
    tacho_histogram_free(l->histogram);
    free(l->value);
    *l = (struct tch_latencies){0};
}

/* --- Latencies of all runs --- */

static int add_row(const tacho_csv_row *row, void *both, tacho_error *err)
{
    struct tch_latencies *l = both;
    int status = tch_latencies_add(&l[0], row->as.latency_ns.wall_ns, err);

    return status < 0 ? status : tch_latencies_add(&l[1], row->as.latency_ns.kernel_ns, err);
}

int tch_latency_summary_read(struct tch_latency_summary *ret, const char *folder, tacho_error *err)
{
    struct tch_latencies l[2] = {0};
    int fd = tch_found_open(folder, "latency-ns.csv", err);
    int status;

    *ret = (struct tch_latency_summary){0};
    if (fd < 0)
        return errno == ENOENT ? 0 : fd;
    status = tch_csv_read_fd(fd, "latency-ns.csv", TACHO_CSV_LATENCY_NS, add_row, l, err);
    if (status == TACHO_EPARSE)
        status = 0;
    if (status == 0)
        status = tch_latencies_stats(&l[0], &ret->wall, err);
    if (status == 0)
        status = tch_latencies_stats(&l[1], &ret->kernel, err);
    ret->wall_p50 = tch_latencies_median(&l[0], ret->wall.p50);
    ret->kernel_p50 = tch_latencies_median(&l[1], ret->kernel.p50);
    ret->exact = !l[0].histogram;
    tch_latencies_release(&l[0]);
    tch_latencies_release(&l[1]);
    return status;
}

/* --- JSON --- */

/* The integers of tacho_latency_stats, in the order of the document. The median is not one of
   them. */
#define FIELD(name)                                \
    {                                              \
#name, offsetof(tacho_latency_stats, name) \
    }
static const struct {
    const char *key;
    size_t at;
} fields[] = {FIELD(n),   FIELD(min),  FIELD(p90), FIELD(p95),
              FIELD(p99), FIELD(p999), FIELD(max), FIELD(mad)};

static uint64_t *field(tacho_latency_stats *s, size_t i)
{
    return (uint64_t *)(void *)((char *)s + fields[i].at);
}

static void write_stats(struct tch_buf *b, const char *key, tacho_latency_stats s, double p50)
{
    tch_json_key(b, key);
    tch_json_begin_object(b);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        tch_json_put_u64(b, fields[i].key, *field(&s, i));
    tch_json_put_f64(b, "p50", p50);
    tch_json_put_f64(b, "mean", s.mean);
    tch_json_put_f64(b, "std", s.std);
    tch_json_end_object(b);
}

void tch_latency_summary_write(struct tch_buf *b, const struct tch_latency_summary *s)
{
    tch_json_begin_object(b);
    tch_json_put_bool(b, "exact", s->exact);
    write_stats(b, "wall_ns", s->wall, s->wall_p50);
    if (s->kernel.max > 0)
        write_stats(b, "kernel_ns", s->kernel, s->kernel_p50);
    tch_json_end_object(b);
}

static void parse_stats(const char *json, size_t len, const char *key, tacho_latency_stats *ret,
                        double *p50)
{
    struct tch_json_value all;
    struct tch_json_value value;

    if (!tch_json_find(json, len, key, &all) || all.type != TCH_JSON_OBJECT)
        return;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (tch_json_find(all.text, all.len, fields[i].key, &value) &&
            value.type == TCH_JSON_NUMBER) {
            struct tch_json_number number = tch_json_to_number(&value);

            *field(ret, i) = number.kind == TCH_JSON_U64 ? number.as.u64 : 0;
        }
    if (tch_json_find(all.text, all.len, "p50", &value) && value.type == TCH_JSON_NUMBER)
        *p50 = tch_json_to_f64(&value);
    if (tch_json_find(all.text, all.len, "mean", &value) && value.type == TCH_JSON_NUMBER)
        ret->mean = tch_json_to_f64(&value);
    if (tch_json_find(all.text, all.len, "std", &value) && value.type == TCH_JSON_NUMBER)
        ret->std = tch_json_to_f64(&value);
}

void tch_latency_summary_parse(struct tch_latency_summary *ret, const char *json, size_t len)
{
    struct tch_json_value value;

    *ret = (struct tch_latency_summary){0};
    if (!json)
        return;
    ret->exact = tch_json_find(json, len, "exact", &value) && value.type == TCH_JSON_TRUE;
    parse_stats(json, len, "wall_ns", &ret->wall, &ret->wall_p50);
    parse_stats(json, len, "kernel_ns", &ret->kernel, &ret->kernel_p50);
}
