/* Adds stages of profile events as rows, event by event. kit/result/series.c collects one value per
   run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "kit/event/event_scan.h"
#include "kit/event/event_stages.h"
#include "kit/event/event_stages_sum.h"
#include "kit/file/found_file.h"
#include "kit/stats/session.h"
#include "run_compare.h"

/* Reads the stages of a folder. Returns 0 if there is no such file. */
static int read_stages(struct tch_stages *stages, const char *folder, tacho_error *err)
{
    void *worker = stages;
    const struct tch_scan scan = {.threads = 1, .workers = &worker, .event = tch_stages_add};
    struct tch_scan_counts counts;
    int fd = tch_found_open(folder, "profile.jsonl", err);
    int status;

    if (fd < 0)
        return errno == ENOENT ? 0 : fd;
    status = tch_scan_fd(fd, "profile.jsonl", &scan, &counts, err);
    close(fd);
    return status;
}

static int series_of(const struct tch_stage *stage, struct tch_series *ret, tacho_error *err)
{
    *ret = (struct tch_series){.value = malloc((stage->value_count + 1) * sizeof *ret->value),
                               .count = stage->value_count};
    if (!ret->value)
        return tch_fail_memory(err);
    for (size_t i = 0; i < stage->value_count; i++)
        ret->value[i] = stage->values[i] * (stage->is_count ? 1 : 1e3);
    return 0;
}

static int add_stage(struct tch_findings *f, const char *bench, size_t from,
                     const struct tch_stage_group *group, const struct tch_stage *a,
                     const struct tch_stage *b, tacho_error *err)
{
    struct tch_about about = {
        .bench = bench, .budget = tch_budget_default, .spread = TCH_SESSION_SPREAD};
    struct tch_metric *q = &about.metric;
    struct tch_series x = {0};
    struct tch_series y = {0};
    int status;

    q->unit = a->is_count ? TCH_COUNT : TCH_NS;
    snprintf(q->name, sizeof q->name, "stage:%.*s.%.*s", (int)group->event_len, group->event,
             (int)a->name_len, a->name);
    snprintf(q->title, sizeof q->title, "events %.*s.%.*s", (int)group->event_len, group->event,
             (int)a->name_len, a->name);
    if (tch_findings_has(f, from, q->name))
        return 0;
    status = series_of(a, &x, err);
    if (status == 0)
        status = series_of(b, &y, err);
    if (status == 0)
        status = tch_findings_add(f, &about, &x, &y, err);
    tch_series_release(&x);
    tch_series_release(&y);
    return status;
}

static int add_groups(struct tch_findings *f, const char *bench, size_t from, struct tch_stages *a,
                      struct tch_stages *b, tacho_error *err)
{
    int status = 0;

    tch_stages_sort(b);
    for (size_t i = 0; i < b->count; i++) {
        const struct tch_stage_group *group = &b->groups[i];
        const struct tch_stage_group *before = tch_stages_find(a, group);

        for (size_t k = 0; before && k < group->count && status == 0; k++) {
            const struct tch_stage *stage = tch_stage_find(before, &group->stages[k]);

            if (stage)
                status = add_stage(f, bench, from, group, stage, &group->stages[k], err);
        }
    }
    return status;
}

int tch_compare_events(struct tch_findings *f, const char *bench, size_t from, const char *a,
                       const char *b, tacho_error *err)
{
    struct tch_stages x;
    struct tch_stages y;
    size_t before = f->count;
    int status;

    tch_stages_init(&x, NULL, NULL);
    tch_stages_init(&y, NULL, NULL);
    status = read_stages(&x, a, err);
    if (status == 0)
        status = read_stages(&y, b, err);
    if (status == 0)
        status = add_groups(f, bench, from, &x, &y, err);
    if (status == 0 && f->count > before)
        tch_findings_note(f,
                          "which run recorded these events is not known: they are compared event "
                          "by event, by their medians, and not judged");
    tch_stages_release(&x);
    tch_stages_release(&y);
    return status;
}
