/*
 * Evaluates the DWARF expressions that unwind information uses: for PLT entries, realigned stacks,
 * signal frames, hand-written assembly. The operations are those of DWARF 5, section 2.5.
 */
#include "unwind_read.h"

enum { DEPTH_MAX = 32, STEPS_MAX = 1000 };

/* The numbers are repeated here, because only symbol_dwarf.c may include <dwarf.h>. */
enum {
    DW_OP_addr = 0x03,
    DW_OP_deref = 0x06,
    DW_OP_const1u = 0x08, /* then const1s, const2u ... const8s */
    DW_OP_const8s = 0x0f,
    DW_OP_constu = 0x10,
    DW_OP_consts = 0x11,
    DW_OP_dup = 0x12,
    DW_OP_drop = 0x13,
    DW_OP_over = 0x14,
    DW_OP_pick = 0x15,
    DW_OP_and = 0x1a,
    DW_OP_minus = 0x1c,
    DW_OP_mul = 0x1e,
    DW_OP_neg = 0x1f,
    DW_OP_not = 0x20,
    DW_OP_or = 0x21,
    DW_OP_plus = 0x22,
    DW_OP_plus_uconst = 0x23,
    DW_OP_shl = 0x24,
    DW_OP_shr = 0x25,
    DW_OP_shra = 0x26,
    DW_OP_xor = 0x27,
    DW_OP_bra = 0x28,
    DW_OP_eq = 0x29,
    DW_OP_ge = 0x2a,
    DW_OP_gt = 0x2b,
    DW_OP_le = 0x2c,
    DW_OP_lt = 0x2d,
    DW_OP_ne = 0x2e,
    DW_OP_skip = 0x2f,
    DW_OP_lit0 = 0x30,
    DW_OP_lit31 = 0x4f,
    DW_OP_breg0 = 0x70,
    DW_OP_breg31 = 0x8f,
    DW_OP_bregx = 0x92,
    DW_OP_deref_size = 0x94,
    DW_OP_nop = 0x96,
};

struct eval {
    struct tch_cursor c;
    uint64_t stack[DEPTH_MAX];
    size_t depth;
    const struct tch_regs *regs;
    const struct tch_stack_copy *memory;
    bool *cut;
};

static void push(struct eval *e, uint64_t value)
{
    if (e->depth == DEPTH_MAX)
        e->c.bad = true;
    else
        e->stack[e->depth++] = value;
}

static uint64_t pop(struct eval *e)
{
    if (e->depth == 0) {
        e->c.bad = true;
        return 0;
    }
    return e->stack[--e->depth];
}

static void push_register(struct eval *e, uint64_t reg, int64_t offset)
{
    if (reg >= TCH_REGS || !(e->regs->known >> reg & 1))
        e->c.bad = true;
    else
        push(e, e->regs->r[reg] + (uint64_t)offset);
}

/* Replaces the address on top of the stack by the bytes of the stack copy at that address. */
static void push_memory(struct eval *e, size_t size)
{
    uint64_t addr = pop(e);
    uint64_t offset = addr - e->memory->start;
    uint64_t value = 0;

    if (addr >= e->memory->start && (offset > e->memory->len || e->memory->len - offset < size))
        *e->cut = true;
    if (size > sizeof value || addr < e->memory->start || *e->cut) {
        e->c.bad = true;
        return;
    }
    memcpy(&value, e->memory->data + offset, size);
    push(e, value);
}

/* Pushes a copy of the n-th value below the top. */
static void push_copy(struct eval *e, uint64_t n)
{
    if (n >= e->depth)
        e->c.bad = true;
    else
        push(e, e->stack[e->depth - 1 - n]);
}

static void jump(struct eval *e, int64_t by)
{
    if ((by < 0 && (uint64_t)-by > e->c.at) || (by > 0 && (uint64_t)by > e->c.end - e->c.at))
        e->c.bad = true;
    else
        e->c.at = (size_t)((int64_t)e->c.at + by);
}

