/*
 * Unwinding: from one frame to its caller, on a copy of the stack.
 *
 * Call frame information is what the compiler left in .eh_frame. tch_cfi_find() looks it up by
 * address and returns a row: how to compute each register of the caller. tch_unwind_step() applies
 * the row to the registers of a frame. Any bytes may come: information that makes no sense gives no
 * row.
 */
#ifndef TCH_UNWIND_H
#define TCH_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** By DWARF's numbers for x86-64. */
enum { TCH_REG_BP = 6, TCH_REG_SP = 7, TCH_REG_RA = 16, TCH_REGS = 17 };

enum tch_cfi_how {
    TCH_CFI_SAME,      /**< the caller has what we have */
    TCH_CFI_AT,        /**< in memory, at CFA + value */
    TCH_CFI_IS,        /**< is CFA + value */
    TCH_CFI_REGISTER,  /**< in register `value` */
    TCH_CFI_UNDEFINED, /**< lost; of the return address: this is the outermost frame */
    TCH_CFI_AT_EXPR, /**< in memory, at the value of the expression at byte `value` of .eh_frame */
    TCH_CFI_IS_EXPR, /**< is the value of that expression */
};

/** How to compute the registers of the caller at one address. It is zeroed before it is filled, so
    that equal rows are equal bytes. */
struct tch_cfi_row {
    int32_t value[TCH_REGS];
    uint8_t how[TCH_REGS]; /**< enum tch_cfi_how */
    uint8_t cfa_register;
    uint8_t cfa_expr; /**< cfa_value is an expression, as of TCH_CFI_IS_EXPR */
    uint8_t signal;   /**< a signal's frame: the caller was interrupted, it did not call */
    int32_t cfa_value;
};

struct tch_cfi_fde {
    uint64_t start; /* address of the function */
    uint64_t at;    /* of the entry in .eh_frame */
};

/** All zero is none. The sections are owned. */
struct tch_cfi {
    uint8_t *frame; /**< .eh_frame, or .debug_frame */
    size_t frame_len;
    uint64_t frame_addr;
    uint8_t *header; /**< .eh_frame_hdr, with its sorted table; or NULL: our own index */
    size_t header_len;
    uint64_t header_addr;
    size_t table_at; /* in header */
    size_t count;    /* of the table or of the index */
    struct tch_cfi_fde *index;
    bool debug; /* frame is .debug_frame */
};

/**
 * Owns both sections, which are from malloc(); header may be NULL. False: memory ran out.
 * A header that cannot be used is replaced by an index of our own.
 */
bool tch_cfi_init(struct tch_cfi *cfi, uint8_t *frame, size_t frame_len, uint64_t frame_addr,
                  uint8_t *header, size_t header_len, uint64_t header_addr);

/** Does so for a .debug_frame, whose rows have no expressions: rules with one are left out. */
bool tch_cfi_init_debug(struct tch_cfi *cfi, uint8_t *frame, size_t frame_len);
void tch_cfi_release(struct tch_cfi *cfi);

/** Finds the row for an address; false: there is none. */
bool tch_cfi_find(const struct tch_cfi *cfi, uint64_t addr, struct tch_cfi_row *ret);

/** Finds where the function at an address starts; false: .eh_frame does not say. */
bool tch_cfi_function(const struct tch_cfi *cfi, uint64_t addr, uint64_t *ret);

/** The registers of a frame, by DWARF's numbers; TCH_REG_RA is the instruction pointer. */
struct tch_regs {
    uint64_t r[TCH_REGS];
    uint32_t known; /**< a bit for each that has a value */
};

/** The bytes that the kernel copied, from the stack pointer on. */
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

/** Goes one frame up by a row of cfi. */
enum tch_unwound tch_unwind_step(const struct tch_cfi *cfi, const struct tch_cfi_row *row,
                                 const struct tch_stack_copy *stack, struct tch_regs *regs);

/** Goes one frame up by the frame pointer, for code without information, such as a JIT's. */
enum tch_unwound tch_unwind_step_fp(const struct tch_stack_copy *stack, struct tch_regs *regs);

/** Evaluates the expression whose length is at byte `at` of cfi's .eh_frame, with `cfa` on its
   stack if `with_cfa`. Returns false if it cannot, and sets *cut if the stack copy is too short. */
bool tch_unwind_expr(const struct tch_cfi *cfi, size_t at, const struct tch_regs *regs,
                     const struct tch_stack_copy *stack, bool with_cfa, uint64_t cfa, uint64_t *ret,
                     bool *cut);

#endif
