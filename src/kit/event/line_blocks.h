/*
 * A file, or a pipe, in pieces of whole lines, for several threads: whoever is free takes the next
 * piece. From a regular file each thread reads its own; from anything else one reads at a time.
 */
#ifndef TCH_LINE_BLOCKS_H
#define TCH_LINE_BLOCKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum { TCH_BLOCK = 256 * 1024 }; /* bytes of a piece, give or take a line */

/** Not to be touched but by the functions, but for status and err when all threads are done. */
struct tch_blocks {
    pthread_mutex_t lock;
    int fd;
    const char *name;
    size_t longest;
    uint64_t start; /* of a regular file: what of it is read */
    uint64_t end;   /* ... 0: it is none */
    char *carry;    /* the start of a line whose rest was not read yet */
    size_t carry_len;
    size_t carry_size;
    uint64_t given; /* pieces */
    bool at_end;
    int status; /* of the failure that ended it, or 0 */
    tacho_error err;
};

/** One piece; each thread has its own. Start with zeros. */
struct tch_block {
    size_t too_long; /**< not 0: behind them one line of so many bytes, of which nothing was kept */
    uint64_t bytes;  /**< of the file, that were read for this piece and no other */
    uint64_t number; /**< from 0 */
    char *data;
    size_t first; /**< the lines start at data[first] */
    size_t len;   /**< ... and have so many bytes */
    size_t size;
};

/** fd and name are borrowed. longest: bytes of the longest line that is kept. */
int tch_blocks_init(struct tch_blocks *blocks, int fd, const char *name, size_t longest,
                    tacho_error *err);
void tch_blocks_release(struct tch_blocks *blocks);
void tch_block_release(struct tch_block *block);

/** Fills block with the next piece, which may hold no line: 1, or 0 at the end and after a
    failure, which is in blocks. */
int tch_blocks_take(struct tch_blocks *blocks, struct tch_block *block);

#endif
