/* Tracks the memory of this process by snapshots and by categories that the program counts
   itself. */
#include "memory_tracker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_write.h"
#include "base/no_cancel.h"
#include "base/owned_fd.h"
#include "base/sized.h"
#include "base/u128.h"
#include "csv_columns.h"
#include "csv_write.h"
#include "memory_categories.h"
#include "proc_text.h"
#include "sampling_thread.h"
#include "timestamp.h"

enum { LABEL = 256, STATUS_MAX = 8192 };

struct tacho_memory {
    struct tch_categories *categories; /* aligned, in the memory after this struct */
    pthread_mutex_t lock;              /* guards all members below */
    struct tch_stamp stamp;
    struct tch_memory_sums sums; /* sums over all snapshots */
    tacho_memory_snapshot *kept;
    size_t kept_count;
    size_t kept_room;
    struct tch_sampling_thread sampler;
    enum tacho_memory_level sampler_level;
    tacho_error sampler_error;
    pid_t pid; /* the process whose files are open */
    /* 1 in this process; a fork clears the page. NULL: the kernel has no such pages. */
    atomic_char *is_own;
    bool peak_by_usage;  /* the peak of getrusage() belongs to this program */
    uint64_t usage_peak; /* that peak at the last snapshot; 0: no snapshot yet */
    uint64_t known_peak; /* the largest resident size that was read or reported */
    struct tch_owned_fd statm;
    struct tch_owned_fd status;
    size_t page;
    tacho_csv *csv;
    tacho_csv *detail;
    char label[LABEL];
};

/* Opens the files once, because reading an open file takes half the time of open, read and
   close. A forked child opens its own. */
static int open_files(tacho_memory *m, tacho_error *err)
{
    bool opened;

    tch_owned_close(&m->statm);
    tch_owned_close(&m->status);
    opened = tch_owned_take(&m->statm, open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) >= 0 &&
             tch_owned_take(&m->status, open("/proc/self/status", O_RDONLY | O_CLOEXEC)) >= 0;
    m->pid = getpid();
    m->peak_by_usage = false;
    m->usage_peak = m->known_peak = 0;
    if (m->is_own)
        atomic_store_explicit(m->is_own, 1, memory_order_relaxed);
    if (!opened)
        return tch_fail_errno(err, errno, "cannot read /proc/self");
    return 0;
}

/* Maps a page that the kernel clears in a forked child. Reading it takes no time, while getpid()
   takes a fifth of the time of getrusage(). */
static atomic_char *new_fork_page(size_t page)
{
    void *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED)
        return NULL;
    if (madvise(at, page, MADV_WIPEONFORK) == 0)
        return at;
    munmap(at, page);
    return NULL;
}

static bool was_forked(const tacho_memory *m)
{
    return m->is_own ? atomic_load_explicit(m->is_own, memory_order_relaxed) == 0
                     : m->pid != getpid();
}

int tacho_memory_new(const char *label, tacho_memory **ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_memory *m = calloc(1, sizeof *m + TCH_CATEGORY_LINE + sizeof *m->categories);
    int status;

    if (!m)
        return tch_fail_memory(err);
    m->categories = (struct tch_categories *)(((uintptr_t)(m + 1) + TCH_CATEGORY_LINE - 1) /
                                              TCH_CATEGORY_LINE * TCH_CATEGORY_LINE);
    tch_categories_init(m->categories);
    pthread_mutex_init(&m->lock, NULL);
    m->stamp = tch_stamp_of_process();
    m->page = (size_t)sysconf(_SC_PAGESIZE);
    m->statm = m->status = TCH_OWNED_NONE;
    m->is_own = new_fork_page(m->page);
    snprintf(m->label, sizeof m->label, "%s", label ? label : "");
    status = open_files(m, err);
    if (status == 0)
        status = tch_csv_open_in_run(TACHO_CSV_MEMORY, &m->csv, err);
    if (status == 0)
        status = tch_csv_open_in_run(TACHO_CSV_MEMORY_DETAIL, &m->detail, err);
    if (status < 0)
        tacho_memory_free(m);
    else
        *ret = m;
    return status;
}

