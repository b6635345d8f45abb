/* Pieces of whole lines: one reader at a time, many that work on what was read. */
#include "blocks.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

int tch_blocks_init(struct tch_blocks *blocks, int fd, const char *name, size_t longest,
                    tacho_error *err)
{
    *blocks = (struct tch_blocks){.fd = fd, .name = name, .longest = longest};
    if (pthread_mutex_init(&blocks->lock, NULL) != 0 ||
        pthread_cond_init(&blocks->turned, NULL) != 0)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory reading '%s'", name);
    return 0;
}

void tch_blocks_release(struct tch_blocks *blocks)
{
    pthread_cond_destroy(&blocks->turned);
    pthread_mutex_destroy(&blocks->lock);
    free(blocks->carry);
    blocks->carry = NULL;
}

void tch_block_release(struct tch_block *block)
{
    free(block->data);
    *block = (struct tch_block){0};
}

static int fail_memory(struct tch_blocks *blocks)
{
    return blocks->status =
               tch_fail(&blocks->err, TACHO_ENOMEM, 0, "out of memory reading '%s'", blocks->name);
}

static int resize(struct tch_blocks *blocks, char **data, size_t *size, size_t want)
{
    char *more;

    if (*size >= want)
        return 0;
    more = realloc(*data, want);
    if (!more)
        return fail_memory(blocks);
    *data = more;
    *size = want;
    return 0;
}

/* Up to the end of the block's memory, or of the input. */
static int fill(struct tch_blocks *blocks, struct tch_block *block)
{
    while (block->len < block->size && !blocks->at_end) {
        ssize_t n = read(blocks->fd, block->data + block->len, block->size - block->len);

        if (n > 0) {
            block->len += (size_t)n;
            blocks->bytes += (uint64_t)n;
        } else if (n == 0) {
            blocks->at_end = true;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = blocks->fd, .events = POLLIN}, 1, -1);
        } else if (errno != EINTR) {
            return blocks->status =
                       tch_fail_errno(&blocks->err, errno, "cannot read '%s'", blocks->name);
        }
    }
    return 0;
}

/* What follows the first `keep` bytes waits for the next piece. */
static int carry_rest(struct tch_blocks *blocks, struct tch_block *block, size_t keep)
{
    size_t rest = block->len - keep;
    size_t want = rest > TCH_BLOCK ? rest : TCH_BLOCK;

    if (rest > 0 && resize(blocks, &blocks->carry, &blocks->carry_size, want) < 0)
        return blocks->status;
    if (rest > 0)
        memcpy(blocks->carry, block->data + keep, rest);
    blocks->carry_len = rest;
    block->len = keep;
    return 0;
}

/* The block holds the start of a line and no end: lets go of it up to its line feed. */
static int pass_long_line(struct tch_blocks *blocks, struct tch_block *block)
{
    const char *lf = NULL;

    block->too_long = 0;
    do {
        block->too_long += block->len;
        block->len = 0;
        if (fill(blocks, block) < 0)
            return blocks->status;
        lf = memchr(block->data, '\n', block->len);
    } while (!lf && !blocks->at_end);
    block->too_long += lf ? (size_t)(lf - block->data) : block->len;
    if (!lf) {
        block->len = 0;
        return 0;
    }
    if (carry_rest(blocks, block, (size_t)(lf + 1 - block->data)) < 0)
        return blocks->status;
    block->len = 0;
    return 0;
}

/* With the lock held. */
static int take(struct tch_blocks *blocks, struct tch_block *block)
{
    size_t want = blocks->carry_len + TCH_BLOCK;

    block->len = 0;
    block->too_long = 0;
    if (resize(blocks, &block->data, &block->size, want) < 0)
        return blocks->status;
    memcpy(block->data, blocks->carry ? blocks->carry : "", blocks->carry_len);
    block->len = blocks->carry_len;
    blocks->carry_len = 0;
    for (;;) {
        const char *lf;

        if (fill(blocks, block) < 0)
            return blocks->status;
        if (blocks->at_end)
            return 0;
        lf = memrchr(block->data, '\n', block->len);
        if (lf)
            return carry_rest(blocks, block, (size_t)(lf + 1 - block->data));
        if (block->len > blocks->longest)
            return pass_long_line(blocks, block);
        if (resize(blocks, &block->data, &block->size, block->size * 2) < 0)
            return blocks->status;
    }
}

int tch_blocks_take(struct tch_blocks *blocks, struct tch_block *block)
{
    int more = 0;

    pthread_mutex_lock(&blocks->lock);
    if (blocks->status == 0 && !(blocks->at_end && blocks->carry_len == 0) &&
        take(blocks, block) == 0 && (block->len > 0 || block->too_long > 0)) {
        block->number = blocks->given++;
        more = 1;
    }
    pthread_mutex_unlock(&blocks->lock);
    return more;
}

void tch_blocks_begin_turn(struct tch_blocks *blocks, const struct tch_block *block)
{
    pthread_mutex_lock(&blocks->lock);
    while (blocks->told != block->number)
        pthread_cond_wait(&blocks->turned, &blocks->lock);
    pthread_mutex_unlock(&blocks->lock);
}

void tch_blocks_end_turn(struct tch_blocks *blocks)
{
    pthread_mutex_lock(&blocks->lock);
    blocks->told++;
    pthread_cond_broadcast(&blocks->turned);
    pthread_mutex_unlock(&blocks->lock);
}
