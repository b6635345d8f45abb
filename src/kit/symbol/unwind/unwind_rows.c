/*
 * Runs the instructions of an entry of .eh_frame up to an address. The result is a row. The
 * instructions are those of DWARF 5, section 6.4.2, and two of GNU's.
 */
#include "unwind_read.h"

enum {
    DW_CFA_nop = 0x00,
    DW_CFA_set_loc = 0x01,
    DW_CFA_advance_loc1 = 0x02,
    DW_CFA_advance_loc2 = 0x03,
    DW_CFA_advance_loc4 = 0x04,
    DW_CFA_offset_extended = 0x05,
    DW_CFA_restore_extended = 0x06,
    DW_CFA_undefined = 0x07,
    DW_CFA_same_value = 0x08,
    DW_CFA_register = 0x09,
    DW_CFA_remember_state = 0x0a,
    DW_CFA_restore_state = 0x0b,
    DW_CFA_def_cfa = 0x0c,
    DW_CFA_def_cfa_register = 0x0d,
    DW_CFA_def_cfa_offset = 0x0e,
    DW_CFA_def_cfa_expression = 0x0f,
    DW_CFA_expression = 0x10,
    DW_CFA_offset_extended_sf = 0x11,
    DW_CFA_def_cfa_sf = 0x12,
    DW_CFA_def_cfa_offset_sf = 0x13,
    DW_CFA_val_offset = 0x14,
    DW_CFA_val_offset_sf = 0x15,
    DW_CFA_val_expression = 0x16,
    DW_CFA_GNU_args_size = 0x2e,
    DW_CFA_GNU_negative_offset_extended = 0x2f,

    /* The low six bits of these are an operand. */
    DW_CFA_advance_loc = 0x40,
    DW_CFA_offset = 0x80,
    DW_CFA_restore = 0xc0,
    OPERAND_MASK = 0x3f,
};

enum { REMEMBER_MAX = 8 };

struct machine {
    struct tch_cfi_row row;
    /* The row after the CIE's instructions, to which "restore" resets a register. */
    struct tch_cfi_row initial;
    struct tch_cfi_row remembered[REMEMBER_MAX];
    size_t depth;
    uint64_t pc;
    const struct tch_cfi_cie *cie;
    uint64_t frame_addr;
};

static void set_rule(struct machine *m, uint64_t reg, enum tch_cfi_how how, int64_t value,
                     struct tch_cursor *c)
{
    if (value < INT32_MIN || value > INT32_MAX)
        c->bad = true;
    if (reg >= TCH_REGS)
        return; /* a vector register, which unwinding does not need */
    m->row.how[reg] = (uint8_t)how;
    m->row.value[reg] = (int32_t)value;
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t value, struct tch_cursor *c)
{
    if (reg >= TCH_REGS || value < INT32_MIN || value > INT32_MAX)
        c->bad = true;
    m->row.cfa_register = (uint8_t)reg;
    m->row.cfa_expr = 0;
    m->row.cfa_value = (int32_t)value;
}

/* Multiplies by an alignment factor of the CIE. After an overflow returns a value that set_rule()
   and set_cfa() reject. */
static int64_t scale(int64_t factor, int64_t align)
{
    int64_t value;

    return __builtin_mul_overflow(factor, align, &value) ? INT64_MAX : value;
}

/* Skips an expression and returns the offset of its length, by which it is evaluated later. */
static int64_t skip_expression(struct tch_cursor *c)
{
    int64_t at = (int64_t)c->at;

    tch_cursor_skip(c, tch_cursor_uleb(c));
    return at;
}

static void restore_register(struct machine *m, uint64_t reg)
{
    if (reg >= TCH_REGS)
        return;
    m->row.how[reg] = m->initial.how[reg];
    m->row.value[reg] = m->initial.value[reg];
}

static void remember_row(struct machine *m, struct tch_cursor *c)
{
    if (m->depth == REMEMBER_MAX)
        c->bad = true;
    else
        m->remembered[m->depth++] = m->row;
}

static void restore_row(struct machine *m, struct tch_cursor *c)
{
    if (m->depth == 0)
        c->bad = true;
    else
        m->row = m->remembered[--m->depth];
}

static void run_register_rule(struct machine *m, uint64_t op, struct tch_cursor *c)
{
    int64_t align = m->cie->data_align;
    uint64_t reg = tch_cursor_uleb(c);

    switch (op) {
    case DW_CFA_offset_extended:
        set_rule(m, reg, TCH_CFI_AT, scale((int64_t)tch_cursor_uleb(c), align), c);
        break;
    case DW_CFA_restore_extended:
        restore_register(m, reg);
        break;
    case DW_CFA_undefined:
        set_rule(m, reg, TCH_CFI_UNDEFINED, 0, c);
        break;
    case DW_CFA_same_value:
        set_rule(m, reg, TCH_CFI_SAME, 0, c);
        break;
    case DW_CFA_register: {
        uint64_t from = tch_cursor_uleb(c);

        c->bad |= from >= TCH_REGS;
        set_rule(m, reg, TCH_CFI_REGISTER, (int64_t)(from % TCH_REGS), c);
        break;
    }
    case DW_CFA_expression:
        set_rule(m, reg, TCH_CFI_AT_EXPR, skip_expression(c), c);
        break;
    case DW_CFA_offset_extended_sf:
        set_rule(m, reg, TCH_CFI_AT, scale(tch_cursor_sleb(c), align), c);
        break;
    case DW_CFA_val_offset:
        set_rule(m, reg, TCH_CFI_IS, scale((int64_t)tch_cursor_uleb(c), align), c);
        break;
    case DW_CFA_val_offset_sf:
        set_rule(m, reg, TCH_CFI_IS, scale(tch_cursor_sleb(c), align), c);
        break;
    case DW_CFA_val_expression:
        set_rule(m, reg, TCH_CFI_IS_EXPR, skip_expression(c), c);
        break;
    case DW_CFA_GNU_negative_offset_extended:
        set_rule(m, reg, TCH_CFI_AT, scale(-(int64_t)(tch_cursor_uleb(c) & INT32_MAX), align), c);
        break;
    default:
        c->bad = true;
    }
}