void tacho_memory_free(tacho_memory *m)
{
    TCH_NO_CANCEL;

    if (!m)
        return;
    tch_sampling_stop(&m->sampler);
    /* There is no caller to return the failure to. */
    if (m->csv && tacho_csv_close(m->csv, NULL) < 0)
        m->csv = NULL;
    if (m->detail && tacho_csv_close(m->detail, NULL) < 0)
        m->detail = NULL;
    tch_owned_close(&m->statm);
    tch_owned_close(&m->status);
    if (m->is_own)
        munmap(m->is_own, m->page);
    pthread_mutex_destroy(&m->lock);
    free(m->kept);
    free(m);
}

const char *tacho_memory_label(const tacho_memory *m)
{
    return m->label;
}

int tacho_memory_category(tacho_memory *m, const char *name, tacho_error *err)
{
    TCH_NO_CANCEL;
    int found;

    pthread_mutex_lock(&m->lock);
    found = tch_categories_find(m->categories, name, err);
    pthread_mutex_unlock(&m->lock);
    return found;
}

void tacho_memory_add(tacho_memory *m, int category, int64_t bytes)
{
    tch_categories_add(m->categories, category, bytes);
}

uint64_t tacho_memory_held(const tacho_memory *m, int category)
{
    return tch_categories_held(m->categories, category);
}

static int read_text(struct tch_owned_fd *file, const char *name, char *text, size_t size,
                     tacho_error *err)
{
    ssize_t len = -1;

    if (tch_owned_holds(file) || tch_owned_take(file, open(name, O_RDONLY | O_CLOEXEC)) >= 0)
        len = pread(file->fd, text, size - 1, 0);
    if (len < 0)
        return tch_fail_errno(err, errno, "cannot read %s", name);
    text[len] = '\0';
    return 0;
}

