/*
 * Exact counts of a command: instructions, system calls, allocations, allocated bytes, page faults.
 *
 * They are counted in extra runs that are not timed, in a fixed environment (kit/run/count/). A
 * count that is equal in all counted runs is exact: any change of it is real. A count has a key
 * (the tool, the CPU, the C library). Counts with different keys are not compared.
 */
#ifndef TCH_COUNTS_H
#define TCH_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "kit/stats/values.h"
#include "metric.h"

enum {
    TCH_COUNT_RUNS = 2, /* default number of counted runs for each count */
    TCH_COUNT_TEXT = 200,
    TCH_COUNT_PART_TEXT = 40,
    TCH_COUNT_PARTS = 1100,      /* limit of parts of one count; more than there are system calls */
    TCH_COUNT_STACKS = 4096,     /* limit of different stacks of one count */
    TCH_COUNT_STACK_TEXT = 4000, /* limit of the text of a stack */
};

/** A part of a count: the calls of one name. */
struct tch_count_part {
    char name[TCH_COUNT_PART_TEXT];
    double value;
};

/** Calls that were made with the same stack. */
struct tch_count_stack {
    char *text;   /**< functions, root first, then the call: "main;work;malloc" */
    double value; /**< number of calls; of allocated bytes: their number */
};

/** One count of a command. */
struct tch_count {
    bool asked;
    char why_not[TCH_COUNT_TEXT]; /**< why it cannot be counted; "" when it was */
    char source[TCH_COUNT_TEXT];  /**< what counted it */
    char key[TCH_COUNT_TEXT];     /**< what it depends on besides the program */
    struct tch_values values;     /**< one per counted run */
    double run_ns;                /**< wall time of the longest counted run */
    struct tch_count_part *parts; /**< parts in the first run, sorted by name */
    size_t part_count;
    struct tch_count_stack *stacks; /**< stacks of all calls, sorted by text; or NULL */
    size_t stack_count;
    char no_stacks[TCH_COUNT_TEXT]; /**< why there are no stacks; "" if nobody asked for them */
};

struct tch_counts {
    struct tch_count of[TCH_COUNTS];
};

/**
 * Parses a list such as "instructions,allocated-bytes" into one bit per kind. On failure *bad
 * points to the first unknown name.
 *
 * @return 0 or TACHO_EINVAL
 */
int tch_counts_parse_list(const char *text, unsigned *ret, const char **bad);

/** Finds a kind by its name, written with '-' or '_'. Returns false if there is none. */
bool tch_count_find(const char *name, size_t len, enum tch_count_kind *ret);

/** Returns whether two or more counted runs all gave the same value. */
bool tch_count_exact(const struct tch_count *c);

void tch_counts_release(struct tch_counts *counts);
void tch_count_stacks_release(struct tch_count *c);

/** Returns whether any count was asked for. */
bool tch_counts_asked(const struct tch_counts *counts);

/** Adds the tool that counted and its cost, or why the value cannot be counted. wall_ns: median
    time of a timed run; NAN: not known. */
void tch_count_add_source(struct tch_buf *b, const struct tch_count *c, double wall_ns);

/** Writes what to count, and in how many runs, as members of a plan. Writes nothing if nothing is
    counted. counts has one bit per kind. */
void tch_counts_write_plan(struct tch_buf *b, unsigned counts, uint64_t runs);

/** Writes the "counts" of run.json. */
void tch_counts_write(struct tch_buf *b, const struct tch_counts *counts);

/** Reads the "counts" of run.json, or null. Ignores unknown members. Returns 0, TACHO_EPARSE or
    TACHO_ENOMEM. Call tch_counts_release() in any case. */
int tch_counts_read(struct tch_json_reader *r, struct tch_counts *ret, tacho_error *err);

/** Parses them from a text. json may be NULL: no counts. */
int tch_counts_parse(const char *json, struct tch_counts *ret, tacho_error *err);

/** Adds how the parts of b differ from those of a, such as "openat +1, read -2": the largest
    differences first, at most `most` of them. Adds nothing if they are equal. */
void tch_count_add_difference(struct tch_buf *out, const struct tch_count *a,
                              const struct tch_count *b, size_t most);

/**
 * Adds which stacks differ, such as "malloc +1 in extra <- work <- main": the largest differences
 * first. If a is NULL or has no stacks, adds the stacks of b that made the most calls that
 * differ, and says so. Adds nothing if b has no stacks, or the reason if there is one.
 */
void tch_count_add_stacks(struct tch_buf *out, const struct tch_count *a,
                          const struct tch_count *b);

#endif