static void run_instruction(struct machine *m, uint64_t op, struct tch_cursor *c)
{
    int64_t align = m->cie->data_align;
    uint64_t reg;

    switch (op) {
    case DW_CFA_nop:
        break;
    case DW_CFA_set_loc:
        m->pc = tch_cfi_pointer(c, m->cie->encoding, m->frame_addr);
        break;
    case DW_CFA_advance_loc1:
    case DW_CFA_advance_loc2:
    case DW_CFA_advance_loc4:
        m->pc += tch_cursor_u(c, (size_t)1 << (op - DW_CFA_advance_loc1)) * m->cie->code_align;
        break;
    case DW_CFA_remember_state:
        remember_row(m, c);
        break;
    case DW_CFA_restore_state:
        restore_row(m, c);
        break;
    case DW_CFA_def_cfa:
        reg = tch_cursor_uleb(c);
        set_cfa(m, reg, (int64_t)tch_cursor_uleb(c), c);
        break;
    case DW_CFA_def_cfa_register:
        set_cfa(m, tch_cursor_uleb(c), m->row.cfa_value, c);
        break;
    case DW_CFA_def_cfa_offset:
        set_cfa(m, m->row.cfa_register, (int64_t)tch_cursor_uleb(c), c);
        break;
    case DW_CFA_def_cfa_expression:
        m->row.cfa_value = (int32_t)skip_expression(c);
        m->row.cfa_expr = 1;
        break;
    case DW_CFA_def_cfa_sf:
        reg = tch_cursor_uleb(c);
        set_cfa(m, reg, scale(tch_cursor_sleb(c), align), c);
        break;
    case DW_CFA_def_cfa_offset_sf:
        set_cfa(m, m->row.cfa_register, scale(tch_cursor_sleb(c), align), c);
        break;
    case DW_CFA_GNU_args_size:
        tch_cursor_uleb(c);
        break;
    default:
        run_register_rule(m, op, c);
    }
}

/* Runs the program until it describes code after addr. */
static bool run_program(struct machine *m, const struct tch_cfi *cfi, size_t at, size_t end,
                        uint64_t addr)
{
    struct tch_cursor c = {cfi->frame, at, end, false};

    while (c.at < c.end && !c.bad && m->pc <= addr) {
        uint64_t op = tch_cursor_u(&c, 1);
        uint64_t low = op & OPERAND_MASK;

        switch (op - low) {
        case DW_CFA_advance_loc:
            m->pc += low * m->cie->code_align;
            break;
        case DW_CFA_offset:
            set_rule(m, low, TCH_CFI_AT, scale((int64_t)tch_cursor_uleb(&c), m->cie->data_align),
                     &c);
            break;
        case DW_CFA_restore:
            restore_register(m, low);
            break;
        default:
            run_instruction(m, op, &c);
        }
    }
    return !c.bad;
}

/* Removes the rules of a row that are expressions. Returns false if the row is useless without
   them. */
static bool drop_expressions(struct tch_cfi_row *row)
{
    for (int i = 0; i < TCH_REGS; i++)
        if (row->how[i] == TCH_CFI_AT_EXPR || row->how[i] == TCH_CFI_IS_EXPR) {
            row->how[i] = TCH_CFI_UNDEFINED;
            row->value[i] = 0;
        }
    return !row->cfa_expr && row->how[TCH_REG_RA] != TCH_CFI_UNDEFINED;
}

bool tch_cfi_find(const struct tch_cfi *cfi, uint64_t addr, struct tch_cfi_row *ret)
{
    struct machine m;
    struct tch_cfi_entry entry;

    if (!tch_cfi_find_entry(cfi, addr, &entry))
        return false;
    memset(&m.row, 0, sizeof m.row);
    m.depth = 0;
    m.cie = &entry.cie;
    m.frame_addr = cfi->frame_addr;
    m.pc = 0;
    if (!run_program(&m, cfi, entry.cie.program, entry.cie.program_end, UINT64_MAX))
        return false;
    m.initial = m.row;
    m.pc = entry.start;
    if (!run_program(&m, cfi, entry.program, entry.program_end, addr))
        return false;
    *ret = m.row;
    ret->signal = entry.cie.signal;
    return !cfi->debug || drop_expressions(ret);
}
