/*
 * Compares the inputs, settings and decisions of two logs or bundles. Timestamps, and therefore
 * hashes, are ignored.
 */
#ifndef TCH_WITNESS_COMPARE_H
#define TCH_WITNESS_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include <tacho/error.h>

struct tch_witness_comparison {
    uint64_t entries[2];    /**< number of entries of each file */
    uint64_t compared;      /**< pairs compared, in order */
    uint64_t inputs;        /**< pairs with different q_hash or k_hash */
    uint64_t settings;      /**< pairs with different lambda, tau or eps */
    uint64_t masks;         /**< pairs with different keep_mask */
    uint64_t costs;         /**< pairs with different cut_cost */
    uint64_t first_line[2]; /**< line numbers of the first pair that differs; 0: no pair differs */
    char first_log[2]
                  [128]; /**< names of the logs with these lines; "" if the file is a single log */
    bool closed[2];
    int bad; /**< after a failure: the index of the file that failed */
};

/** Reads, checks and compares both files. Returns 0, or an error of tacho_witness_next(). */
int tch_witness_compare(const char *a, const char *b, struct tch_witness_comparison *ret,
                        tacho_error *err);

#endif
