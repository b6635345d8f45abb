/*
 * Counts per program of a capture how many stacks were unwound to their root, and advises what
 * would help where many were not.
 */
#ifndef TCH_COLLECT_PROGRAMS_H
#define TCH_COLLECT_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/intern.h"

/** The language runtime that executes a program. */
enum tch_runtime {
    TCH_RUNTIME_NATIVE,
    TCH_RUNTIME_JAVA,
    TCH_RUNTIME_NODE,
    TCH_RUNTIME_PYTHON,
};

/** The counts of all processes that run the same program. */
struct tch_flame_program {
    enum tch_runtime runtime;
    uint64_t samples;   /**< samples with user code */
    uint64_t truncated; /**< samples that were not unwound to the root */
    uint64_t cut;       /**< truncated samples whose copy of the stack was too short */
    uint64_t jit;       /**< samples with code that was compiled at run time */
    uint64_t places;    /**< distinct places in code that was compiled at run time */
    uint64_t unnamed;   /**< such places that have no name */
};

/** The programs of a capture. All zero is empty. Number 0 is for processes whose program is
    unknown. */
struct tch_flame_programs {
    struct tch_intern names;
    struct tch_flame_program *list; /**< names.count of them */
    size_t cap;
};

void tch_programs_release(struct tch_flame_programs *programs);

/** Finds or adds a program. Returns its number; TCH_INTERN_NONE: no memory. */
uint32_t tch_programs_add(struct tch_flame_programs *programs, const char *name);

/** Recognises a runtime by the name of a file that a process has mapped: "libjvm.so". */
enum tch_runtime tch_runtime_of(const char *file);

/**
 * Adds one line, terminated by '\0', for each program most of whose stacks are truncated or have no
 * names.
 *
 * @param stack_bytes  bytes copied per stack; 0: stacks were not copied
 */
void tch_programs_advise(const struct tch_flame_programs *programs, uint32_t stack_bytes,
                         struct tch_buf *lines);

#endif
