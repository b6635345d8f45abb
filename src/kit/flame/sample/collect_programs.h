/*
 * The programs of a capture, how well their stacks were followed, and what would help.
 */
#ifndef TCH_COLLECT_PROGRAMS_H
#define TCH_COLLECT_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/intern.h"

/** What runs the code of a program. */
enum tch_runtime {
    TCH_RUNTIME_NATIVE,
    TCH_RUNTIME_JAVA,
    TCH_RUNTIME_NODE,
    TCH_RUNTIME_PYTHON,
};

/** All processes of one program together. */
struct tch_flame_program {
    enum tch_runtime runtime;
    uint64_t samples;   /**< with user code */
    uint64_t truncated; /**< of these: not followed to the root */
    uint64_t cut;       /**< of the truncated: because the copy of the stack was too short */
    uint64_t jit;       /**< with code that was compiled at run time */
    uint64_t places;    /**< of such code, each counted once */
    uint64_t unnamed;   /**< of these: without a name */
};

/** All zero is empty. Number 0 is a process whose program is not known. */
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
 * Adds one line, ended by '\0', for each program most of whose stacks are truncated or anonymous.
 *
 * @param stack_bytes  how much of a stack was copied; 0: nothing
 */
void tch_programs_advise(const struct tch_flame_programs *programs, uint32_t stack_bytes,
                         struct tch_buf *lines);

#endif
