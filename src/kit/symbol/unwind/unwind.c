/* Computes the registers of the caller of a frame. unwind.h has the map. */
#include "unwind.h"

/* Loads the word at an address of the stack. Returns false if it was not copied, and sets *cut if
   it is above the end of the copy. */
static bool load_word(const struct tch_stack_copy *stack, uint64_t addr, uint64_t *ret, bool *cut)
{
    uint64_t offset = addr - stack->start;

    if (addr < stack->start)
        return false;
    if (offset > stack->len || stack->len - offset < sizeof *ret) {
        *cut = true;
        return false;
    }
    memcpy(ret, stack->data + offset, sizeof *ret);
    return true;
}

static bool get_register(const struct tch_regs *regs, uint64_t reg, uint64_t *ret)
{
    if (reg >= TCH_REGS || !(regs->known >> reg & 1))
        return false;
    *ret = regs->r[reg];
    return true;
}

static bool find_cfa(const struct tch_cfi *cfi, const struct tch_cfi_row *row,
                     const struct tch_stack_copy *stack, const struct tch_regs *regs, uint64_t *ret,
                     bool *cut)
{
    uint64_t base;

    if (row->cfa_expr)
        return tch_unwind_expr(cfi, (size_t)row->cfa_value, regs, stack, false, 0, ret, cut);
    if (!get_register(regs, row->cfa_register, &base))
        return false;
    *ret = base + (uint64_t)(int64_t)row->cfa_value;
    return true;
}

/* Computes register i of the caller. Returns false if its value is unknown. */
static bool find_register(const struct tch_cfi *cfi, const struct tch_cfi_row *row, unsigned i,
                          const struct tch_stack_copy *stack, const struct tch_regs *regs,
                          uint64_t cfa, uint64_t *ret, bool *cut)
{
    uint64_t offset = (uint64_t)(int64_t)row->value[i];
    uint64_t addr;

    switch ((enum tch_cfi_how)row->how[i]) {
    case TCH_CFI_SAME:
        return get_register(regs, i, ret);
    case TCH_CFI_AT:
        return load_word(stack, cfa + offset, ret, cut);
    case TCH_CFI_IS:
        *ret = cfa + offset;
        return true;
    case TCH_CFI_REGISTER:
        return get_register(regs, offset, ret);
    case TCH_CFI_AT_EXPR:
        return tch_unwind_expr(cfi, (size_t)offset, regs, stack, true, cfa, &addr, cut) &&
               load_word(stack, addr, ret, cut);
    case TCH_CFI_IS_EXPR:
        return tch_unwind_expr(cfi, (size_t)offset, regs, stack, true, cfa, ret, cut);
    case TCH_CFI_UNDEFINED:
        break;
    }
    return false;
}

enum tch_unwound tch_unwind_step(const struct tch_cfi *cfi, const struct tch_cfi_row *row,
                                 const struct tch_stack_copy *stack, struct tch_regs *regs)
{
    struct tch_regs caller = {.known = 0};
    bool cut = false;
    bool ignored = false;
    uint64_t cfa;

    if (row->how[TCH_REG_RA] == TCH_CFI_UNDEFINED)
        return TCH_UNWOUND_END;
    if (!find_cfa(cfi, row, stack, regs, &cfa, &cut))
        return cut ? TCH_UNWOUND_CUT : TCH_UNWOUND_LOST;
    for (unsigned i = 0; i < TCH_REGS; i++)
        if (find_register(cfi, row, i, stack, regs, cfa, &caller.r[i],
                          i == TCH_REG_RA ? &cut : &ignored))
            caller.known |= 1u << i;
    if (!(caller.known >> TCH_REG_RA & 1))
        return cut ? TCH_UNWOUND_CUT : TCH_UNWOUND_LOST;
    if (row->how[TCH_REG_SP] == TCH_CFI_SAME) {
        caller.r[TCH_REG_SP] = cfa; /* by definition, unless a rule says otherwise */
        caller.known |= 1u << TCH_REG_SP;
    }
    if (caller.r[TCH_REG_RA] == 0)
        return TCH_UNWOUND_END;
    /* The stack pointer of a caller is higher, or equal where the return address is in a register,
       as in vfork(). Only an interrupted frame may be on another stack. */
    if (!row->signal && cfa < regs->r[TCH_REG_SP] + (row->how[TCH_REG_RA] != TCH_CFI_REGISTER))
        return TCH_UNWOUND_LOST;
    *regs = caller;
    return TCH_UNWOUND_STEP;
}

enum tch_unwound tch_unwind_step_fp(const struct tch_stack_copy *stack, struct tch_regs *regs)
{
    bool cut = false;
    uint64_t bp;
    uint64_t ra;
    uint64_t fp;

    if (!get_register(regs, TCH_REG_BP, &bp) || bp % 8 != 0 || bp < regs->r[TCH_REG_SP])
        return TCH_UNWOUND_LOST;
    if (!load_word(stack, bp, &fp, &cut) || !load_word(stack, bp + 8, &ra, &cut))
        return TCH_UNWOUND_LOST;
    if (ra == 0)
        return TCH_UNWOUND_END;
    *regs = (struct tch_regs){.known = 1u << TCH_REG_BP | 1u << TCH_REG_SP | 1u << TCH_REG_RA};
    regs->r[TCH_REG_BP] = fp;
    regs->r[TCH_REG_SP] = bp + 16;
    regs->r[TCH_REG_RA] = ra;
    return TCH_UNWOUND_STEP;
}
