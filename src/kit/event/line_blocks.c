/*
 * Pieces of whole lines. A regular file is cut at fixed places, and a line belongs to the piece in
 * which it starts: threads need nothing from each other. A pipe is read by one thread at a time,
 * and the start of a line that is not all there yet is handed on to the next.
 */
#include "line_blocks.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

enum { TAIL = 4096 }; /* read behind a piece of a file at first, for the rest of its last line */

int tch_blocks_init(struct tch_blocks *blocks, int fd, const char *name, size_t longest,
                    tacho_error *err)
{
    struct stat st;
    off_t start;

    *blocks = (struct tch_blocks){.fd = fd, .name = name, .longest = longest};
    if (pthread_mutex_init(&blocks->lock, NULL) != 0)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory reading '%s'", name);
    /* What is appended meanwhile is not read; files of /proc have no size and are read as pipes. */
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
        lseek(blocks->fd, (off_t)blocks->end, SEEK_SET); /* where reading would have left it */
    pthread_mutex_destroy(&blocks->lock);
    free(blocks->carry);
    blocks->carry = NULL;
}

void tch_block_release(struct tch_block *block)
{
    free(block->data);
    *block = (struct tch_block){0};
}

static int resize(const struct tch_blocks *blocks, char **data, size_t *size, size_t want,
                  tacho_error *err)
{
    char *more;

    if (*size >= want)
        return 0;
    more = realloc(*data, want);
    if (!more)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory reading '%s'", blocks->name);
    *data = more;
    *size = want;
    return 0;
}

static int cannot_read(const struct tch_blocks *blocks, tacho_error *err)
{
    return tch_fail_errno(err, errno, "cannot read '%s'", blocks->name);
}

/* --- a regular file --- */

/* Reads until `len` bytes are there or the file ends: how many there are, or an error. */
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
        if (n == 0) /* the file was made shorter */
            break;
        have += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)have;
}

/* The last line, from data[start] on, is too long to be kept: finds its length, in its memory. */
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

/* data holds `have` bytes of the file from `offset` on; the piece's lines are those that start in
   the first `own` of them. The last one mostly ends in what was read already. */
static int end_last_line(const struct tch_blocks *blocks, struct tch_block *block, uint64_t offset,
                         size_t own, size_t have, tacho_error *err)
{
    size_t seen = own - 1;
    const char *lf;
    ssize_t more;

    while (!(lf = memchr(block->data + seen, '\n', have - seen))) {
        seen = have;
        if (have > own + blocks->longest) {
            lf = memrchr(block->data + block->first, '\n', own - 1 - block->first);
            return measure_last_line(blocks, block, offset,
                                     lf ? (size_t)(lf + 1 - block->data) : block->first, have, err);
        }
        if (resize(blocks, &block->data, &block->size, have + (have - own) + TAIL, err) < 0)
            return TACHO_ENOMEM;
        more = read_at(blocks, block->data + have, block->size - have, offset + have, err);
        if (more < 0)
            return (int)more;
        have += (size_t)more;
        if (more == 0)
            break;
    }
    block->len = (lf ? (size_t)(lf + 1 - block->data) : have) - block->first;
    return 0;
}

/* The lines that start in the piece. It is read with the byte before it, which says whether one
   starts at its first byte. */
static int take_from_file(const struct tch_blocks *blocks, struct tch_block *block,
                          tacho_error *err)
{
    uint64_t from = blocks->start + block->number * TCH_BLOCK;
    size_t before = block->number > 0;
    size_t own = before + TCH_BLOCK;
    const char *lf;
    ssize_t have;

    if (resize(blocks, &block->data, &block->size, own + TAIL, err) < 0)
        return TACHO_ENOMEM;
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
    return end_last_line(blocks, block, from - before, own, (size_t)have, err);
}

/* --- a pipe, with the lock held --- */

/* Up to the end of the block's memory, or of the input. */
static int fill(struct tch_blocks *blocks, struct tch_block *block, tacho_error *err)
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

/* What follows the first `keep` bytes waits for the next piece. */
static int carry_rest(struct tch_blocks *blocks, struct tch_block *block, size_t keep,
                      tacho_error *err)
{
    size_t rest = block->len - keep;
    size_t want = rest > TCH_BLOCK ? rest : TCH_BLOCK;

    if (rest > 0 && resize(blocks, &blocks->carry, &blocks->carry_size, want, err) < 0)
        return TACHO_ENOMEM;
    if (rest > 0)
        memcpy(blocks->carry, block->data + keep, rest);
    blocks->carry_len = rest;
    block->len = keep;
    return 0;
}

/* The block holds the start of a line and no end: lets go of it up to its line feed. */
static int pass_long_line(struct tch_blocks *blocks, struct tch_block *block, tacho_error *err)
{
    const char *lf = NULL;
    int status = 0;

    do {
        block->too_long += block->len;
        block->len = 0;
        if (fill(blocks, block, err) < 0)
            return TACHO_EIO;
        lf = memchr(block->data, '\n', block->len);
    } while (!lf && !blocks->at_end);
    block->too_long += lf ? (size_t)(lf - block->data) : block->len;
    if (lf)
        status = carry_rest(blocks, block, (size_t)(lf + 1 - block->data), err);
    block->len = 0;
    return status;
}

static int take_from_pipe(struct tch_blocks *blocks, struct tch_block *block, tacho_error *err)
{
    if (resize(blocks, &block->data, &block->size, blocks->carry_len + TCH_BLOCK, err) < 0)
        return TACHO_ENOMEM;
    memcpy(block->data, blocks->carry ? blocks->carry : "", blocks->carry_len);
    block->len = blocks->carry_len;
    blocks->carry_len = 0;
    for (;;) {
        const char *lf;

        if (fill(blocks, block, err) < 0)
            return TACHO_EIO;
        if (blocks->at_end)
            return 0;
        lf = memrchr(block->data, '\n', block->len);
        if (lf)
            return carry_rest(blocks, block, (size_t)(lf + 1 - block->data), err);
        if (block->len > blocks->longest)
            return pass_long_line(blocks, block, err);
        if (resize(blocks, &block->data, &block->size, block->size * 2, err) < 0)
            return TACHO_ENOMEM;
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
            status = take_from_pipe(blocks, block, &err);
    }
    pthread_mutex_unlock(&blocks->lock);
    if (more && from_file)
        status = take_from_file(blocks, block, &err);
    if (status < 0) { /* the piece is an empty one, so that its turn comes all the same */
        block->len = 0;
        block->too_long = 0;
        pthread_mutex_lock(&blocks->lock);
        blocks->status = status;
        blocks->err = err;
        pthread_mutex_unlock(&blocks->lock);
    }
    return more;
}
