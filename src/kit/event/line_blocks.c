/*
 * Pieces of whole lines. A regular file is split at fixed offsets, and a line belongs to the piece
 * in which it starts, so threads need nothing from each other. A pipe is read by one thread at a
 * time; the start of an incomplete line is carried over to the next piece.
 */
#include "line_blocks.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"

enum { TAIL = 4096 }; /* bytes read after a piece of a file, for the rest of its last line */

int tch_blocks_init(struct tch_blocks *blocks, int fd, const char *name, size_t longest,
                    tacho_error *err)
{
    struct stat st;
    off_t start;

    *blocks = (struct tch_blocks){.fd = fd, .name = name, .longest = longest};
    if (pthread_mutex_init(&blocks->lock, NULL) != 0)
        return tch_fail_memory(err);
    /* Lines appended later are not read. Files of /proc have no size and are read as pipes. */
    start = lseek(fd, 0, SEEK_CUR);
    if (start >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > start) {
        blocks->start = (uint64_t)start;
        blocks->end = (uint64_t)st.st_size;
    }
    return 0;
}

void tch_blocks_release(struct tch_blocks *blocks)
{
    if (blocks->end > 0)
        lseek(blocks->fd, (off_t)blocks->end, SEEK_SET); /* as if it had been read in order */
    pthread_mutex_destroy(&blocks->lock);
    free(blocks->carry);
    blocks->carry = NULL;
}

void tch_block_release(struct tch_block *block)
{
    free(block->data);
    *block = (struct tch_block){0};
}

static int cannot_read(const struct tch_blocks *blocks, tacho_error *err)
{
    return tch_fail_errno(err, errno, "cannot read '%s'", blocks->name);
}

/* --- a regular file --- */

/* Reads `len` bytes, or fewer at the end of the file. Returns the number of bytes, or an error. */
static ssize_t read_at(const struct tch_blocks *blocks, char *to, size_t len, uint64_t offset,
                       tacho_error *err)
{
    size_t have = 0;

    if (len > blocks->end - offset)
        len = (size_t)(blocks->end - offset);
    while (have < len) {
        ssize_t n = pread(blocks->fd, to + have, len - have, (off_t)(offset + have));

        if (n < 0 && errno != EINTR)
            return cannot_read(blocks, err);
        if (n == 0) /* the file was truncated */
            break;
        have += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)have;
}

/* Drops the last line, from data[start] on, which is too long, and finds its length. The memory of
   the line is the buffer. */
static int measure_last_line(const struct tch_blocks *blocks, struct tch_block *block,
                             uint64_t offset, size_t start, size_t have, tacho_error *err)
{
    char *scratch = block->data + start;
    size_t size = have - start;
    const char *lf = NULL;
    ssize_t n;

    block->len = start - block->first;
    block->too_long = size;
    do {
        n = read_at(blocks, scratch, size, offset + start + block->too_long, err);
        if (n < 0)
            return (int)n;
        lf = memchr(scratch, '\n', (size_t)n);
        block->too_long += lf ? (size_t)(lf - scratch) : (size_t)n;
    } while (!lf && n > 0);
    return 0;
}

/* Reads the rest of the last line. The block has `have` bytes of the file from `offset` on; its
   lines are those that start in the first `own` bytes. The last line mostly ends in what was read
   already. */
static int read_last_line(const struct tch_blocks *blocks, struct tch_block *block, uint64_t offset,
                          size_t own, size_t have, tacho_error *err)
{
    size_t seen = own - 1;
    const char *lf;

    while (!(lf = memchr(block->data + seen, '\n', have - seen))) {
        size_t want = have - own + TAIL; /* about as much again, for the rest of the line */
        ssize_t more;

        seen = have;
        if (have > own + blocks->longest) {
            lf = memrchr(block->data + block->first, '\n', own - 1 - block->first);
            return measure_last_line(blocks, block, offset,
                                     lf ? (size_t)(lf + 1 - block->data) : block->first, have, err);
        }
        if (tch_array_reserve(&block->data, &block->size, have + want) < 0)
            return tch_fail_memory(err);
        more = read_at(blocks, block->data + have, want, offset + have, err);
        if (more < 0)
            return (int)more;
        have += (size_t)more;
        if (more == 0)
            break;
    }
    block->len = (lf ? (size_t)(lf + 1 - block->data) : have) - block->first;
    return 0;
}

/* Reads the lines that start in the piece. The byte before it is read too: it says whether a line
   starts at the first byte. */
