/* .eh_frame: finding the entry of an address, and running its program up to there. */
#include "unwind_cfi.h"

#include "kit/flame/grow.h"
#include "unwind_read.h"

/* DW_EH_PE_*: how an address is written. */
enum {
    PE_OMIT = 0xff,
    PE_FORMAT = 0x0f,
    PE_RELATIVE = 0x70,
    PE_PCREL = 0x10,
    PE_DATAREL = 0x30,
    PE_INDIRECT = 0x80,
    PE_TABLE = 0x3b, /* of .eh_frame_hdr: 4 bytes, signed, from the header's start */
};

/* What the entries of one compile unit share. */
struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t ra;
    uint8_t encoding; /* of addresses in FDEs */
    bool augmented;   /* an FDE has augmentation data */
    bool signal;
    size_t program; /* initial instructions */
    size_t program_end;
};

/* Where a function is, and its instructions. */
struct fde {
    struct cie cie;
    uint64_t start;
    uint64_t size;
    size_t program;
    size_t program_end;
};

static uint64_t take_plain(struct tch_cursor *c, uint8_t encoding)
{
    switch (encoding & PE_FORMAT) {
    case 0x00:
    case 0x04:
    case 0x0c:
        return tch_take(c, 8);
    case 0x01:
        return tch_take_uleb(c);
    case 0x02:
        return tch_take(c, 2);
    case 0x03:
        return tch_take(c, 4);
    case 0x09:
        return (uint64_t)tch_take_sleb(c);
    case 0x0a:
        return (uint64_t)tch_take_signed(c, 2);
    case 0x0b:
        return (uint64_t)tch_take_signed(c, 4);
    default:
        c->bad = true;
        return 0;
    }
}

/* addr: where the section is, for what is relative to its own place. */
static uint64_t take_pointer(struct tch_cursor *c, uint8_t encoding, uint64_t addr)
{
    uint64_t here = addr + c->at;
    uint64_t value = take_plain(c, encoding);

    if ((encoding & PE_RELATIVE) == PE_PCREL)
        return value + here;
    if ((encoding & PE_RELATIVE) != 0 || (encoding & PE_INDIRECT))
        c->bad = true;
    return value;
}

/* Steps into the entry at c: c->end becomes its end, *id what tells a CIE (0) from an FDE.
   False at the end of the section. */
static bool enter_entry(struct tch_cursor *c, uint64_t *id, size_t *id_at)
{
    uint64_t len = tch_take(c, 4);

    if (len == 0xffffffff)
        len = tch_take(c, 8);
    if (c->bad || len < 4 || len > c->end - c->at)
        return false;
    c->end = c->at + len;
    *id_at = c->at;
    *id = tch_take(c, 4);
    return true;
}

static void take_augmentation(struct tch_cursor *c, struct cie *cie, const char *letters)
{
    size_t end;
    uint64_t len;

    cie->augmented = letters[0] == 'z';
    if (!cie->augmented) {
        c->bad |= letters[0] != '\0';
        return;
    }
    len = tch_take_uleb(c);
    end = c->at;
    tch_skip(c, len);
    if (c->bad)
        return;
    c->at = end;
    end += len;
    for (letters++; *letters; letters++) {
        if (*letters == 'R')
            cie->encoding = (uint8_t)tch_take(c, 1);
        else if (*letters == 'P')
            take_plain(c, (uint8_t)tch_take(c, 1));
        else if (*letters == 'L')
            tch_take(c, 1);
        else if (*letters == 'S')
            cie->signal = true;
        else
            break; /* the length lets us pass over what we do not know */
    }
    c->at = end;
}

