/* Watches a process tree. */
#include "process_watch.h"

#include <limits.h>
#include <math.h>

#include <tacho/csv.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "lib/measure/under_root.h"

enum { MEMORY, DETAIL, POWER, FILES };

enum { MISSED_MOST = 20 }; /* failed polls in a row, after which /proc is considered unreadable */

#define FLUSH_NS 500000000u /* interval between flushes; older rows survive a kill */

struct tch_watch {
    struct tch_watch_plan plan;
    tacho_tree *tree;
    tacho_power *power;
    tacho_csv *files[FILES];
    uint64_t start_ns;
    uint64_t last_ns;
    uint64_t flushed_ns;
    uint64_t start_busy_ns; /* busy time of the machine at the start */
    bool busy_known;
    uint64_t start_cpu_ns; /* CPU time of the tree at the start */
    tacho_tree_sample last;
    uint64_t polls;
    uint64_t missed;         /* failed polls */
    uint64_t missed_running; /* failed polls since the last success */
    tacho_error why;         /* error of the first failed poll */
    uint64_t alive;          /* polls while the tree was alive */
    long double rss_sum;
    uint64_t most_processes;
    uint64_t most_swap;
    uint64_t peak_rss;
    uint64_t peak_at_most;
    uint64_t cpu_ns;
    uint64_t readings[TCH_WATCH_SOURCES]; /* good readings of each power source */
};

static int open_power(const struct tch_watch_plan *plan, tacho_power **ret, tacho_error *no_power,
                      tacho_error *err)
{
    int status = tacho_power_new(NULL, ret, err);

    no_power->message[0] = '\0';
    if (status < 0)
        return status;
    if (!plan->power) {
        status = tch_power_add_all(*ret, plan->root, no_power);
        if (status > 0)
            no_power->message[0] = '\0';
        return status == TACHO_ENOMEM ? status : 0;
    }
    return tch_power_add_named(*ret, plan->power, plan->root, err);
}

int tch_watch_idle(struct tch_watch_plan *plan, uint64_t ns, const volatile sig_atomic_t *stop,
                   tacho_error *err)
{
    tacho_power *power = NULL;
    tacho_error no_power;
    int status = open_power(plan, &power, &no_power, err);

    if (status == 0)
        status = tch_power_idle_measure(power, plan->root, ns, stop, &plan->idle);
    if (status == 0 && plan->idle.seconds > 0)
        plan->idle_watts = plan->idle.watts;
    tacho_power_free(power);
    return status;
}

static int open_files(struct tch_watch *w, tacho_error *err)
{
    static const struct {
        const char *name;
        enum tacho_csv_kind kind;
    } files[FILES] = {{"memory.csv", TACHO_CSV_MEMORY},
                      {"memory-detail.csv", TACHO_CSV_MEMORY_DETAIL},
                      {"power.csv", TACHO_CSV_POWER}};
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    int status = w->plan.folder ? tch_mkdirs(w->plan.folder, err) : 0;

    for (int i = 0; i < FILES && w->plan.folder && status == 0; i++) {
        char path[PATH_MAX];

        if (i == POWER && tacho_power_report_at(w->power, 0, &report, NULL) < 0)
            continue; /* without a source there is no file */
        if (snprintf(path, sizeof path, "%s/%s", w->plan.folder, files[i].name) >= PATH_MAX)
            return tch_fail(err, TACHO_EINVAL, 0, "the name of the folder is too long");
        status =
            i == MEMORY
                ? tch_csv_open_memory(path, w->plan.columns, TACHO_CSV_STREAM, &w->files[i], err)
                : tacho_csv_open(path, files[i].kind, TACHO_CSV_STREAM, &w->files[i], err);
    }
    return status;
}