static int read_from_file(const struct tch_blocks *blocks, struct tch_block *block,
                          tacho_error *err)
{
    uint64_t from = blocks->start + block->number * TCH_BLOCK;
    size_t before = block->number > 0;
    size_t own = before + TCH_BLOCK;
    const char *lf;
    ssize_t have;

    if (tch_array_reserve(&block->data, &block->size, own + TAIL) < 0)
        return tch_fail_memory(err);
    have = read_at(blocks, block->data, own + TAIL, from - before, err);
    if (have <= (ssize_t)before)
        return have < 0 ? (int)have : 0;
    if ((size_t)have < own)
        own = (size_t)have;
    block->bytes = own - before;
    if (before) {
        lf = memchr(block->data, '\n', own - 1);
        if (!lf)
            return 0; /* all of it belongs to a line that started earlier */
        block->first = (size_t)(lf + 1 - block->data);
    }
    return read_last_line(blocks, block, from - before, own, (size_t)have, err);
}

/* --- a pipe, with the lock held --- */

/* Reads until the block is full or the input ends. */
static int fill_block(struct tch_blocks *blocks, struct tch_block *block, tacho_error *err)
{
    while (block->len < block->size && !blocks->at_end) {
        ssize_t n = read(blocks->fd, block->data + block->len, block->size - block->len);

        if (n > 0) {
            block->len += (size_t)n;
            block->bytes += (uint64_t)n;
        } else if (n == 0) {
            blocks->at_end = true;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = blocks->fd, .events = POLLIN}, 1, -1);
        } else if (errno != EINTR) {
            return cannot_read(blocks, err);
        }
    }
    return 0;
}

/* Keeps what follows the first `keep` bytes for the next piece. */
static int carry_rest(struct tch_blocks *blocks, struct tch_block *block, size_t keep,
                      tacho_error *err)
{
    size_t rest = block->len - keep;

    if (tch_array_reserve(&blocks->carry, &blocks->carry_size, rest) < 0)
        return tch_fail_memory(err);
    if (rest > 0)
        memcpy(blocks->carry, block->data + keep, rest);
    blocks->carry_len = rest;
    block->len = keep;
    return 0;
}

/* Drops a line that is too long, up to its line feed. The block has only the start of the line. */
static int skip_long_line(struct tch_blocks *blocks, struct tch_block *block, tacho_error *err)
{
    const char *lf = NULL;
    int status = 0;

    do {
        block->too_long += block->len;
        block->len = 0;
        if (fill_block(blocks, block, err) < 0)
            return TACHO_EIO;
        lf = memchr(block->data, '\n', block->len);
    } while (!lf && !blocks->at_end);
    block->too_long += lf ? (size_t)(lf - block->data) : block->len;
    if (lf)
        status = carry_rest(blocks, block, (size_t)(lf + 1 - block->data), err);
    block->len = 0;
    return status;
}

static int read_from_pipe(struct tch_blocks *blocks, struct tch_block *block, tacho_error *err)
{
    if (tch_array_reserve(&block->data, &block->size, blocks->carry_len + TCH_BLOCK) < 0)
        return tch_fail_memory(err);
    memcpy(block->data, blocks->carry ? blocks->carry : "", blocks->carry_len);
    block->len = blocks->carry_len;
    blocks->carry_len = 0;
    for (;;) {
        const char *lf;

        if (fill_block(blocks, block, err) < 0)
            return TACHO_EIO;
        if (blocks->at_end)
            return 0;
        lf = memrchr(block->data, '\n', block->len);
        if (lf)
            return carry_rest(blocks, block, (size_t)(lf + 1 - block->data), err);
        if (block->len > blocks->longest)
            return skip_long_line(blocks, block, err);
        if (tch_array_reserve(&block->data, &block->size, block->size + 1) < 0)
            return tch_fail_memory(err);
    }
}

/* --- either --- */

int tch_blocks_take(struct tch_blocks *blocks, struct tch_block *block)
{
    bool from_file = blocks->end > 0;
    tacho_error err;
    int status = 0;
    bool more;

    pthread_mutex_lock(&blocks->lock);
    more = blocks->status == 0 && !(blocks->at_end && blocks->carry_len == 0);
    if (more) {
        *block =
            (struct tch_block){.data = block->data, .size = block->size, .number = blocks->given++};
        if (from_file)
            blocks->at_end = blocks->end - blocks->start <= blocks->given * TCH_BLOCK;
        else
            status = read_from_pipe(blocks, block, &err);
    }
    pthread_mutex_unlock(&blocks->lock);
    if (more && from_file)
        status = read_from_file(blocks, block, &err);
    if (status < 0) { /* an empty piece, because readers expect every number */
        block->len = 0;
        block->too_long = 0;
        pthread_mutex_lock(&blocks->lock);
        blocks->status = status;
        blocks->err = err;
        pthread_mutex_unlock(&blocks->lock);
    }
    return more;
}
