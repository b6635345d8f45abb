/* Baselines in memory. baseline_file.c reads and writes their files. */
#include "baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "base/secret.h"
#include "findings.h"
#include "kit/stats/order_stats.h"

int tch_baseline_init(struct tch_baseline *b, const char *bench, const char *machine_class,
                      tacho_error *err)
{
    *b = (struct tch_baseline){
        .bench = strdup(bench), .machine_class = strdup(machine_class), .reference = strdup("")};
    return b->bench && b->machine_class && b->reference ? 0 : tch_fail_memory(err);
}

static void release_occasion(struct tch_occasion *o)
{
    for (size_t i = 0; i < o->count; i++) {
        free(o->kept[i].name);
        free(o->kept[i].value);
    }
    free(o->kept);
    free(o->id);
    free(o->at);
    free(o->commit);
    free(o->command);
    free(o->settings);
    free(o->environment);
    free(o->counts);
}

void tch_baseline_release(struct tch_baseline *b)
{
    for (size_t i = 0; i < b->count; i++)
        release_occasion(&b->occasions[i]);
    free(b->occasions);
    free(b->bench);
    free(b->machine_class);
    free(b->reference);
    *b = (struct tch_baseline){0};
}

const struct tch_occasion *tch_baseline_find(const struct tch_baseline *b, const char *id)
{
    if (b->count > 0 && strcmp(id, "latest") == 0)
        return &b->occasions[b->count - 1];
    if (strcmp(id, "reference") == 0)
        id = b->reference;
    for (size_t i = b->count; i-- > 0 && id[0];)
        if (strncmp(b->occasions[i].id, id, strlen(id)) == 0)
            return &b->occasions[i];
    return NULL;
}

int tch_baseline_promote(struct tch_baseline *b, const struct tch_occasion *occasion,
                         tacho_error *err)
{
    return tch_findings_set(&b->reference, occasion->id, err);
}

void tch_kept_name(char *out, size_t size, const char *name, double quantile)
{
    char room[TCH_STATISTIC_TEXT];

    if (quantile == 0.5)
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "%s:%s", name, tch_statistic_name(quantile, room));
}

const struct tch_kept *tch_occasion_values(const struct tch_occasion *o, const char *name,
                                           double quantile)
{
    char full[TCH_METRIC_TEXT + 16];

    tch_kept_name(full, sizeof full, name, quantile);
    for (size_t i = 0; i < o->count; i++)
        if (strcmp(o->kept[i].name, full) == 0)
            return o->kept[i].count > 0 ? &o->kept[i] : NULL;
    return NULL;
}

void tch_occasion_commit(const struct tch_occasion *o, char *out, size_t size)
{
    snprintf(out, size, "%.12s%s", o->commit, o->dirty ? "-dirty" : "");
}

/* --- Spread --- */

double tch_kept_median(const struct tch_kept *kept)
{
    double *room = malloc((kept->count + 1) * sizeof *room);
    double median = NAN;

    if (room && kept->count > 0) {
        memcpy(room, kept->value, kept->count * sizeof *room);
        median = tch_median(room, kept->count);
    }
    free(room);
    return median;
}

int64_t tch_occasion_time(const char *at)
{
    struct tm t = {0};
    const char *end = strptime(at, "%Y-%m-%dT%H:%M:%SZ", &t);

    return end && !*end ? (int64_t)timegm(&t) : -1;
}

int64_t tch_occasion_age(const struct tch_occasion *o)
{
    return (int64_t)time(NULL) - tch_occasion_time(o->at);
}

/* Returns whether a save begins an occasion. Saves of one day share the state of the machine, so
   they say little about how much days differ. first: the first save of the occasion before. A time
   that is not known begins none. */
static bool begins_occasion(int64_t first, int64_t at)
{
    return at >= 0 && (first < 0 || at - first >= TCH_OCCASION_SECONDS);
}

