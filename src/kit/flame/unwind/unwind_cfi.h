/*
 * Call frame information: what the compiler left in .eh_frame about how to get from a frame to
 * its caller, looked up by address. Any bytes may come: what makes no sense gives no row.
 */
#ifndef TCH_UNWIND_CFI_H
#define TCH_UNWIND_CFI_H

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
    TCH_CFI_AT_EXPR,   /**< in memory, where the expression at byte `value` of .eh_frame says */
    TCH_CFI_IS_EXPR,   /**< what that says */
};

/** One row of the table that the information stands for. Plain bytes: zeroed before it is filled,
    so that equal rows are equal bytes. */
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
    uint8_t *frame; /**< .eh_frame */
    size_t frame_len;
    uint64_t frame_addr;
    uint8_t *header; /**< .eh_frame_hdr, with its sorted table; or NULL: our own index */
    size_t header_len;
    uint64_t header_addr;
    size_t table_at; /* in header */
    size_t count;    /* of the table or of the index */
    struct tch_cfi_fde *index;
};

/**
 * Takes over both sections, from malloc; header may be NULL. False: memory ran out.
 * A header that cannot be used is replaced by an index of our own.
 */
bool tch_cfi_init(struct tch_cfi *cfi, uint8_t *frame, size_t frame_len, uint64_t frame_addr,
                  uint8_t *header, size_t header_len, uint64_t header_addr);
void tch_cfi_release(struct tch_cfi *cfi);

/** The row for an address; false: there is none. */
bool tch_cfi_find(const struct tch_cfi *cfi, uint64_t addr, struct tch_cfi_row *ret);

#endif
