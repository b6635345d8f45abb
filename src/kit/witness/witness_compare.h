/*
 * Two logs or bundles side by side: the same inputs, the same settings, the same decisions?
 * Timestamps, and with them the hashes, are passed over.
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
    uint64_t first_line[2]; /**< where the first pair that differs stands; 0: none does */
    bool closed[2];
    int bad; /**< after a failure: which file it is about */
};

/** Reads and checks both. 0, or what tacho_witness_next() says. */
int tch_witness_compare(const char *a, const char *b, struct tch_witness_comparison *ret,
                        tacho_error *err);

#endif
