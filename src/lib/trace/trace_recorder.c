/*
 * The recording as a whole: makes its file and header, closes them, and leaves them in a forked
 * child. recording_chunks.c handles its chunks, thread_stage.c the threads that write into them.
 */
#include "trace_recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/message.h"
#include "recording_chunks.h"
#include "thread_stage.h"
#include "trace_names.h"

struct tch_recorder tch_recorder = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .file = {.fd = -1}, .overwriting = ATOMIC_FLAG_INIT};

int tacho_trace_mode;

static struct tch_recorder *const rec = &tch_recorder;

void tch_shield_on(struct tch_shield *before)
{
    sigset_t all;

    before->cancel = tch_cancel_off();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before->signals);
}

void tch_shield_off(const struct tch_shield *before)
{
    pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
    tch_cancel_restore(&before->cancel);
}

void tch_trace_lock(struct tch_shield *before)
{
    tch_shield_on(before);
    pthread_mutex_lock(&rec->lock);
}

void tch_trace_unlock(const struct tch_shield *before)
{
    pthread_mutex_unlock(&rec->lock);
    tch_shield_off(before);
}

/* The header. */

void tch_recorder_drop(uint64_t events, enum tch_rec_reason why)
{
    struct tch_rec_header *head = __atomic_load_n(&rec->head, __ATOMIC_ACQUIRE);

    if (!head)
        return;
    __atomic_fetch_add(&head->dropped, events, __ATOMIC_RELAXED);
    __atomic_fetch_or(&head->reasons, (uint64_t)why, __ATOMIC_RELAXED);
}

void tch_recorder_cut(void)
{
    struct tch_rec_header *head = __atomic_load_n(&rec->head, __ATOMIC_ACQUIRE);

    if (head)
        __atomic_fetch_add(&head->cut, 1, __ATOMIC_RELAXED);
}

void tch_recorder_has_tracks(void)
{
    struct tch_rec_header *head = __atomic_load_n(&rec->head, __ATOMIC_ACQUIRE);

    if (head)
        __atomic_store_n(&head->tracks, 1, __ATOMIC_RELAXED);
}

void tch_recorder_say_lost(void)
{
    if (atomic_load_explicit(&rec->unsaid, memory_order_relaxed) &&
        atomic_exchange(&rec->unsaid, false))
        tch_message(
            "tacho: the program closed or replaced the descriptor of the trace's recording, "
            "which could not be opened again; spans are dropped and counted");
}

static struct tch_rec_pair pair_of(const struct tch_clock_pair *p)
{
    return (struct tch_rec_pair){p->ticks, p->ns, p->error, p->ticks ^ p->ns ^ p->error};
}

void tch_recorder_calibrate(void)
{
    struct tch_rec_pair *older = &rec->head->last[0];

    if (older->ticks > rec->head->last[1].ticks)
        older = &rec->head->last[1];
    if (!tch_clock_calibrate(&rec->clock))
        rec->head->clock_faults++;
    /* Remember the time of the attempt and not that of the pair: when the clock stands still the
       pair keeps its old time, and every full stage would calibrate again. */
    atomic_store(&rec->calibrated, tch_ticks());
    *older = pair_of(&rec->clock.last);
}

static void read_text(const char *path, char *out, size_t size)
{
    struct tch_buf b;

    tch_buf_init_on(&b, out, size, size - 1);
    if (tch_file_read(path, size - 1, &b, NULL) < 0)
        tch_buf_clear(&b);
    out[strcspn(out, "\n")] = '\0';
    tch_buf_release(&b);
}

static void fill_header(struct tch_rec_header *head, uint64_t limit)
{
    head->clock_faults = !tch_clock_init(&rec->clock);
    head->version = TCH_REC_VERSION;
    head->byte_order = TCH_REC_BYTE_ORDER;
    head->header_size = TCH_REC_HEADER;
    head->chunk_size = TCH_REC_CHUNK;
    read_text("/proc/sys/kernel/random/boot_id", head->boot_id, sizeof head->boot_id);
    head->pid = (uint32_t)getpid();
    head->parent = (uint32_t)getppid();
    head->clock = tch_clock_why_not_tsc() ? TCH_REC_CLOCK_NS : TCH_REC_CLOCK_TSC;
    head->ring = rec->ring;
    head->limit = limit;
    head->first = pair_of(&rec->clock.first);
    head->last[0] = pair_of(&rec->clock.last);
    head->wall_ns = tch_wall_ns() - (tch_now_ns() - head->first.ns);
    head->wall_error = tch_wall_error_ns();
    if (readlink("/proc/self/exe", head->program, sizeof head->program - 1) < 0)
        head->program[0] = '\0';
    /* The magic comes last, so a file that has it has a complete header. */
    memcpy(head->magic, TCH_REC_MAGIC, sizeof head->magic);
}

int tch_recorder_open(const char *path, uint64_t limit, bool ring, tacho_error *err)
{
    struct tch_owned_fd file;
    int status;
    void *head;

    status = tch_trace_stages_init(err);
    if (status < 0)
        return status;
    /* Mode 0644 under any umask: another user who could truncate the file would kill the program
       by SIGBUS. */
    if (tch_owned_take(&file, open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644)) < 0)
        return tch_fail_errno(err, errno, "cannot make the recording '%s'", path);
    if (tch_allocate(file.fd, 0, TCH_REC_PAGE) < 0)
        goto failed;
    head = mmap(NULL, TCH_REC_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
    if (head == MAP_FAILED)
        goto failed;
    rec->file = file;
    rec->path = path;
    atomic_fetch_add(&rec->traces, 1);
    tch_chunks_begin(limit, ring);
    fill_header(head, limit);
    __atomic_store_n(&rec->head, head, __ATOMIC_RELEASE);
    return 0;
failed:
    status = tch_fail_errno(err, errno, "cannot make the recording '%s'", path);
    tch_owned_close(&file);
    unlink(path);
    return status;
}

struct tch_owned_fd tch_recorder_close(void)
{
    struct tch_owned_fd file;

    tch_trace_stages_close();
    tch_table_detach();
    tch_chunks_end();
    /* The header, one page, stays mapped: another thread may be counting a dropped record. */
    __atomic_store_n(&rec->head, NULL, __ATOMIC_RELEASE);
    file = rec->file;
    rec->file = TCH_OWNED_NONE;
    return file;
}

void tch_recorder_forked(void)
{
    tch_trace_stages_forked();
    munmap(rec->head, TCH_REC_PAGE);
    rec->head = NULL;
    tch_owned_close(&rec->file);
    atomic_store(&rec->threads, 0);
    atomic_fetch_add(&rec->traces, 1); /* spans that the parent has open do not end here */
    atomic_store(&rec->turning, 0);
    atomic_flag_clear(&rec->overwriting);
}
