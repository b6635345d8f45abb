/*
 * The chunks of a recording: takes new ones up to the limit, replaces the oldest in ring mode, and
 * maps them or writes them at once.
 *
 * When the disk refuses a chunk, the chunk is given back, so that the file does not grow while the
 * disk is full. The next attempt comes after DISK_PAUSE; until then records are dropped at the
 * speed of memory. The signal SIGXFSZ, which the kernel sends at the limit RLIMIT_FSIZE, is
 * discarded. All callers block signals.
 *
 * The program may have closed the descriptor of the recording, so every function that writes checks
 * it first (tch_chunks_hold()). If the recording cannot be opened again, chunks are refused as if
 * the disk were full. Stages stay mapped, so their records are in the file.
 */
#include "recording_chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/file.h"

#define DISK_PAUSE (UINT64_C(1) << 28) /* ticks: a tenth to a quarter of a second */

static struct tch_recorder *const rec = &tch_recorder;

bool tch_chunks_hold(void)
{
    bool lost = !tch_owned_regain(&rec->file, AT_FDCWD, rec->path, O_RDWR);

    if (lost != atomic_load(&rec->lost) && atomic_exchange(&rec->lost, lost) != lost && lost)
        atomic_store(&rec->unsaid, true);
    return !lost;
}

/* Allocates blocks, or writes zeros where the file system cannot allocate. */
int tch_allocate(int fd, off_t offset, off_t len)
{
    static const char zeros[TCH_REC_PAGE];

    if (fallocate(fd, 0, offset, len) == 0)
        return 0;
    if (errno == EOPNOTSUPP || errno == ENOSYS) {
        off_t end = offset + len;

        while (offset < end && pwrite(fd, zeros, sizeof zeros, offset) == (ssize_t)sizeof zeros)
            offset += (off_t)sizeof zeros;
        if (offset == end)
            return 0;
    }
    tch_discard_sigxfsz();
    return -1;
}

void tch_chunks_begin(uint64_t limit, bool ring)
{
    rec->most = limit > TCH_REC_HEADER ? (limit - TCH_REC_HEADER) / TCH_REC_CHUNK : 0;
    if (limit == 0)
        rec->most = UINT64_MAX;
    else if (rec->most < TCH_LIMIT_LEAST)
        rec->most = TCH_LIMIT_LEAST;
    rec->ring = ring && limit > 0;
    atomic_store(&rec->slots, 0);
    atomic_store(&rec->spare, 0);
    atomic_store(&rec->refused, 0);
    atomic_store(&rec->lost, false);
    atomic_store(&rec->victim, 0);
}

static off_t chunk_offset(uint64_t slot)
{
    return TCH_REC_HEADER + (off_t)slot * TCH_REC_CHUNK;
}

/* Chooses the oldest copy of a full ring to be overwritten, and counts its records as dropped. */
static bool overwrite_oldest(uint64_t *ret)
{
    struct tch_rec_chunk old;

    for (uint64_t tries = 0; tries < rec->most; tries++) {
        uint64_t slot = atomic_fetch_add(&rec->victim, 1) % rec->most;

        if (pread(tch_owned_fd(&rec->file), &old, sizeof old, chunk_offset(slot)) !=
                (ssize_t)sizeof old ||
            old.magic != TCH_REC_CHUNK_MAGIC || old.type != TCH_REC_COPY)
            continue;
        tch_recorder_drop(old.records, TCH_REC_RING);
        *ret = slot;
        return true;
    }
    return false;
}

static bool take_slot(uint64_t *ret, enum tch_rec_reason *why)
{
    uint64_t slot = atomic_load(&rec->slots), spare = atomic_exchange(&rec->spare, 0);

    if (spare > 0) {
        *ret = spare - 1;
        return true;
    }
    while (slot < rec->most)
        if (atomic_compare_exchange_weak(&rec->slots, &slot, slot + 1)) {
            *ret = slot;
            return true;
        }
    *why = TCH_REC_LIMIT;
    return rec->ring && overwrite_oldest(ret);
}

/* Gives back a chunk that the disk refused. A hole remains in the file only when other threads
   have taken the chunks after it and another chunk was given back already. */
static void give_back(uint64_t slot)
{
    static const struct tch_rec_chunk nothing;
    uint64_t count = slot + 1, none = 0;

    /* Readers ignore a chunk without a header. */
    if (fallocate(tch_owned_fd(&rec->file), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  chunk_offset(slot), TCH_REC_CHUNK) < 0 &&
        pwrite(tch_owned_fd(&rec->file), &nothing, sizeof nothing, chunk_offset(slot)) < 0)
        tch_discard_sigxfsz();
    if (!atomic_compare_exchange_strong(&rec->slots, &count, slot))
        atomic_compare_exchange_strong(&rec->spare, &none, slot + 1);
}

