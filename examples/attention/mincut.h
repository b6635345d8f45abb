/*
 * Min-cut gating: which entries of an n x n matrix of logits are kept.
 *
 * Entries not above eps are gated. The others are edges i -> j of a graph with the entry as their
 * capacity, and one minimum cut parts node 0 from node n-1. When it costs at most lambda times the
 * mean of all edges, its edges are gated too.
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
    float *forward; /* n x n: what an edge i -> j can still take */
    float *back;    /* n x n, row j: what of the flow i -> j can be given back, at column i */
    int32_t *level; /* of the node in the search from node 0; -1: not reached */
    uint32_t *queue;
    uint32_t *arc;  /* of each node: the first of its arcs that may still lead on */
    uint32_t *path; /* nodes from 0 on */
};

struct mincut_result {
    float cut_cost; /* 0 where nothing was cut */
    size_t kept;
    size_t total; /* n x n */
};

/** 0, or -1 when there is no memory. */
int mincut_init(struct mincut *m, size_t max_len);

/** Accepts one that mincut_init() failed on. */
void mincut_release(struct mincut *m);

/** Bytes that a matrix of this size uses of it. */
size_t mincut_bytes(size_t len);

/** Sets keep, len x len, to 1 and 0. Logits must be finite; len <= max_len. */
void mincut_gate(struct mincut *m, const float *logits, size_t len, float lambda, float eps,
                 uint8_t *keep, struct mincut_result *ret);

#endif
