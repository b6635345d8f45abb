/*
 * Splits a file or a pipe into pieces of whole lines, for several threads. A thread that is free
 * takes the next piece. Threads read a regular file at the same time, and anything else one after
 * the other.
 */
#ifndef TCH_LINE_BLOCKS_H
#define TCH_LINE_BLOCKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum { TCH_BLOCK = 256 * 1024 }; /* size of a piece in bytes, plus or minus a line */

/** Private, except for status and err when all threads are done. */
struct tch_blocks {
    pthread_mutex_t lock;
    int fd;
    const char *name;
    size_t longest;
    uint64_t start; /* the part of a regular file that is read */
    uint64_t end;   /* ... 0: not a regular file */
    char *carry;    /* the start of a line whose rest was not read yet */
    size_t carry_len;
    size_t carry_size;
    uint64_t given; /* pieces */
    bool at_end;
    int status; /* code of the failure that stopped it, or 0 */
    tacho_error err;
};

/** One piece; each thread has its own. Start with zeros. */
struct tch_block {
    size_t too_long; /**< bytes of a line after them that was dropped; 0: none */
    uint64_t bytes;  /**< number of bytes of the file that were read for this piece alone */
    uint64_t number; /**< position in the file, from 0 */
    char *data;
    size_t first; /**< the lines start at data[first] */
    size_t len;   /**< bytes of the lines */
    size_t size;
};

/** Initialises blocks. fd and name are borrowed. longest is the limit of a line in bytes; longer
    lines are dropped. */
int tch_blocks_init(struct tch_blocks *blocks, int fd, const char *name, size_t longest,
                    tacho_error *err);
void tch_blocks_release(struct tch_blocks *blocks);
void tch_block_release(struct tch_block *block);

/** Reads the next piece, which may have no line. Returns 1, or 0 at the end and after a failure,
   which is in blocks. */
int tch_blocks_take(struct tch_blocks *blocks, struct tch_block *block);

#endif
