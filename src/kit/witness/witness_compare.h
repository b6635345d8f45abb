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
    uint64_t entries[2];    /**< of each file */
    uint64_t compared;      /**< pairs, in order */
    uint64_t inputs;        /**< of them with another q_hash or k_hash */
    uint64_t settings;      /**< ... with another lambda, tau or eps */
    uint64_t masks;         /**< ... with another keep_mask */
    uint64_t costs;         /**< ... with another cut_cost */
    uint64_t first_line[2]; /**< lines of the first pair that differs; 0: none does */
    char first_log[2]
                  [128]; /**< the logs that they are in; "" where the file is one log, or lines */
    bool closed[2];
    int bad; /**< after a failure: which file it is about */
};

/** Reads, checks and compares both. 0, or an error of tacho_witness_next(). */
int tch_witness_compare(const char *a, const char *b, struct tch_witness_comparison *ret,
                        tacho_error *err);

#endif
