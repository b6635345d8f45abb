/*
 * The chunks of the file that is being recorded. Only tch_chunks_begin() and tch_chunks_end() need
 * the lock.
 */
#ifndef TCH_RECORDING_CHUNKS_H
#define TCH_RECORDING_CHUNKS_H

#include "trace_recorder.h"

/** Sets the limit of a new recording. */
void tch_chunks_begin(uint64_t limit, bool ring);

/** Releases blocks that were allocated and not used. */
void tch_chunks_end(void);

/** Returns whether the descriptor of the recording can be used. Opens the recording again if the
    program has closed it. */
bool tch_chunks_hold(void);

/** Allocates blocks on disk before they are mapped, so that a full disk is an error here and not a
    SIGBUS at a store. Returns 0, or -1 and errno. */
int tch_allocate(int fd, off_t offset, off_t len);

/** Maps a new chunk that starts with `len` bytes of content, followed by zeros, at `at` or, when
   that is NULL, anywhere. Returns NULL and the reason when there is none. */
void *tch_chunk_map(void *at, const void *content, size_t len, enum tch_rec_reason *why);

/** Writes the content of a stage to a new chunk. `records` is what its header says. Returns false
 * and the reason on failure. */
bool tch_chunk_copy(const struct tch_rec_chunk *stage, uint32_t records, enum tch_rec_reason *why);

#endif
