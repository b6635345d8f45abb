/*
 * Min-cut gating: decides which entries of an n x n matrix of logits are kept.
 *
 * Entries not above eps are gated. The others are edges i -> j of a graph with the entry as their
 * capacity, and one minimum cut separates node 0 from node n-1. When it costs at most lambda times
 * the mean of all edges, its edges are gated too.
 *
 * All in float32 and in a fixed order, so that every machine makes the same mask.
 */
#ifndef EXAMPLE_MINCUT_H
#define EXAMPLE_MINCUT_H

#include <stddef.h>
#include <stdint.h>

/** Working memory, made once for the largest n. */
struct mincut {
    size_t max_len;
    float *forward; /* n x n: free capacity of edge i -> j */
    float *back;    /* n x n: flow of edge i -> j, which can be undone, in row j and column i */
    int32_t *level; /* of the node in the search from node 0; -1: not reached */
    uint32_t *queue;
    uint32_t *arc;  /* of each node: the first of its arcs that the search has not finished */
    uint32_t *path; /* nodes from 0 on */
};

struct mincut_result {
    float cut_cost; /* 0: no edges were removed */
    size_t kept;
    size_t total; /* n x n */
};

/** Allocates the memory. Returns 0, or -1 when there is no memory. */
int mincut_init(struct mincut *m, size_t max_len);

/** Frees the memory. May be called after mincut_init() failed. */
void mincut_release(struct mincut *m);

/** Returns the bytes of the memory that a matrix of this size uses. */
size_t mincut_bytes(size_t len);

/** Sets keep, len x len, to 1 and 0. Logits must be finite; len <= max_len. */
void mincut_gate(struct mincut *m, const float *logits, size_t len, float lambda, float eps,
                 uint8_t *keep, struct mincut_result *ret);

#endif