int tch_watch_open(const struct tch_watch_plan *plan, struct tch_watch **ret, tacho_error *no_power,
                   tacho_error *err)
{
    struct tch_watch *w = calloc(1, sizeof *w);
    struct tch_watch_now now;
    int status;

    if (!w)
        return tch_fail_memory(err);
    w->plan = *plan;
    w->last = (tacho_tree_sample)TACHO_TREE_SAMPLE_INIT;
    w->start_ns = w->last_ns = tch_now_ns();
    status = tch_tree_open(plan->root, plan->pid, &w->tree, err);
    if (status < 0)
        goto out;
    /* Poll at once, because the command may exit before the rest is ready. */
    status = tacho_tree_poll(w->tree, &w->last, err);
    if (status < 0)
        goto out;
    status = open_power(plan, &w->power, no_power, err);
    if (status < 0)
        goto out;
    tch_power_find_updates(w->power);
    status = open_files(w, err);
    if (status < 0)
        goto out;
    w->busy_known = tch_cpu_busy(plan->root, &w->start_busy_ns, NULL) == 0;
    w->start_cpu_ns = w->last.cpu_ns;
    w->most_processes = w->last.processes;
    status = tch_watch_poll(w, &now, err);
    if (status < 0)
        goto out;
    *ret = w;
    return 0;
out:
    tch_watch_discard(w);
    return status;
}

static int write_detail(struct tch_watch *w, const char *key, uint64_t value, tacho_error *err)
{
    return tacho_csv_add_memory_detail(
        w->files[DETAIL],
        &(tacho_csv_memory_detail){.timestamp_us = w->last.timestamp_us,
                                   .pid = (uint64_t)w->plan.pid,
                                   .key = key,
                                   .key_len = strlen(key),
                                   .value = value},
        err);
}

static int write_memory(struct tch_watch *w, tacho_error *err)
{
    const tacho_tree_sample *s = &w->last;
    const struct {
        const char *key;
        uint64_t value;
    } details[] = {{"processes", s->processes},
                   {"anon_bytes", s->anon_bytes},
                   {"file_bytes", s->file_bytes},
                   {"swap_bytes", s->swap_bytes},
                   {"cpu_ns", s->cpu_ns}};
    int status = tacho_csv_add_memory(
        w->files[MEMORY],
        &(tacho_csv_memory){.timestamp_us = s->timestamp_us, .peak_rss_bytes = s->rss_bytes}, err);

    for (size_t i = 0; i < sizeof details / sizeof details[0] && status == 0; i++)
        status = write_detail(w, details[i].key, details[i].value, err);
    return status;
}

static int read_power(struct tch_watch *w, tacho_error *err)
{
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    int status = 0;

    /* A machine without a power source can still be watched. */
    if (tacho_power_report_at(w->power, 0, &report, NULL) == 0)
        status = tacho_power_poll(w->power, err);
    for (size_t i = 0; status == 0 && i < TCH_WATCH_SOURCES &&
                       tacho_power_report_at(w->power, i, &report, NULL) == 0;
         i++) {
        bool read = report.samples > w->readings[i]; /* otherwise the row would repeat the last */
        char label[TCH_POWER_LABEL];

        w->readings[i] = report.samples;
        tch_power_label(label, &report);
        if (w->files[POWER] && read)
            status = tacho_csv_add_power(w->files[POWER],
                                         &(tacho_csv_power){.timestamp_us = w->last.timestamp_us,
                                                            .source = label,
                                                            .source_len = strlen(label),
                                                            .watts = report.last_watts,
                                                            .joules = report.joules},
                                         err);
    }
    return status;
}

static int flush_files(struct tch_watch *w, uint64_t now_ns, tacho_error *err)
{
    int status = 0;

    for (int i = 0; i < FILES && status == 0; i++)
        if (w->files[i])
            status = tacho_csv_flush(w->files[i], err);
    w->flushed_ns = now_ns;
    return status;
}