static int read_resident(tacho_memory *m, tacho_memory_snapshot *s, uint64_t *shared_bytes,
                         tacho_error *err)
{
    char text[256];
    uint64_t pages;
    uint64_t shared;

    if (read_text(&m->statm, "/proc/self/statm", text, sizeof text, err) < 0)
        return TACHO_EIO;
    if (!tch_statm_parse(text, &pages, &shared))
        return tch_fail(err, TACHO_EIO, 0, "cannot parse /proc/self/statm");
    s->rss_bytes = pages * m->page;
    *shared_bytes = shared * m->page;
    return 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns whether pages can be swapped out. Returns true when that is not known. */
static bool has_swap(void)
{
    struct sysinfo info;

    return sysinfo(&info) < 0 || info.totalswap > 0;
}

/* Fills a full snapshot without /proc/self/status, whose text takes the kernel ten times as long
   as getrusage(). Shared pages are those of files, like RssFile + RssShmem. */
static int read_without_status(tacho_memory *m, tacho_memory_snapshot *s, tacho_error *err)
{
    int status = read_resident(m, s, &s->file_bytes, err);

    s->anon_bytes = s->rss_bytes > s->file_bytes ? s->rss_bytes - s->file_bytes : 0;
    /* The kernel updates peaks from counters that are older than those of statm. */
    m->known_peak = larger(s->rss_bytes, larger(m->usage_peak, m->known_peak));
    s->peak_rss_bytes = m->known_peak;
    s->swap_bytes = 0;
    return status;
}

static int read_status(tacho_memory *m, tacho_memory_snapshot *s, tacho_error *err)
{
    char text[STATUS_MAX];
    struct tch_status status;

    if (read_text(&m->status, "/proc/self/status", text, sizeof text, err) < 0)
        return TACHO_EIO;
    tch_status_parse(text, &status);
    s->rss_bytes = status.rss;
    /* The peak of an earlier snapshot may be larger: see read_without_status(). */
    m->known_peak = larger(m->known_peak, larger(status.peak, status.rss));
    s->peak_rss_bytes = m->known_peak;
    s->anon_bytes = status.anon;
    s->file_bytes = status.file;
    s->swap_bytes = status.swap;
    m->peak_by_usage |= status.peak >= m->usage_peak;
    return 0;
}

/* Notes the peak of getrusage(). It is the larger one of the peak of this program and of the
   program that ran in this process before exec. Only the former grows, so once the value has
   grown, it belongs to this program. */
static void note_peak(tacho_memory *m, uint64_t usage_peak)
{
    m->peak_by_usage |= m->usage_peak > 0 && usage_peak > m->usage_peak;
    m->usage_peak = usage_peak;
}

static int read_process(tacho_memory *m, enum tacho_memory_level level, tacho_memory_snapshot *s,
                        tacho_error *err)
{
    struct rusage usage;
    uint64_t shared;
    int status = was_forked(m) ? open_files(m, err) : 0;

    if (status < 0)
        return status;
    getrusage(RUSAGE_SELF, &usage); /* cannot fail */
    s->minor_faults = (uint64_t)usage.ru_minflt;
    s->major_faults = (uint64_t)usage.ru_majflt;
    note_peak(m, (uint64_t)usage.ru_maxrss * 1024);
    if (level != TACHO_MEMORY_FULL)
        return read_resident(m, s, &shared, err);
    return m->peak_by_usage && !has_swap() ? read_without_status(m, s, err)
                                           : read_status(m, s, err);
}

static int write_detail(tacho_memory *m, const tacho_memory_snapshot *s, const char *key,
                        uint64_t value, tacho_error *err)
{
    return tacho_csv_add_memory_detail(m->detail,
                                       &(tacho_csv_memory_detail){.timestamp_us = s->timestamp_us,
                                                                  .pid = (uint64_t)m->pid,
                                                                  .key = key,
                                                                  .key_len = strlen(key),
                                                                  .value = value},
                                       err);
}

static int write_row(tacho_csv *csv, const tacho_memory_snapshot *s, tacho_error *err)
{
    return tacho_csv_add_memory(csv,
                                &(tacho_csv_memory){.timestamp_us = s->timestamp_us,
                                                    .peak_rss_bytes = s->rss_bytes,
                                                    .kv_cache_bytes = s->kv_cache_bytes,
                                                    .activation_bytes = s->activation_bytes,
                                                    .temp_buffer_bytes = s->temp_buffer_bytes},
                                err);
}

static int write_details(tacho_memory *m, enum tacho_memory_level level,
                         const tacho_memory_snapshot *s, tacho_error *err)
{
    int count = atomic_load(&m->categories->count);
    int status = 0;

    for (int i = TACHO_MEMORY_TEMP_BUFFERS + 1; i < count && status == 0; i++)
        status = write_detail(m, s, m->categories->of[i].name, tacho_memory_held(m, i), err);
    if (level != TACHO_MEMORY_FULL)
        return status;
    if (status == 0)
        status = write_detail(m, s, "anon_bytes", s->anon_bytes, err);
    if (status == 0)
        status = write_detail(m, s, "file_bytes", s->file_bytes, err);
    if (status == 0)
        status = write_detail(m, s, "swap_bytes", s->swap_bytes, err);
    return status;
}

/* Counts, keeps and writes a snapshot. The kept snapshots have no gap: after one that could not
   be kept, no later one is. The lock must be held. */
static int add_snapshot(tacho_memory *m, const tacho_memory_snapshot *s, tacho_error *err)
{
    if (m->kept_count == m->sums.n && m->kept_count < TACHO_MEMORY_KEPT &&
        tch_array_reserve(&m->kept, &m->kept_room, m->kept_count + 1) == 0)
        m->kept[m->kept_count++] = *s;
    tch_memory_sums_add(&m->sums, s);
    return m->csv ? write_row(m->csv, s, err) : 0;
}

int tacho_memory_snapshot_take(tacho_memory *m, enum tacho_memory_level level,
                               tacho_memory_snapshot *ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_memory_snapshot s = {.size = sizeof s,
                               .kv_cache_bytes = tacho_memory_held(m, TACHO_MEMORY_KV_CACHE),
                               .activation_bytes = tacho_memory_held(m, TACHO_MEMORY_ACTIVATIONS),
                               .temp_buffer_bytes =
                                   tacho_memory_held(m, TACHO_MEMORY_TEMP_BUFFERS)};
    int status;

    if (ret && tch_sized_check(ret, sizeof s, "TACHO_MEMORY_SNAPSHOT_INIT", err) < 0)
        return TACHO_EINVAL;
    pthread_mutex_lock(&m->lock);
    status = read_process(m, level, &s, err);
    s.timestamp_us = tch_stamp_us(&m->stamp);
    if (status == 0) {
        tch_categories_stamp_peaks(m->categories, s.timestamp_us);
        status = add_snapshot(m, &s, err);
        if (status == 0 && m->detail)
            status = write_details(m, level, &s, err);
        if (ret)
            tch_sized_write(ret, &s, sizeof s);
    }
    pthread_mutex_unlock(&m->lock);
    return status;
}

int tacho_memory_snapshot_add(tacho_memory *m, const tacho_memory_snapshot *given, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_memory_snapshot s;
    int status = tch_sized_read(&s, sizeof s, given, "TACHO_MEMORY_SNAPSHOT_INIT", err);

    if (status < 0)
        return status;
    pthread_mutex_lock(&m->lock);
    status = add_snapshot(m, &s, err);
    pthread_mutex_unlock(&m->lock);
    return status;
}

size_t tacho_memory_snapshot_count(tacho_memory *m)
{
    TCH_NO_CANCEL;
    size_t count;

    pthread_mutex_lock(&m->lock);
    count = m->kept_count;
    pthread_mutex_unlock(&m->lock);
    return count;
}

uint64_t tacho_memory_snapshot_dropped(tacho_memory *m)
{
    TCH_NO_CANCEL;
    uint64_t dropped;

    pthread_mutex_lock(&m->lock);
    dropped = m->sums.n - m->kept_count;
    pthread_mutex_unlock(&m->lock);
    return dropped;
}

int tacho_memory_snapshot_at(tacho_memory *m, size_t i, tacho_memory_snapshot *ret,
                             tacho_error *err)
{
    TCH_NO_CANCEL;
    bool kept;

    if (tch_sized_check(ret, sizeof *ret, "TACHO_MEMORY_SNAPSHOT_INIT", err) < 0)
        return TACHO_EINVAL;
    pthread_mutex_lock(&m->lock);
    kept = i < m->kept_count;
    if (kept)
        tch_sized_write(ret, &m->kept[i], sizeof *ret);
    pthread_mutex_unlock(&m->lock);
    return kept ? 0
                : tch_fail(err, TACHO_EINVAL, 0, "snapshot %zu does not exist or was not kept", i);
}

int tacho_memory_write_csv(tacho_memory *m, const char *path, tacho_error *err)
{
    TCH_NO_CANCEL;
    size_t count = tacho_memory_snapshot_count(m);
    uint64_t dropped = tacho_memory_snapshot_dropped(m);
    tacho_memory_snapshot s = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_csv *csv;
    int status = tacho_csv_open(path, TACHO_CSV_MEMORY, TACHO_CSV_WHOLE, &csv, err);

    if (status < 0)
        return status;
    for (size_t i = 0; i < count && tacho_memory_snapshot_at(m, i, &s, NULL) == 0 && status == 0;
         i++)
        status = write_row(csv, &s, err);
    if (status < 0) {
        tacho_csv_discard(csv);
        return status;
    }
    status = tacho_csv_close(csv, err);
    if (status == 0 && dropped > 0)
        status = tch_fail(err, TACHO_ELIMIT, 0,
                          "'%s' has the first %zu snapshots; %llu more were not kept", path, count,
                          (unsigned long long)dropped);
    return status;
}

static void take_snapshot(void *arg)
{
    tacho_memory *m = arg;
    tacho_error err;

    if (tacho_memory_snapshot_take(m, m->sampler_level, NULL, &err) < 0 &&
        m->sampler_error.code == 0)
        m->sampler_error = err;
}

int tacho_memory_start(tacho_memory *m, enum tacho_memory_level level, uint64_t interval_ns,
                       tacho_error *err)
{
    TCH_NO_CANCEL;

    if (!m->sampler.running) {
        m->sampler_level = level;
        m->sampler_error = (tacho_error){0};
    }
    return tch_sampling_start(&m->sampler, interval_ns, take_snapshot, m, err);
}

int tacho_memory_stop(tacho_memory *m, tacho_error *err)
{
    TCH_NO_CANCEL;

    if (!m->sampler.running)
        return 0;
    tch_sampling_stop(&m->sampler);
    take_snapshot(m);
    if (m->sampler_error.code != 0 && err)
        *err = m->sampler_error;
    return m->sampler_error.code;
}

/* The report over all snapshots. */

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void tch_memory_sums_add(struct tch_memory_sums *sums, const tacho_memory_snapshot *snapshot)
{
    tch_u128 sum = tch_u128_add((tch_u128){sums->rss_high, sums->rss_low}, snapshot->rss_bytes);

    sums->n++;
    sums->rss_low = sum.low;
    sums->rss_high = sum.high;
    if (snapshot->rss_bytes > sums->peak_rss)
        sums->peak_rss = snapshot->rss_bytes;
    sums->kv_cache = add_saturated(sums->kv_cache, snapshot->kv_cache_bytes);
    sums->activation = add_saturated(sums->activation, snapshot->activation_bytes);
}

void tch_memory_sums_report(const struct tch_memory_sums *sums, tacho_memory_report *ret)
{
    tch_u128 sum = {sums->rss_high, sums->rss_low};

    *ret = (tacho_memory_report){.size = sizeof *ret,
                                 .snapshots = sums->n,
                                 .peak_rss = sums->peak_rss,
                                 .mean_rss = sums->n > 0 ? tch_u128_div(sum, sums->n) : 0,
                                 .kv_cache_total = sums->kv_cache,
                                 .activation_total = sums->activation};
}

void tch_memory_report_write(struct tch_buf *b, const char *label,
                             const tacho_memory_report *report)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "label", label);
    tch_json_put_u64(b, "peak_rss", report->peak_rss);
    tch_json_put_u64(b, "mean_rss", report->mean_rss);
    tch_json_put_u64(b, "kv_cache_total", report->kv_cache_total);
    tch_json_put_u64(b, "activation_total", report->activation_total);
    tch_json_end_object(b);
}

