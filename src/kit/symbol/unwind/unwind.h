/*
 * Unwinds a copy of a stack, one frame at a time (x86-64; DWARF 5, section 6.4).
 *
 *     unwind_cfi.c     finds the entry (FDE) of an address: by the sorted table of .eh_frame_hdr,
 *                      else by an index of our own
 *     unwind_rows.c    runs the entry's instructions up to the address; the result is a row: how
 *                      to compute each register of the caller
 *     unwind.c         applies a row to the registers and the stack copy of a frame
 *     unwind_expr.c    evaluates the DWARF expressions that some rows have
 *
 * kit/symbol/object/code_object.c reads the sections, and code_place.c caches the row of each
 * distinct address.
 *
 * A step returns one of four results (enum tch_unwound): the caller's registers; the root was
 * reached; the copy of the stack is too short; the information is missing or contradicts the stack.
 *
 * Files are not trusted. Every read is bounds-checked (struct tch_cursor); lengths, instructions
 * and expressions are limited; information that makes no sense gives no row. The stack pointer must
 * not decrease from frame to frame, except in a signal frame, and the caller limits the number of
 * frames, so unwinding always ends.
 *
 * No state is global, and finding and stepping do not modify the tables.
 *
 * This is the face of src/kit/symbol/unwind/.
 */
#ifndef TCH_UNWIND_H
#define TCH_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Register numbers of DWARF for x86-64. */
enum { TCH_REG_BP = 6, TCH_REG_SP = 7, TCH_REG_RA = 16, TCH_REGS = 17 };

enum tch_cfi_how {
    TCH_CFI_SAME,      /**< the caller's value is that of this frame */
    TCH_CFI_AT,        /**< in memory, at CFA + value */
    TCH_CFI_IS,        /**< the value is CFA + value */
    TCH_CFI_REGISTER,  /**< in register `value` */
    TCH_CFI_UNDEFINED, /**< lost; for the return address: this is the outermost frame */
    TCH_CFI_AT_EXPR, /**< in memory, at the value of the expression at byte `value` of .eh_frame */
    TCH_CFI_IS_EXPR, /**< the value is that of the expression */
};

/** A row: how to compute the registers of the caller at one address. It is zeroed before it is
    filled, so that equal rows have equal bytes. */
struct tch_cfi_row {
    int32_t value[TCH_REGS];
    uint8_t how[TCH_REGS]; /**< enum tch_cfi_how */
    uint8_t cfa_register;
    uint8_t cfa_expr; /**< cfa_value is the offset of an expression, as for TCH_CFI_IS_EXPR */
    uint8_t signal;   /**< a signal frame: the next frame was interrupted and did not make a call */
    int32_t cfa_value;
};

struct tch_cfi_fde {
    uint64_t start; /* address of the function */
    uint64_t at;    /* offset of the entry in .eh_frame */
};

/** The unwind information of one file. All zero is empty. It owns the sections. */
struct tch_cfi {
    uint8_t *frame; /**< .eh_frame, or .debug_frame */
    size_t frame_len;
    uint64_t frame_addr;
    uint8_t *header; /**< .eh_frame_hdr, with its sorted table; NULL: the index below is used */
    size_t header_len;
    uint64_t header_addr;
    size_t table_at; /* offset of the table in header */
    size_t count;    /* entries of the table or of the index */
    struct tch_cfi_fde *index;
    bool debug; /* frame is a .debug_frame */
};

/**
 * Prepares an .eh_frame for searching. Takes over both sections, which are from malloc(). header
 * may be NULL; if it is missing or unusable, an index is built. Returns false if memory runs out.
 */
bool tch_cfi_init(struct tch_cfi *cfi, uint8_t *frame, size_t frame_len, uint64_t frame_addr,
                  uint8_t *header, size_t header_len, uint64_t header_addr);

/** Prepares a .debug_frame likewise. Rules with expressions are left out of its rows. */
bool tch_cfi_init_debug(struct tch_cfi *cfi, uint8_t *frame, size_t frame_len);
void tch_cfi_release(struct tch_cfi *cfi);

/** Finds the row for an address; false: there is none. */
bool tch_cfi_find(const struct tch_cfi *cfi, uint64_t addr, struct tch_cfi_row *ret);

/** Finds the start of the function that contains an address. Returns false if .eh_frame does not
    cover it. */
bool tch_cfi_function(const struct tch_cfi *cfi, uint64_t addr, uint64_t *ret);

/** The registers of a frame, by DWARF's numbers. TCH_REG_RA is the instruction pointer. */
struct tch_regs {
    uint64_t r[TCH_REGS];
    uint32_t known; /**< one bit for each register whose value is known */
};

/** The bytes of a stack that were copied, from the stack pointer upward. */
struct tch_stack_copy {
    uint64_t start;
    const uint8_t *data;
    size_t len;
};

enum tch_unwound {
    TCH_UNWOUND_STEP, /**< regs are now the caller's */
    TCH_UNWOUND_END,  /**< the frame was the outermost one */
    TCH_UNWOUND_CUT,  /**< the copy of the stack is too short */
    TCH_UNWOUND_LOST, /**< the information is missing or contradicts the stack */
};

/** Unwinds one frame by a row of cfi. */
enum tch_unwound tch_unwind_step(const struct tch_cfi *cfi, const struct tch_cfi_row *row,
                                 const struct tch_stack_copy *stack, struct tch_regs *regs);

/** Unwinds one frame by the frame pointer, for code without unwind information, such as a JIT's. */
enum tch_unwound tch_unwind_step_fp(const struct tch_stack_copy *stack, struct tch_regs *regs);

/** Evaluates the expression whose length is at byte `at` of cfi's .eh_frame, with `cfa` on its
    stack if `with_cfa`. Returns false on failure, and sets *cut if the stack copy is too short. */
bool tch_unwind_expr(const struct tch_cfi *cfi, size_t at, const struct tch_regs *regs,
                     const struct tch_stack_copy *stack, bool with_cfa, uint64_t cfa, uint64_t *ret,
                     bool *cut);

#endif
