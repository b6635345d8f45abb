/* Limits the memory and time that the files of a capture can cost. */
#include "symbol_budget.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crc32.h"

enum {
    HOLLOW = 8,            /* a part of a file is hollow if less than 1/8 of it is data */
    SMALL = 1 << 16,       /* bytes that are never too hollow */
    EXTENTS_MAX = 4096,    /* pieces of data that are counted */
    CHECK_BYTES = 1 << 18, /* the clock is read after this many bytes of a checksum */
};

static const uint64_t memory_max = UINT64_C(8) << 30;
static const uint64_t checksum_ns = UINT64_C(10000000000); /* time limit of all checksums */

uint64_t tch_symbol_memory(uint64_t total)
{
    if (total == 0)
        total = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    return total / 2 < memory_max ? total / 2 : memory_max;
}

uint64_t tch_symbol_memory_dwarf(void)
{
    return tch_symbol_memory(0) / 4 * 3;
}

void tch_symbol_budget_init(struct tch_symbol_budget *budget, int stop_fd)
{
    /* Symbols and the index of an unwind table are as large as the bytes that they are made of, and
       an array that grows has up to twice that room. */
    uint64_t bytes = (tch_symbol_memory(0) - tch_symbol_memory_dwarf()) / 2;

    atomic_init(&budget->left, bytes);
    atomic_init(&budget->checked_ns, 0);
    budget->share_max = bytes / 2;
    budget->stop_fd = stop_fd;
}

bool tch_symbol_share_take(struct tch_symbol_share *share, uint64_t bytes)
{
    struct tch_symbol_budget *budget = share ? share->budget : NULL;
    uint64_t left = budget ? atomic_load(&budget->left) : 0;

    if (!budget)
        return true;
    do
        if (bytes > left || bytes > budget->share_max - atomic_load(&share->used)) {
            atomic_store(&share->over, true);
            atomic_store(&share->problem, "needs more memory than the limit that 'tacho doctor' "
                                          "shows; its functions are shown by address");
            return false;
        }
    while (!atomic_compare_exchange_weak(&budget->left, &left, left - bytes));
    atomic_fetch_add(&share->used, bytes);
    return true;
}

uint64_t tch_data_bytes(int fd, uint64_t offset, uint64_t len)
{
    off_t end = (off_t)(offset + len);
    off_t at = (off_t)offset;
    uint64_t bytes = 0;

    if (at < 0 || end < at)
        return 0;
    for (int i = 0; i < EXTENTS_MAX && at < end; i++) {
        off_t data = lseek(fd, at, SEEK_DATA);
        off_t hole;

        if (data < 0 && errno != ENXIO)
            return len; /* this file system does not know its holes */
        if (data < 0 || data >= end)
            break;
        hole = lseek(fd, data, SEEK_HOLE);
        at = hole < 0 || hole > end ? end : hole;
        bytes += (uint64_t)(at - data);
    }
    return bytes;
}

bool tch_is_hollow(int fd, uint64_t offset, uint64_t len, struct tch_symbol_share *share)
{
    if (len <= SMALL || tch_data_bytes(fd, offset, len) >= len / HOLLOW)
        return false;
    if (share)
        atomic_store(&share->problem,
                     "or its debug file is sparse and has no data where its symbols "
                     "should be; names may be missing");
    return true;
}

static bool is_stopped(const struct tch_symbol_budget *budget)
{
    struct pollfd p = {.fd = budget->stop_fd, .events = POLLIN};

    return budget->stop_fd >= 0 && poll(&p, 1, 0) > 0;
}

static bool checksum_within(struct tch_symbol_budget *budget, int fd, uint64_t len, uint32_t *ret)
{
    static const size_t step = 1 << 16;
    uint8_t buffer[1 << 16];
    uint64_t at = 0;
    uint64_t start = tch_now_ns();
    bool ok = true;

    *ret = 0;
    while (ok && at < len) {
        ssize_t n = pread(fd, buffer, step, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        *ret = tch_crc32(*ret, buffer, (size_t)n);
        at += (uint64_t)n;
        if (at % CHECK_BYTES < step)
            ok = atomic_load(&budget->checked_ns) + (tch_now_ns() - start) < checksum_ns &&
                 !is_stopped(budget);
    }
    atomic_fetch_add(&budget->checked_ns, tch_now_ns() - start);
    return ok;
}

bool tch_symbol_checksum(struct tch_symbol_share *share, int fd, uint32_t *ret)
{
    struct stat st;

    if (!share || fstat(fd, &st) < 0 || tch_is_hollow(fd, 0, (uint64_t)st.st_size, share))
        return false;
    if (checksum_within(share->budget, fd, (uint64_t)st.st_size, ret))
        return true;
    atomic_store(&share->problem, "has a debug file whose checksum takes too long; the debug file "
                                  "is not used");
    return false;
}