/* Notes whether the disk accepted a chunk. */
static void note_disk(uint64_t slot, bool taken)
{
    if (!taken)
        give_back(slot);
    if (!taken || atomic_load(&rec->refused) != 0)
        atomic_store(&rec->refused, taken ? 0 : tch_ticks() | 1);
}

/* Returns whether this thread may take a chunk. It may not while the disk refuses them. In ring
   mode one thread at a time takes a chunk and fills it, because two threads could get the same
   one. The wait is bounded. */
static bool enter(enum tch_rec_reason *why)
{
    uint64_t refused = atomic_load(&rec->refused);

    *why = atomic_load(&rec->lost) ? TCH_REC_CLOSED : TCH_REC_DISK;
    if (refused != 0 && tch_ticks() - refused < DISK_PAUSE)
        return false;
    if (!tch_chunks_hold()) {
        *why = TCH_REC_CLOSED;
        atomic_store(&rec->refused, tch_ticks() | 1);
        return false;
    }
    for (int i = 0; rec->ring && atomic_flag_test_and_set(&rec->overwriting); i++) {
        *why = TCH_REC_RING;
        if (i == 1000000)
            return false;
        sched_yield();
    }
    return true;
}

static void leave(void)
{
    if (rec->ring)
        atomic_flag_clear(&rec->overwriting);
}

static void *map_slot(uint64_t slot, void *at, const void *content, size_t len)
{
    off_t offset = chunk_offset(slot);
    void *chunk;

    if (tch_allocate(tch_owned_fd(&rec->file), offset, TCH_REC_CHUNK) < 0 ||
        (len > 0 && pwrite(tch_owned_fd(&rec->file), content, len, offset) != (ssize_t)len))
        return NULL;
    chunk = mmap(at, TCH_REC_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0),
                 tch_owned_fd(&rec->file), offset);
    if (chunk == MAP_FAILED)
        return NULL;
    if (rec->ring) /* reset the chunk that is being replaced */
        memset((char *)chunk + len, 0, TCH_REC_CHUNK - len);
    return chunk;
}

void *tch_chunk_map(void *at, const void *content, size_t len, enum tch_rec_reason *why)
{
    void *chunk = NULL;
    uint64_t slot;

    if (!enter(why))
        return NULL;
    if (take_slot(&slot, why)) {
        *why = TCH_REC_DISK;
        chunk = map_slot(slot, at, content, len);
        note_disk(slot, chunk != NULL);
    }
    leave();
    return chunk;
}

/* Allocates blocks for several chunks at once, which makes writing to them cheaper. When that
   fails, the write fails too and reports it. */
static void allocate_ahead(uint64_t slot)
{
    enum { AHEAD = 16 };
    uint64_t count = rec->most - slot < AHEAD ? rec->most - slot : AHEAD;

    if (!rec->ring && slot % AHEAD == 0)
        rec->ahead |= fallocate(tch_owned_fd(&rec->file), FALLOC_FL_KEEP_SIZE, chunk_offset(slot),
                                (off_t)count * TCH_REC_CHUNK) == 0;
}

void tch_chunks_end(void)
{
    off_t end = chunk_offset(atomic_load(&rec->slots));
    struct stat st;

    /* If this fails, some blocks after the end stay allocated. */
    if (tch_chunks_hold() &&
        (rec->ahead || (fstat(tch_owned_fd(&rec->file), &st) == 0 && st.st_size > end)) &&
        ftruncate(tch_owned_fd(&rec->file), end) < 0)
        tch_discard_sigxfsz();
    rec->ahead = false;
}

static bool write_copy(struct tch_rec_chunk *head, const struct tch_rec_chunk *stage, uint64_t slot)
{
    struct iovec parts[] = {{head, sizeof *head},
                            {(void *)(uintptr_t)(stage + 1), TCH_REC_CHUNK - sizeof *head}};

    if (pwritev(tch_owned_fd(&rec->file), parts, 2, chunk_offset(slot)) == TCH_REC_CHUNK)
        return true;
    tch_discard_sigxfsz();
    return false;
}

bool tch_chunk_copy(const struct tch_rec_chunk *stage, uint32_t records, enum tch_rec_reason *why)
{
    struct tch_rec_chunk head = *stage;
    uint64_t slot;
    bool ok = false;

    head.type = TCH_REC_COPY;
    head.records = records;
    if (!enter(why))
        return false;
    if (take_slot(&slot, why)) {
        *why = TCH_REC_DISK;
        allocate_ahead(slot);
        ok = write_copy(&head, stage, slot);
        note_disk(slot, ok);
    }
    leave();
    return ok;
}