size_t tch_baseline_levels(const struct tch_baseline *b, const char *name, double quantile,
                           struct tch_level *out)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct tch_kept *kept = tch_occasion_values(&b->occasions[i], name, quantile);
        double median = kept ? tch_kept_median(kept) : NAN;

        out[i] = (struct tch_level){.at = tch_occasion_time(b->occasions[i].at),
                                    .log_median = median > 0 ? log(median) : NAN};
    }
    return b->count;
}

size_t tch_baseline_occasions(const struct tch_baseline *b)
{
    size_t count = 0;
    int64_t first = -1;

    for (size_t i = 0; i < b->count; i++) {
        int64_t at = tch_occasion_time(b->occasions[i].at);

        if (begins_occasion(first, at)) {
            first = at;
            count++;
        }
    }
    return count;
}

/* Moves the first known level of each occasion to the start of the array. Returns how many
   occasions have a level. One save represents an occasion, because the gate compares two single
   sessions; a mean of several saves would vary less. */
static size_t first_levels(struct tch_level *levels, size_t count)
{
    int64_t first = -1;
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        const struct tch_level level = levels[i];

        if (isnan(level.log_median) || !begins_occasion(first, level.at))
            continue;
        first = level.at;
        levels[known++] = level;
    }
    return known;
}

double tch_levels_spread(struct tch_level *levels, size_t count, double assumed, size_t *occasions)
{
    size_t known = first_levels(levels, count);
    double *steps = calloc(known + 1, sizeof *steps);
    double steps_count =
        steps && known > 0 ? (double)known - 1 : 0; /* out of memory: use the assumed spread */
    double seen = 0;
    double safe;

    for (size_t i = 1; steps && i < known; i++)
        steps[i - 1] = fabs(levels[i].log_median - levels[i - 1].log_median);
    if (steps && known > 1)
        seen = 1.4826 *
               tch_median(steps,
                          known - 1); /* the standard deviation of a step if steps were normal */
    free(steps);
    if (occasions)
        *occasions = known;
    /* Sessions that differ by more than is assumed: the assumption must not lower what was seen.
       Few steps may be small by chance, which the second term allows for. */
    safe = steps_count > 1 ? seen * (1 + 2 / (steps_count * steps_count)) : 0;
    return safe > assumed
               ? safe
               : sqrt((2 * assumed * assumed + steps_count * seen * seen) / (steps_count + 2));
}

double tch_baseline_spread(const struct tch_baseline *b, const char *name, double quantile,
                           double assumed)
{
    struct tch_level *levels = calloc(b->count + 1, sizeof *levels);
    size_t count = levels ? tch_baseline_levels(b, name, quantile, levels) : 0;
    double spread = tch_levels_spread(levels, count, assumed, NULL);

    free(levels);
    return spread;
}

/* --- A new occasion --- */

/* Keeps evenly spaced runs in their original order, because the verdict depends on how neighbouring
   runs correlate. */
static size_t keep_some(double *value, size_t count)
{
    size_t kept = count < TCH_BASELINE_VALUES ? count : TCH_BASELINE_VALUES;

    for (size_t i = 0; i < kept; i++)
        value[i] = value[i * count / kept];
    return kept;
}

static int keep_values(struct tch_occasion *o, const struct tch_result *r,
                       const struct tch_metric *q, double quantile, tacho_error *err)
{
    char name[TCH_METRIC_TEXT + 16];
    struct tch_series s = {0};
    int status;

    if (o->count == TCH_BASELINE_KEPT) /* a larger file could not be read back */
        return tch_fail(err, TACHO_ELIMIT, 0,
                        "the run has more than the %d metrics that a baseline holds",
                        TCH_BASELINE_KEPT);
    if (tch_array_extend(&o->kept, o->count) < 0)
        return tch_fail_memory(err);
    status = tch_series_of(r, q, quantile, &s, err);
    if (status == 0 && s.count > 0) {
        tch_kept_name(name, sizeof name, q->name, quantile);
        o->kept[o->count] = (struct tch_kept){
            .name = strdup(name), .value = s.value, .count = keep_some(s.value, s.count)};
        s.value = NULL; /* the occasion owns it now */
        status = o->kept[o->count++].name ? 0 : tch_fail_memory(err);
    }
    tch_series_release(&s);
    return status;
}

