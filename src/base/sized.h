/*
 * Public structs that grow. Their first member is `size_t size`, set by TACHO_..._INIT to the size
 * that the program was compiled with. Later versions add members at the end, whose 0 means what the
 * library did before. So the program may have a shorter or a longer struct than the library.
 */
#ifndef TCH_SIZED_H
#define TCH_SIZED_H

#include <stddef.h>

#include <tacho/error.h>

/**
 * Checks the caller's struct before it is read or written. It must be initialised. Bytes beyond
 * our own size must be 0: they are a request that this version of the library does not know.
 *
 * @param init  "TACHO_..._INIT", for the message
 * @return 0 or TACHO_EINVAL
 */
int tch_sized_check(const void *given, size_t own_size, const char *init, tacho_error *err);

/** Checks the caller's struct and copies it. Members that it does not have become 0. */
int tch_sized_read(void *own, size_t own_size, const void *given, const char *init,
                   tacho_error *err);

/** Copies a result to the caller's struct, up to its size. Its `size` is unchanged. */
void tch_sized_write(void *given, const void *own, size_t own_size);

#endif
