/* Prints medians, quartiles, and ratios within a round, as text and as one line of JSON. */
#include "report.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/json_write.h"

enum { REPORT_MAX = 1 << 20 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    size_t above = below + 1 < count ? below + 1 : below;

    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

struct bench_spread bench_spread(const double *values, size_t count, double *scratch)
{
    memcpy(scratch, values, count * sizeof values[0]);
    qsort(scratch, count, sizeof scratch[0], by_size);
    return (struct bench_spread){
        .q1 = quantile(scratch, count, 0.25),
        .median = quantile(scratch, count, 0.5),
        .q3 = quantile(scratch, count, 0.75),
    };
}

/* Returns the CPU time of contender a divided by that of contender b. scratch has room for 2
   rounds. */
static struct bench_spread ratio(const struct bench_result *r, size_t a, size_t b, double *scratch)
{
    double *ratios = scratch + r->rounds;

    for (size_t i = 0; i < r->rounds; i++)
        ratios[i] = r->times[a].cpu[i] / r->times[b].cpu[i];
    return bench_spread(ratios, r->rounds, scratch);
}

static bool ran(const struct bench_result *r, size_t i)
{
    return r->times[i].cpu != NULL;
}

/* Returns the first floor; the number of contenders when there is none. */
static size_t find_floor(const struct bench_result *r)
{
    size_t i = 0;

    while (i < r->of->contender_count && (r->of->contenders[i].role != BENCH_FLOOR || !ran(r, i)))
        i++;
    return i;
}

/* Returns whether the ratio of ours to the peer can be printed: both ran. */
static bool is_pair(const struct bench_result *r, size_t ours, size_t peer)
{
    return r->of->contenders[ours].role == BENCH_OURS &&
           r->of->contenders[peer].role == BENCH_PEER && ran(r, ours) && ran(r, peer);
}

static const struct bench_target *find_target(const struct bench_case *c, size_t ours, size_t peer)
{
    for (size_t i = 0; i < c->target_count; i++)
        if (strcmp(c->targets[i].ours, c->contenders[ours].name) == 0 &&
            strcmp(c->targets[i].peer, c->contenders[peer].name) == 0)
            return &c->targets[i];
    return NULL;
}

static void text_row(const struct bench_result *r, size_t i, int width, double *scratch)
{
    const struct bench_case *c = r->of;
    const struct bench_contender *contender = &c->contenders[i];
    size_t floor = find_floor(r);
    struct bench_spread cpu, wall;
    char quartiles[48];

    if (!ran(r, i)) {
        printf("  %-*s  %s\n", width, contender->name, contender->missing);
        return;
    }
    cpu = bench_spread(r->times[i].cpu, r->rounds, scratch);
    wall = bench_spread(r->times[i].wall, r->rounds, scratch);
    snprintf(quartiles, sizeof quartiles, "%.2f to %.2f", cpu.q1 * 1e3, cpu.q3 * 1e3);
    printf("  %-*s  %8.1f  %9.2f  %9.2f  %-19s  %9.2f", width, contender->name,
           (double)c->bytes / cpu.median / 1e6, cpu.median / (double)c->operations * 1e9,
           cpu.median * 1e3, quartiles, wall.median * 1e3);
    if (floor < c->contender_count)
        printf("  %7.2f", ratio(r, i, floor, scratch).median);
    putchar('\n');
}

static void text_ratio(const struct bench_result *r, size_t ours, size_t peer, double *scratch)
{
    const struct bench_case *c = r->of;
    const struct bench_target *target = find_target(c, ours, peer);
    struct bench_spread times = ratio(r, peer, ours, scratch);

    printf("  %s is %.2f times as fast as %s (%.2f to %.2f)", c->contenders[ours].name,
           times.median, c->contenders[peer].name, times.q1, times.q3);
    if (target)
        printf("; target %g: %s", target->times, bench_met(times.median >= target->times));
    putchar('\n');
}

static void text_ratios(const struct bench_result *r, double *scratch)
{
    const struct bench_case *c = r->of;

    for (size_t i = 0; i < c->contender_count; i++)
        for (size_t j = 0; j < c->contender_count; j++) {
            const struct bench_target *target = find_target(c, i, j);

            if (is_pair(r, i, j))
                text_ratio(r, i, j, scratch);
            else if (target)
                printf("  %s against %s: target %g: cannot tell\n", target->ours, target->peer,
                       target->times);
        }
}

/* Returns whether the contender has a target relative to a floor that ran. */
static bool limited_by_floor(const struct bench_result *r, size_t i)
{
    return r->of->contenders[i].most_floors > 0 && ran(r, i) &&
           find_floor(r) < r->of->contender_count;
}

static void text_limits(const struct bench_result *r, double *scratch)
{
    const struct bench_case *c = r->of;

    for (size_t i = 0; i < c->contender_count; i++) {
        const struct bench_contender *contender = &c->contenders[i];
        struct bench_spread s;

        if (limited_by_floor(r, i)) {
            s = ratio(r, i, find_floor(r), scratch);
            printf("  %s takes %.2f times the floor (%.2f to %.2f); target at most %g: %s\n",
                   contender->name, s.median, s.q1, s.q3, contender->most_floors,
                   bench_met(s.median <= contender->most_floors));
        }
    }
}

int bench_report_text(const struct bench_result *r)
{
    const struct bench_case *c = r->of;
    double *scratch = calloc(2 * r->rounds, sizeof scratch[0]);
    int width = (int)strlen("contender");
    char per[32];

    if (!scratch)
        return -1;
    for (size_t i = 0; i < c->contender_count; i++)
        if ((int)strlen(c->contenders[i].name) > width)
            width = (int)strlen(c->contenders[i].name);
    snprintf(per, sizeof per, "ns/%s", c->operation);
    printf("%s\n%.1f MB, %" PRIu64 " %ss a run; rounds: %zu, interleaved; medians\n\n", c->name,
           (double)c->bytes / 1e6, c->operations, c->operation, r->rounds);
    printf("  %-*s  %8s  %9s  %9s  %-19s  %9s  %7s\n", width, "contender", "MB/s", per, "CPU ms",
           "quartiles", "wall ms", "x floor");
    for (size_t i = 0; i < c->contender_count; i++)
        text_row(r, i, width, scratch);
    putchar('\n');
    text_ratios(r, scratch);
    text_limits(r, scratch);
    putchar('\n');
    free(scratch);
    return fflush(stdout) == 0 ? 0 : -1;
}

static void json_seconds(struct tch_buf *b, const char *key, const double *values, size_t count)
{
    tch_json_key(b, key);
    tch_json_begin_array(b);
    for (size_t i = 0; i < count; i++)
        tch_json_f64(b, values[i]);
    tch_json_end_array(b);
}

static void json_contender(struct tch_buf *b, const struct bench_result *r, size_t i,
                           double *scratch)
{
    static const char *const roles[] = {
        [BENCH_FLOOR] = "floor", [BENCH_OURS] = "ours", [BENCH_PEER] = "peer"};
    const struct bench_contender *contender = &r->of->contenders[i];

    tch_json_begin_object(b);
    tch_json_put_text(b, "name", contender->name);
    tch_json_put_text(b, "role", roles[contender->role]);
    if (!ran(r, i)) {
        tch_json_put_text(b, "missing", contender->missing);
    } else {
        json_seconds(b, "cpu_s", r->times[i].cpu, r->rounds);
        json_seconds(b, "wall_s", r->times[i].wall, r->rounds);
        if (limited_by_floor(r, i)) {
            tch_json_put_f64(b, "most_floors", contender->most_floors);
            tch_json_put_bool(b, "met_floors",
                              ratio(r, i, find_floor(r), scratch).median <= contender->most_floors);
        }
    }
    tch_json_end_object(b);
}

static void json_ratio(struct tch_buf *b, const struct bench_result *r, size_t ours, size_t peer,
                       double *scratch)
{
    const struct bench_target *target = find_target(r->of, ours, peer);
    struct bench_spread times = ratio(r, peer, ours, scratch);

    tch_json_begin_object(b);
    tch_json_put_text(b, "ours", r->of->contenders[ours].name);
    tch_json_put_text(b, "peer", r->of->contenders[peer].name);
    tch_json_put_f64(b, "times_as_fast", times.median);
    tch_json_put_f64(b, "q1", times.q1);
    tch_json_put_f64(b, "q3", times.q3);
    if (target) {
        tch_json_put_f64(b, "target", target->times);
        tch_json_put_bool(b, "met", times.median >= target->times);
    }
    tch_json_end_object(b);
}

int bench_report_json(const struct bench_result *r)
{
    const struct bench_case *c = r->of;
    double *scratch = calloc(2 * r->rounds, sizeof scratch[0]);
    struct tch_buf b;
    int status = -1;

    if (!scratch)
        return -1;
    tch_buf_init(&b, REPORT_MAX);
    tch_json_begin_object(&b);
    tch_json_put_text(&b, "schema", "tacho.bench.v1");
    tch_json_put_text(&b, "name", c->name);
    tch_json_put_u64(&b, "bytes", c->bytes);
    tch_json_put_u64(&b, "operations", c->operations);
    tch_json_put_text(&b, "operation", c->operation);
    tch_json_key(&b, "contenders");
    tch_json_begin_array(&b);
    for (size_t i = 0; i < c->contender_count; i++)
        json_contender(&b, r, i, scratch);
    tch_json_end_array(&b);
    tch_json_key(&b, "ratios");
    tch_json_begin_array(&b);
    for (size_t i = 0; i < c->contender_count; i++)
        for (size_t j = 0; j < c->contender_count; j++)
            if (is_pair(r, i, j))
                json_ratio(&b, r, i, j, scratch);
    tch_json_end_array(&b);
    tch_json_end_object(&b);
    tch_json_line_end(&b);
    if (!b.failed && fwrite(b.data, 1, b.len, stdout) == b.len && fflush(stdout) == 0)
        status = 0;
    tch_buf_release(&b);
    free(scratch);
    return status;
}
