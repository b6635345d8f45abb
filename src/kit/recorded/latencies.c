/* Collects latencies and computes their statistics. */
#include "latencies.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"

enum { KEPT_MOST = 1 << 25 };

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

int tch_latencies_add_all(struct tch_latencies *to, const struct tch_latencies *from,
                          tacho_error *err)
{
    if (from->histogram && !to->histogram && count_instead(to, err) < 0)
        return TACHO_ENOMEM;
    if (from->histogram) {
        tacho_histogram_merge(to->histogram, from->histogram);
        to->count += from->count;
        return 0;
    }
    for (size_t i = 0; i < from->count; i++)
        if (tch_latencies_add(to, from->value[i], err) < 0)
            return TACHO_ENOMEM;
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