/* Runs an operation that pushes a constant or a register. Returns false if `op` is another one. */
static bool run_push(struct eval *e, uint64_t op)
{
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
        push(e, op - DW_OP_lit0);
    } else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
        push_register(e, op - DW_OP_breg0, tch_cursor_sleb(&e->c));
    } else if (op == DW_OP_bregx) {
        uint64_t reg = tch_cursor_uleb(&e->c);

        push_register(e, reg, tch_cursor_sleb(&e->c));
    } else if (op >= DW_OP_const1u && op <= DW_OP_const8s) {
        size_t size = (size_t)1 << (op - DW_OP_const1u) / 2;

        push(e, (op - DW_OP_const1u) % 2 == 0 ? tch_cursor_u(&e->c, size)
                                              : (uint64_t)tch_cursor_i(&e->c, size));
    } else if (op == DW_OP_constu) {
        push(e, tch_cursor_uleb(&e->c));
    } else if (op == DW_OP_consts) {
        push(e, (uint64_t)tch_cursor_sleb(&e->c));
    } else if (op == DW_OP_addr) {
        push(e, tch_cursor_u(&e->c, 8));
    } else {
        return false;
    }
    return true;
}

/* Runs an operation on the top of the stack or on the cursor. Returns false if `op` is another
   one. */
static bool run_unary(struct eval *e, uint64_t op)
{
    int64_t by;

    switch (op) {
    case DW_OP_deref:
        push_memory(e, 8);
        return true;
    case DW_OP_deref_size:
        push_memory(e, tch_cursor_u(&e->c, 1));
        return true;
    case DW_OP_dup:
        push_copy(e, 0);
        return true;
    case DW_OP_drop:
        pop(e);
        return true;
    case DW_OP_over:
        push_copy(e, 1);
        return true;
    case DW_OP_pick:
        push_copy(e, tch_cursor_u(&e->c, 1));
        return true;
    case DW_OP_neg:
        push(e, 0 - pop(e));
        return true;
    case DW_OP_not:
        push(e, ~pop(e));
        return true;
    case DW_OP_plus_uconst:
        push(e, pop(e) + tch_cursor_uleb(&e->c));
        return true;
    case DW_OP_bra:
        by = tch_cursor_i(&e->c, 2);
        jump(e, pop(e) != 0 ? by : 0);
        return true;
    case DW_OP_skip:
        jump(e, tch_cursor_i(&e->c, 2));
        return true;
    default:
        return op == DW_OP_nop;
    }
}

/* Returns a OP b, where b was on top of the stack. Sets *bad if op is not a binary operation. */
static uint64_t compute(uint64_t op, uint64_t a, uint64_t b, bool *bad)
{
    int64_t x = (int64_t)a;
    int64_t y = (int64_t)b;

    switch (op) {
    case DW_OP_and:
        return a & b;
    case DW_OP_minus:
        return a - b;
    case DW_OP_mul:
        return a * b;
    case DW_OP_or:
        return a | b;
    case DW_OP_plus:
        return a + b;
    case DW_OP_shl:
        return b < 64 ? a << b : 0;
    case DW_OP_shr:
        return b < 64 ? a >> b : 0;
    case DW_OP_shra:
        return (uint64_t)(x >> (b < 64 ? b : 63));
    case DW_OP_xor:
        return a ^ b;
    case DW_OP_eq:
        return a == b;
    case DW_OP_ge:
        return x >= y;
    case DW_OP_gt:
        return x > y;
    case DW_OP_le:
        return x <= y;
    case DW_OP_lt:
        return x < y;
    case DW_OP_ne:
        return a != b;
    default:
        *bad = true;
        return 0;
    }
}

bool tch_unwind_expr(const struct tch_cfi *cfi, size_t at, const struct tch_regs *regs,
                     const struct tch_stack_copy *stack, bool with_cfa, uint64_t cfa, uint64_t *ret,
                     bool *cut)
{
    struct eval e = {.c = {cfi->frame, at, cfi->frame_len, at > cfi->frame_len},
                     .regs = regs,
                     .memory = stack,
                     .cut = cut};
    uint64_t len = tch_cursor_uleb(&e.c);

    if (e.c.bad || len > e.c.end - e.c.at)
        return false;
    e.c.end = e.c.at + len;
    if (with_cfa)
        push(&e, cfa);
    for (int steps = 0; e.c.at < e.c.end && !e.c.bad; steps++) {
        uint64_t op;
        uint64_t top;

        if (steps == STEPS_MAX)
            return false;
        op = tch_cursor_u(&e.c, 1);
        if (run_push(&e, op) || run_unary(&e, op))
            continue;
        top = pop(&e);
        push(&e, compute(op, pop(&e), top, &e.c.bad));
    }
    if (e.c.bad || e.depth == 0)
        return false;
    *ret = e.stack[e.depth - 1];
    return true;
}