static tacho_memory_report report_of(tacho_memory *m)
{
    TCH_NO_CANCEL;
    tacho_memory_report report;

    pthread_mutex_lock(&m->lock);
    tch_memory_sums_report(&m->sums, &report);
    pthread_mutex_unlock(&m->lock);
    return report;
}

int tacho_memory_summary(tacho_memory *m, tacho_memory_report *ret, tacho_error *err)
{
    tacho_memory_report report = report_of(m);

    if (tch_sized_check(ret, sizeof report, "TACHO_MEMORY_REPORT_INIT", err) < 0)
        return TACHO_EINVAL;
    tch_sized_write(ret, &report, sizeof report);
    return 0;
}

int tacho_memory_summary_to_json(tacho_memory *m, char **ret, size_t *ret_len, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_memory_report report = report_of(m);
    struct tch_buf b;
    size_t len;
    char *text;

    tch_buf_init(&b, 16 * LABEL);
    tch_memory_report_write(&b, m->label, &report);
    len = b.len;
    text = tch_buf_take(&b);
    if (!text)
        return tch_fail_memory(err);
    *ret = text;
    if (ret_len)
        *ret_len = len;
    return 0;
}

int tacho_memory_category_peak(tacho_memory *m, int category, tacho_memory_peak *ret,
                               tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_memory_peak peak = TACHO_MEMORY_PEAK_INIT;
    const struct tch_category *c;

    if (category < 0 || category >= atomic_load(&m->categories->count))
        return tch_fail(err, TACHO_EINVAL, 0, "there is no memory category %d", category);
    if (tch_sized_check(ret, sizeof peak, "TACHO_MEMORY_PEAK_INIT", err) < 0)
        return TACHO_EINVAL;
    c = &m->categories->of[category];
    peak.name = c->name;
    peak.now = tacho_memory_held(m, category);
    peak.peak = tch_categories_peak(m->categories, category);
    pthread_mutex_lock(&m->lock);
    peak.timestamp_us = c->seen_peak == peak.peak ? c->seen_us : 0;
    pthread_mutex_unlock(&m->lock);
    tch_sized_write(ret, &peak, sizeof peak);
    return 0;
}
