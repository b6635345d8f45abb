/*
 * A file, or a pipe, in pieces of whole lines, for several threads: whoever is free takes the next
 * piece. What was found in them is told in the order in which they stand in the file.
 */
#ifndef TCH_EVENT_BLOCKS_H
#define TCH_EVENT_BLOCKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum { TCH_BLOCK = 1024 * 1024 }; /* bytes of a piece, unless a line is longer */

/** Not to be touched but by the functions. */
struct tch_blocks {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    int fd;
    const char *name;
    size_t longest;
    char *carry; /* the start of a line whose rest was not read yet */
    size_t carry_len;
    size_t carry_size;
    uint64_t given; /* pieces */
    uint64_t told;  /* ... whose turn is over */
    uint64_t bytes;
    bool at_end;
    int status; /* of the failure that ended it, or 0 */
    tacho_error err;
};

/** One piece; each thread has its own. Start with zeros. */
struct tch_block {
    char *data;
    size_t len;
    size_t size;
    size_t too_long; /**< not 0: one line of so many bytes, of which nothing was kept */
    uint64_t number; /**< from 0 */
};

/** fd and name are borrowed. longest: bytes of the longest line that is kept. */
int tch_blocks_init(struct tch_blocks *blocks, int fd, const char *name, size_t longest,
                    tacho_error *err);
void tch_blocks_release(struct tch_blocks *blocks);
void tch_block_release(struct tch_block *block);

/** Fills block with the next piece: 1, or 0 at the end and after a failure, which is in blocks. */
int tch_blocks_take(struct tch_blocks *blocks, struct tch_block *block);

/** Every piece that was taken has its turn, in order: waits for this one's, and ends it. */
void tch_blocks_begin_turn(struct tch_blocks *blocks, const struct tch_block *block);
void tch_blocks_end_turn(struct tch_blocks *blocks);

#endif
