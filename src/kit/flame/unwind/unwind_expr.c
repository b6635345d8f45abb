/* DWARF expressions, as far as unwinding needs them: PLT entries, realigned stacks, signal frames,
   hand-written assembly. */
#include "unwind.h"
#include "unwind_read.h"

enum { DEPTH_MAX = 32, STEPS_MAX = 1000 };

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

static void deref(struct eval *e, size_t size)
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

static void pick(struct eval *e, uint64_t n)
{
    if (n >= e->depth)
        e->c.bad = true;
    else
        push(e, e->stack[e->depth - 1 - n]);
}

/* Moves on or back by a signed number of bytes. */
static void jump(struct eval *e, int64_t by)
{
    if ((by < 0 && (uint64_t)-by > e->c.at) || (by > 0 && (uint64_t)by > e->c.end - e->c.at))
        e->c.bad = true;
    else
        e->c.at = (size_t)((int64_t)e->c.at + by);
}

static void binary(struct eval *e, uint64_t op)
{
    uint64_t b = pop(e);
    uint64_t a = pop(e);
    int64_t x = (int64_t)a;
    int64_t y = (int64_t)b;

    switch (op) {
    case 0x1a: /* and */
        push(e, a & b);
        break;
    case 0x1c: /* minus */
        push(e, a - b);
        break;
    case 0x1e: /* mul */
        push(e, a * b);
        break;
    case 0x21: /* or */
        push(e, a | b);
        break;
    case 0x22: /* plus */
        push(e, a + b);
        break;
    case 0x24: /* shl */
        push(e, b < 64 ? a << b : 0);
        break;
    case 0x25: /* shr */
        push(e, b < 64 ? a >> b : 0);
        break;
    case 0x26: /* shra */
        push(e, (uint64_t)(x >> (b < 64 ? b : 63)));
        break;
    case 0x27: /* xor */
        push(e, a ^ b);
        break;
    case 0x29: /* eq, ge, gt, le, lt, ne */
        push(e, a == b);
        break;
    case 0x2a:
        push(e, x >= y);
        break;
    case 0x2b:
        push(e, x > y);
        break;
    case 0x2c:
        push(e, x <= y);
        break;
    case 0x2d:
        push(e, x < y);
        break;
    case 0x2e:
        push(e, a != b);
        break;
    default:
        e->c.bad = true;
    }
}

static void constant(struct eval *e, uint64_t op)
{
    size_t size = (size_t)1 << (op - 0x08) / 2; /* const1u, const1s, const2u ... const8s */

    if (op == 0x10)
        push(e, tch_take_uleb(&e->c));
    else if (op == 0x11)
        push(e, (uint64_t)tch_take_sleb(&e->c));
    else if (op % 2 == 1)
        push(e, (uint64_t)tch_take_signed(&e->c, size));
    else
        push(e, tch_take(&e->c, size));
}

static void other(struct eval *e, uint64_t op)
{
    int64_t by;

    switch (op) {
    case 0x03: /* addr */
        push(e, tch_take(&e->c, 8));
        break;
    case 0x06: /* deref */
        deref(e, 8);
        break;
    case 0x94: /* deref_size */
        deref(e, tch_take(&e->c, 1));
        break;
    case 0x12: /* dup */
        pick(e, 0);
        break;
    case 0x13: /* drop */
        pop(e);
        break;
    case 0x14: /* over */
        pick(e, 1);
        break;
    case 0x15: /* pick */
        pick(e, tch_take(&e->c, 1));
        break;
    case 0x1f: /* neg */
        push(e, 0 - pop(e));
        break;
    case 0x20: /* not */
        push(e, ~pop(e));
        break;
    case 0x23: /* plus_uconst */
        push(e, pop(e) + tch_take_uleb(&e->c));
        break;
    case 0x28: /* bra */
        by = tch_take_signed(&e->c, 2);
        if (pop(e) != 0)
            jump(e, by);
        break;
    case 0x2f: /* skip */
        jump(e, tch_take_signed(&e->c, 2));
        break;
    case 0x96: /* nop */
        break;
    default:
        binary(e, op);
    }
}

static void step(struct eval *e)
{
    uint64_t op = tch_take(&e->c, 1);

    if (op >= 0x08 && op <= 0x11) {
        constant(e, op);
    } else if (op >= 0x30 && op <= 0x4f) { /* lit0 ... */
        push(e, op - 0x30);
    } else if (op >= 0x70 && op <= 0x8f) { /* breg0 ... */
        push_register(e, op - 0x70, tch_take_sleb(&e->c));
    } else if (op == 0x92) { /* bregx */
        uint64_t reg = tch_take_uleb(&e->c);

        push_register(e, reg, tch_take_sleb(&e->c));
    } else {
        other(e, op);
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
    uint64_t len = tch_take_uleb(&e.c);

    if (e.c.bad || len > e.c.end - e.c.at)
        return false;
    e.c.end = e.c.at + len;
    if (with_cfa)
        push(&e, cfa);
    for (int steps = 0; e.c.at < e.c.end && !e.c.bad; steps++) {
        if (steps == STEPS_MAX)
            return false;
        step(&e);
    }
    if (e.c.bad || e.depth == 0)
        return false;
    *ret = e.stack[e.depth - 1];
    return true;
}
