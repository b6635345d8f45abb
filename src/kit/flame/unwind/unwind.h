/*
 * From one frame to its caller, on a copy of the stack: registers in, registers out.
 */
#ifndef TCH_UNWIND_H
#define TCH_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind_cfi.h"

/** The registers of a frame, by DWARF's numbers; TCH_REG_RA is the instruction pointer. */
struct tch_regs {
    uint64_t r[TCH_REGS];
    uint32_t known; /**< a bit for each that has a value */
};

/** What the kernel copied, from the stack pointer on. */
struct tch_stack_copy {
    uint64_t start;
    const uint8_t *data;
    size_t len;
};

enum tch_unwound {
    TCH_UNWOUND_STEP, /**< regs are the caller's */
    TCH_UNWOUND_END,  /**< this was the outermost frame */
    TCH_UNWOUND_CUT,  /**< the copy ends here, the stack does not */
    TCH_UNWOUND_LOST, /**< the information does not fit what is there */
};

/** One step by a row; expressions are cfi's. */
enum tch_unwound tch_unwind_step(const struct tch_cfi *cfi, const struct tch_cfi_row *row,
                                 const struct tch_stack_copy *stack, struct tch_regs *regs);

/** One step by the frame pointer, for code without information, such as a JIT's. */
enum tch_unwound tch_unwind_step_fp(const struct tch_stack_copy *stack, struct tch_regs *regs);

/** Evaluates the expression whose length stands at byte `at` of cfi's .eh_frame, with `cfa` on its
    stack when `with_cfa`; false when it cannot be done, and *cut when that is for want of stack. */
bool tch_unwind_expr(const struct tch_cfi *cfi, size_t at, const struct tch_regs *regs,
                     const struct tch_stack_copy *stack, bool with_cfa, uint64_t cfa, uint64_t *ret,
                     bool *cut);

#endif