static int keep_all(struct tch_occasion *o, const struct tch_result *r, tacho_error *err)
{
    struct tch_metric q;
    size_t at = 0;
    int status = 0;

    while (status == 0 && tch_result_next_metric(r, &at, &q)) {
        status = keep_values(o, r, &q, 0.5, err);
        if (status == 0 && q.several)
            status = keep_values(o, r, &q, 0.95, err);
        if (status == 0 && q.several)
            status = keep_values(o, r, &q, 0.99, err);
    }
    return status;
}

/* Keeps the counts: whether each is exact, what it depends on, and its parts. */
static int keep_counts(struct tch_occasion *o, const struct tch_result *r, tacho_error *err)
{
    struct tch_buf b;
    bool any = false;

    for (int i = 0; i < TCH_COUNTS; i++)
        any |= r->counts.of[i].values.n > 0;
    if (!any)
        return 0;
    tch_buf_init(&b, TCH_BASELINE_MAX);
    tch_counts_write(&b, &r->counts);
    o->counts = tch_buf_take(&b);
    return o->counts ? 0 : tch_fail_memory(err);
}

int tch_baseline_check_command(const struct tch_baseline *b, const char *line,
                               const char *const *keep_env, tacho_error *err)
{
    const struct tch_occasion *reference = tch_baseline_find(b, "reference");
    size_t from = 0; /* start of the shown part: a little before the difference */
    char *masked;
    int status = 0;

    if (!reference || strcmp(reference->command, line) == 0)
        return 0;
    masked = tch_secret_masked_line(reference->command, keep_env); /* an old file may not be */
    if (!masked)
        return tch_fail_memory(err);
    while (masked[from] && masked[from] == line[from])
        from++;
    from = from > 20 ? from - 20 : 0;
    if (strcmp(masked, line) != 0)
        status =
            tch_fail(err, TACHO_EINVAL, 0, "it was measured with '%s%.40s', the bench is '%s%.40s'",
                     from > 0 ? "..." : "", masked + from, from > 0 ? "..." : "", line + from);
    free(masked);
    return status;
}

int tch_baseline_add(struct tch_baseline *b, const struct tch_result *r, size_t keep,
                     tacho_error *err)
{
    struct tch_occasion *o;
    struct tch_buf settings;
    int status;

    if (tch_occasion_time(r->started_at) < 0)
        return tch_fail(err, TACHO_EPARSE, 0, "the run says '%s' for the time when it started",
                        r->started_at);
    if (tch_array_extend(&b->occasions, b->count) < 0)
        return tch_fail_memory(err);
    o = &b->occasions[b->count++];
    *o = (struct tch_occasion){0};
    tch_buf_init(&settings, TCH_BASELINE_MAX);
    status = tch_result_settings(r, &settings, err);
    if (status < 0) {
        tch_buf_release(&settings);
        return status;
    }
    *o = (struct tch_occasion){.id = strdup(r->id),
                               .at = strdup(r->started_at),
                               .commit = strdup(r->commit),
                               .dirty = r->vcs.dirty == 1,
                               .command = strdup(r->command.line),
                               .settings = tch_buf_take(&settings),
                               .environment = strdup(r->environment ? r->environment : "null")};
    if (!o->id || !o->at || !o->commit || !o->command || !o->settings || !o->environment)
        return tch_fail_memory(err);
    status = keep_counts(o, r, err);
    if (status == 0)
        status = keep_all(o, r, err);
    if (status == 0 && !tch_baseline_find(b, "reference"))
        status = tch_baseline_promote(b, o, err);
    while (status == 0 && b->count > keep) {
        size_t oldest = strcmp(b->occasions[0].id, b->reference) == 0 && b->count > 1 ? 1 : 0;

        release_occasion(&b->occasions[oldest]);
        b->count--;
        memmove(&b->occasions[oldest], &b->occasions[oldest + 1],
                (b->count - oldest) * sizeof b->occasions[0]);
    }
    return status;
}