static bool read_cie(const struct tch_cfi *cfi, size_t at, struct cie *ret)
{
    struct tch_cursor c = {cfi->frame, at, cfi->frame_len, at > cfi->frame_len};
    const char *letters;
    uint64_t version;
    uint64_t id;
    size_t id_at;

    *ret = (struct cie){0};
    if (!enter_entry(&c, &id, &id_at) || id != 0)
        return false;
    version = tch_take(&c, 1);
    letters = (const char *)cfi->frame + c.at;
    if (c.bad || (version != 1 && version != 3) || !memchr(letters, '\0', c.end - c.at))
        return false;
    c.at += strlen(letters) + 1;
    ret->code_align = tch_take_uleb(&c);
    ret->data_align = tch_take_sleb(&c);
    ret->ra = version == 1 ? tch_take(&c, 1) : tch_take_uleb(&c);
    take_augmentation(&c, ret, letters);
    ret->program = c.at;
    ret->program_end = c.end;
    return !c.bad && ret->ra == TCH_REG_RA;
}

static bool read_fde(const struct tch_cfi *cfi, size_t at, struct fde *ret)
{
    struct tch_cursor c = {cfi->frame, at, cfi->frame_len, at > cfi->frame_len};
    uint64_t id;
    size_t id_at;

    if (!enter_entry(&c, &id, &id_at) || id == 0 || id > id_at ||
        !read_cie(cfi, id_at - id, &ret->cie))
        return false;
    ret->start = take_pointer(&c, ret->cie.encoding, cfi->frame_addr);
    ret->size = take_plain(&c, ret->cie.encoding & PE_FORMAT);
    if (ret->cie.augmented)
        tch_skip(&c, tch_take_uleb(&c));
    ret->program = c.at;
    ret->program_end = c.end;
    return !c.bad;
}

/* Our own index, for a file without a usable header. */

