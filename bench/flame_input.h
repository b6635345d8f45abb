/*
 * Profiles to measure with, made from a seed: the same bytes on every machine.
 *
 * A program is an infinite tree of calls. It has 4,096 functions with names of 12 to 40 bytes;
 * every node of the tree calls `fan_out` functions, drawn once for that node. A stack is a walk
 * from the root down.
 */
#ifndef BENCH_FLAME_INPUT_H
#define BENCH_FLAME_INPUT_H

#include <stdint.h>
#include <stdio.h>

struct flame_shape {
    uint64_t stacks;  /* lines of a folded file, all distinct; samples of perf's text */
    unsigned shallow; /* smallest number of frames of a stack */
    unsigned deep;    /* largest number; all numbers between are equally likely */
    unsigned fan_out;
};

/** 1,000,000 stacks of 18 to 34 frames, unsorted, 530 MB. Each node calls four others with equal
    probability. */
extern const struct flame_shape flame_folded_shape;

/** 320,000 samples of 14 to 28 frames in perf's text, 640 MB. Nine of ten calls go to the first of
    the four callees, so stacks repeat: a third of them are distinct. Every function has three
    addresses. */
extern const struct flame_shape flame_perf_shape;

/** Write a profile of this shape. Return 0, or -1 when the file cannot be written. */
int flame_write_folded(FILE *file, const struct flame_shape *shape);
int flame_write_perf(FILE *file, const struct flame_shape *shape);

#endif