int tch_watch_poll(struct tch_watch *w, struct tch_watch_now *ret, tacho_error *err)
{
    uint64_t cpu_before = w->last.cpu_ns;
    uint64_t now_ns;
    double seconds;
    int status = tacho_tree_poll(w->tree, &w->last, err);

    if (status == TACHO_EIO && w->polls > 0 && ++w->missed_running < MISSED_MOST) {
        if (w->missed++ == 0)
            w->why = *err;
        *ret = (struct tch_watch_now){.tree = w->last, .cpu = NAN, .watts = NAN};
        return 0;
    }
    if (status < 0)
        return status;
    w->missed_running = 0;
    now_ns = tch_now_ns();
    seconds = (double)(now_ns - w->last_ns) / 1e9;
    status = read_power(w, err);
    if (status == 0 && w->files[MEMORY] && w->last.processes > 0)
        status = write_memory(w, err);
    if (status == 0 && now_ns - w->flushed_ns >= FLUSH_NS)
        status = flush_files(w, now_ns, err);
    *ret = (struct tch_watch_now){.tree = w->last, .cpu = NAN, .watts = tacho_power_now(w->power)};
    if (w->polls > 0 && seconds > 0)
        ret->cpu = (double)(w->last.cpu_ns - cpu_before) / 1e9 / seconds;
    w->last_ns = now_ns;
    w->polls++;
    w->alive += w->last.processes > 0;
    w->rss_sum += w->last.rss_bytes;
    if (w->last.processes > w->most_processes)
        w->most_processes = w->last.processes;
    if (w->last.swap_bytes > w->most_swap)
        w->most_swap = w->last.swap_bytes;
    if (w->last.peak_rss_bytes > w->peak_rss)
        w->peak_rss = w->last.peak_rss_bytes;
    return status;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void tch_watch_ended(struct tch_watch *w, const struct rusage *usage, uint64_t our_peak)
{
    uint64_t peak = (uint64_t)usage->ru_maxrss * 1024;

    /* The process may have grown after the last poll. The kernel's peak includes our own size at
       the fork. If it is not larger than that, it says nothing, and the peak of the polls stays. */
    if (peak > w->peak_rss) {
        w->peak_rss = peak > our_peak ? peak : w->peak_rss;
        w->peak_at_most = peak;
    }
    w->cpu_ns = tch_timeval_ns(usage->ru_utime) + tch_timeval_ns(usage->ru_stime);
    w->last.minor_faults = larger(w->last.minor_faults, (uint64_t)usage->ru_minflt);
    w->last.major_faults = larger(w->last.major_faults, (uint64_t)usage->ru_majflt);
}

void tch_watch_report(struct tch_watch *w, struct tch_watch_report *ret)
{
    uint64_t seen = w->last.cpu_ns - w->start_cpu_ns;
    double measured_s = 0;
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    uint64_t busy;

    *ret = (struct tch_watch_report){.seconds = (double)(w->last_ns - w->start_ns) / 1e9,
                                     .looks = w->polls,
                                     .missed = w->missed,
                                     .why_missed = w->why,
                                     .most_processes = w->most_processes,
                                     .peak_rss_bytes = w->peak_rss,
                                     .peak_at_most = w->peak_rss > 0 ? 0 : w->peak_at_most,
                                     .mean_rss_bytes =
                                         w->alive > 0 ? (uint64_t)(w->rss_sum / w->alive) : 0,
                                     .swap_bytes = w->most_swap,
                                     .minor_faults = w->last.minor_faults,
                                     .major_faults = w->last.major_faults,
                                     .cpu_ns = larger(w->cpu_ns, seen),
                                     .joules = NAN,
                                     .tree_joules = NAN};
    ret->origin.idle = w->plan.idle;
    tch_power_origin_of(&ret->origin, w->power);
    while (ret->sources < TCH_WATCH_SOURCES &&
           tacho_power_report_at(w->power, ret->sources, &report, NULL) == 0) {
        ret->power[ret->sources++] = report;
        if (strcmp(tacho_power_status(&report), "unavailable") == 0)
            continue;
        ret->joules = (isnan(ret->joules) ? 0 : ret->joules) + report.joules;
        measured_s = fmax(measured_s, report.duration_s);
    }
    if (!isnan(ret->joules) && w->busy_known && tch_cpu_busy(w->plan.root, &busy, NULL) == 0)
        ret->tree_joules = tacho_power_share(ret->joules, w->plan.idle_watts, measured_s,
                                             ret->cpu_ns, busy - w->start_busy_ns);
}

static void release(struct tch_watch *w)
{
    tacho_tree_close(w->tree);
    tacho_power_free(w->power);
    free(w);
}

int tch_watch_close(struct tch_watch *w, tacho_error *err)
{
    int status = 0;

    for (int i = 0; i < FILES; i++)
        if (w->files[i]) {
            int one = tacho_csv_close(w->files[i], status == 0 ? err : NULL);

            status = status == 0 ? one : status;
        }
    release(w);
    return status;
}

void tch_watch_discard(struct tch_watch *w)
{
    if (!w)
        return;
    for (int i = 0; i < FILES; i++)
        tacho_csv_discard(w->files[i]);
    release(w);
}