static int by_start(const void *a, const void *b)
{
    const struct tch_cfi_fde *x = a;
    const struct tch_cfi_fde *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

static bool build_index(struct tch_cfi *cfi)
{
    size_t cap = 0;

    for (size_t at = 0; at < cfi->frame_len;) {
        struct tch_cursor c = {cfi->frame, at, cfi->frame_len, false};
        struct fde fde;
        uint64_t id;
        size_t id_at;

        if (!enter_entry(&c, &id, &id_at))
            break;
        if (id != 0 && read_fde(cfi, at, &fde)) {
            if (!tch_grow((void **)&cfi->index, &cap, cfi->count + 1, sizeof *cfi->index))
                return false;
            cfi->index[cfi->count++] = (struct tch_cfi_fde){fde.start, at};
        }
        at = c.end;
    }
    if (cfi->count > 0)
        qsort(cfi->index, cfi->count, sizeof *cfi->index, by_start);
    return true;
}

/* Finds the sorted table of .eh_frame_hdr: count pairs of a function's start and its entry. */
static bool use_header(struct tch_cfi *cfi)
{
    struct tch_cursor c = {cfi->header, 0, cfi->header_len, false};
    uint64_t version = tch_take(&c, 1);
    uint8_t frame_encoding = (uint8_t)tch_take(&c, 1);
    uint8_t count_encoding = (uint8_t)tch_take(&c, 1);
    uint8_t table_encoding = (uint8_t)tch_take(&c, 1);
    uint64_t count;

    if (version != 1 || count_encoding == PE_OMIT || table_encoding != PE_TABLE)
        return false;
    take_plain(&c, frame_encoding);
    count = take_plain(&c, count_encoding);
    if (c.bad || count == 0 || count > (c.end - c.at) / 8)
        return false;
    cfi->table_at = c.at;
    cfi->count = count;
    return true;
}

bool tch_cfi_init(struct tch_cfi *cfi, uint8_t *frame, size_t frame_len, uint64_t frame_addr,
                  uint8_t *header, size_t header_len, uint64_t header_addr)
{
    *cfi = (struct tch_cfi){.frame = frame,
                            .frame_len = frame_len,
                            .frame_addr = frame_addr,
                            .header = header,
                            .header_len = header_len,
                            .header_addr = header_addr};
    if (!header || use_header(cfi))
        return header || build_index(cfi);
    free(cfi->header);
    cfi->header = NULL;
    return build_index(cfi);
}

void tch_cfi_release(struct tch_cfi *cfi)
{
    free(cfi->frame);
    free(cfi->header);
    free(cfi->index);
    *cfi = (struct tch_cfi){0};
}

static uint64_t header_addr(const struct tch_cfi *cfi, size_t i, size_t half)
{
    int32_t value;

    memcpy(&value, cfi->header + cfi->table_at + 8 * i + 4 * half, sizeof value);
    return cfi->header_addr + (uint64_t)(int64_t)value;
}

static uint64_t start_of(const struct tch_cfi *cfi, size_t i)
{
    return cfi->index ? cfi->index[i].start : header_addr(cfi, i, 0);
}

/* The entry of the last function that starts at or before addr. */
static bool find_fde(const struct tch_cfi *cfi, uint64_t addr, struct fde *ret)
{
    size_t low = 0;
    size_t high = cfi->count;
    uint64_t at;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (start_of(cfi, middle) <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    at = cfi->index ? cfi->index[low - 1].at : header_addr(cfi, low - 1, 1) - cfi->frame_addr;
    return at < cfi->frame_len && read_fde(cfi, (size_t)at, ret) && addr >= ret->start &&
           addr - ret->start < ret->size;
}

/* The program of an entry. */

enum { REMEMBER_MAX = 8 };

struct machine {
    struct tch_cfi_row row;
    struct tch_cfi_row initial; /* after the CIE's program: what "restore" goes back to */
    struct tch_cfi_row remembered[REMEMBER_MAX];
    size_t depth;
    uint64_t pc;
    const struct cie *cie;
    uint64_t frame_addr;
};

static void set_rule(struct machine *m, uint64_t reg, enum tch_cfi_how how, int64_t value,
                     struct tch_cursor *c)
{
    if (value < INT32_MIN || value > INT32_MAX)
        c->bad = true;
    if (reg >= TCH_REGS)
        return; /* vector registers: of no use here */
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

/* In units of the CIE; what overflows is no offset that set_rule() or set_cfa() takes. */
static int64_t scale(int64_t factor, int64_t align)
{
    int64_t value;

    return __builtin_mul_overflow(factor, align, &value) ? INT64_MAX : value;
}

/* An expression is known by where its length stands. */
static int64_t take_expression(struct tch_cursor *c)
{
    int64_t at = (int64_t)c->at;

    tch_skip(c, tch_take_uleb(c));
    return at;
}

static void restore(struct machine *m, uint64_t reg)
{
    if (reg >= TCH_REGS)
        return;
    m->row.how[reg] = m->initial.how[reg];
    m->row.value[reg] = m->initial.value[reg];
}

/* DW_CFA_remember_state and DW_CFA_restore_state. */
static void keep_row(struct machine *m, struct tch_cursor *c)
{
    if (m->depth == REMEMBER_MAX)
        c->bad = true;
    else
        m->remembered[m->depth++] = m->row;
}

static void back_to_row(struct machine *m, struct tch_cursor *c)
{
    if (m->depth == 0)
        c->bad = true;
    else
        m->row = m->remembered[--m->depth];
}

static void run_register(struct machine *m, uint64_t op, struct tch_cursor *c)
{
    int64_t align = m->cie->data_align;
    uint64_t reg = tch_take_uleb(c);

    switch (op) {
    case 0x05: /* offset_extended */
        set_rule(m, reg, TCH_CFI_AT, scale((int64_t)tch_take_uleb(c), align), c);
        break;
    case 0x06: /* restore_extended */
        restore(m, reg);
        break;
    case 0x07: /* undefined */
        set_rule(m, reg, TCH_CFI_UNDEFINED, 0, c);
        break;
    case 0x08: /* same_value */
        set_rule(m, reg, TCH_CFI_SAME, 0, c);
        break;
    case 0x09: { /* register */
        uint64_t from = tch_take_uleb(c);

        c->bad |= from >= TCH_REGS;
        set_rule(m, reg, TCH_CFI_REGISTER, (int64_t)(from % TCH_REGS), c);
        break;
    }
    case 0x10: /* expression */
        set_rule(m, reg, TCH_CFI_AT_EXPR, take_expression(c), c);
        break;
    case 0x11: /* offset_extended_sf */
        set_rule(m, reg, TCH_CFI_AT, scale(tch_take_sleb(c), align), c);
        break;
    case 0x14: /* val_offset */
        set_rule(m, reg, TCH_CFI_IS, scale((int64_t)tch_take_uleb(c), align), c);
        break;
    case 0x15: /* val_offset_sf */
        set_rule(m, reg, TCH_CFI_IS, scale(tch_take_sleb(c), align), c);
        break;
    case 0x16: /* val_expression */
        set_rule(m, reg, TCH_CFI_IS_EXPR, take_expression(c), c);
        break;
    case 0x2f: /* GNU_negative_offset_extended */
        set_rule(m, reg, TCH_CFI_AT, scale(-(int64_t)(tch_take_uleb(c) & INT32_MAX), align), c);
        break;
    default:
        c->bad = true;
    }
}

static void run_other(struct machine *m, uint64_t op, struct tch_cursor *c)
{
    int64_t align = m->cie->data_align;
    uint64_t reg;

    switch (op) {
    case 0x00: /* nop */
        break;
    case 0x01: /* set_loc */
        m->pc = take_pointer(c, m->cie->encoding, m->frame_addr);
        break;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        m->pc += tch_take(c, (size_t)1 << (op - 2)) * m->cie->code_align;
        break;
    case 0x0a:
        keep_row(m, c);
        break;
    case 0x0b:
        back_to_row(m, c);
        break;
    case 0x0c: /* def_cfa */
        reg = tch_take_uleb(c);
        set_cfa(m, reg, (int64_t)tch_take_uleb(c), c);
        break;
    case 0x0d: /* def_cfa_register */
        set_cfa(m, tch_take_uleb(c), m->row.cfa_value, c);
        break;
    case 0x0e: /* def_cfa_offset */
        set_cfa(m, m->row.cfa_register, (int64_t)tch_take_uleb(c), c);
        break;
    case 0x0f: /* def_cfa_expression */
        m->row.cfa_value = (int32_t)take_expression(c);
        m->row.cfa_expr = 1;
        break;
    case 0x12: /* def_cfa_sf */
        reg = tch_take_uleb(c);
        set_cfa(m, reg, scale(tch_take_sleb(c), align), c);
        break;
    case 0x13: /* def_cfa_offset_sf */
        set_cfa(m, m->row.cfa_register, scale(tch_take_sleb(c), align), c);
        break;
    case 0x2e: /* GNU_args_size */
        tch_take_uleb(c);
        break;
    default:
        run_register(m, op, c);
    }
}

/* Runs until the program is about code behind addr. */
static bool run(struct machine *m, const struct tch_cfi *cfi, size_t at, size_t end, uint64_t addr)
{
    struct tch_cursor c = {cfi->frame, at, end, false};

    while (c.at < c.end && !c.bad && m->pc <= addr) {
        uint64_t op = tch_take(&c, 1);
        uint64_t low = op & 0x3f;

        switch (op >> 6) {
        case 1:
            m->pc += low * m->cie->code_align;
            break;
        case 2:
            set_rule(m, low, TCH_CFI_AT, scale((int64_t)tch_take_uleb(&c), m->cie->data_align), &c);
            break;
        case 3:
            restore(m, low);
            break;
        default:
            run_other(m, op, &c);
        }
    }
    return !c.bad;
}

bool tch_cfi_find(const struct tch_cfi *cfi, uint64_t addr, struct tch_cfi_row *ret)
{
    struct machine m;
    struct fde fde;

    if (!find_fde(cfi, addr, &fde))
        return false;
    memset(&m.row, 0, sizeof m.row);
    m.depth = 0;
    m.cie = &fde.cie;
    m.frame_addr = cfi->frame_addr;
    m.pc = 0;
    if (!run(&m, cfi, fde.cie.program, fde.cie.program_end, UINT64_MAX))
        return false;
    m.initial = m.row;
    m.pc = fde.start;
    if (!run(&m, cfi, fde.program, fde.program_end, addr))
        return false;
    *ret = m.row;
    ret->signal = fde.cie.signal;
    return true;
}
