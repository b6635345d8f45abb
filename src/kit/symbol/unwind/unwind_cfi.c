/*
 * Finds the entries of .eh_frame and .debug_frame by address. The two sections differ in how an
 * entry refers to its CIE. In .eh_frame it is the distance back to the CIE, and 0 in a CIE itself.
 * In .debug_frame it is an offset in the section, and all ones in a CIE.
 */
#include "base/array.h"
#include "unwind_read.h"

/* Encodings of an address: a format, the base it is relative to, and a flag. */
enum {
    DW_EH_PE_absptr = 0x00,
    DW_EH_PE_uleb128 = 0x01,
    DW_EH_PE_udata2 = 0x02,
    DW_EH_PE_udata4 = 0x03,
    DW_EH_PE_udata8 = 0x04,
    DW_EH_PE_sleb128 = 0x09,
    DW_EH_PE_sdata2 = 0x0a,
    DW_EH_PE_sdata4 = 0x0b,
    DW_EH_PE_sdata8 = 0x0c,
    DW_EH_PE_format = 0x0f, /* mask */

    DW_EH_PE_pcrel = 0x10,
    DW_EH_PE_datarel = 0x30,
    DW_EH_PE_relative = 0x70, /* mask */

    DW_EH_PE_indirect = 0x80,
    DW_EH_PE_omit = 0xff,
};

static uint64_t read_number(struct tch_cursor *c, uint8_t encoding)
{
    switch (encoding & DW_EH_PE_format) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
        return tch_cursor_u(c, 8);
    case DW_EH_PE_uleb128:
        return tch_cursor_uleb(c);
    case DW_EH_PE_udata2:
        return tch_cursor_u(c, 2);
    case DW_EH_PE_udata4:
        return tch_cursor_u(c, 4);
    case DW_EH_PE_sleb128:
        return (uint64_t)tch_cursor_sleb(c);
    case DW_EH_PE_sdata2:
        return (uint64_t)tch_cursor_i(c, 2);
    case DW_EH_PE_sdata4:
        return (uint64_t)tch_cursor_i(c, 4);
    default:
        c->bad = true;
        return 0;
    }
}

uint64_t tch_cfi_pointer(struct tch_cursor *c, uint8_t encoding, uint64_t addr)
{
    uint64_t here = addr + c->at;
    uint64_t value = read_number(c, encoding);

    if ((encoding & DW_EH_PE_relative) == DW_EH_PE_pcrel)
        return value + here;
    if ((encoding & DW_EH_PE_relative) != 0 || (encoding & DW_EH_PE_indirect))
        c->bad = true;
    return value;
}

#define NO_CIE SIZE_MAX

/* More than any compiler writes. An entry is read again for each address, so without these limits a
   malicious file could keep us busy for hours. */
enum { LETTERS_MAX = 16, PROGRAM_MAX = 1 << 16 };

/* Enters the entry at c and sets c->end to its end. Sets *cie to the offset of an FDE's CIE, or to
   NO_CIE if the entry is a CIE. Returns false at the end of the section. */
static bool enter_entry(const struct tch_cfi *cfi, struct tch_cursor *c, size_t *cie)
{
    uint64_t len = tch_cursor_u(c, 4);
    size_t width = 4; /* bytes of the reference */
    uint64_t id;
    size_t at;

    if (len == 0xffffffff) {
        len = tch_cursor_u(c, 8);
        width = cfi->debug ? 8 : 4;
    }
    if (c->bad || len < width || len > c->end - c->at)
        return false;
    c->end = c->at + len;
    at = c->at;
    id = tch_cursor_u(c, width);
    if (cfi->debug)
        *cie = id == (width == 8 ? UINT64_MAX : UINT32_MAX) ? NO_CIE : (size_t)id;
    else
        *cie = id == 0 ? NO_CIE : id > at ? cfi->frame_len : at - (size_t)id;
    return true;
}

static void read_augmentation(struct tch_cursor *c, struct tch_cfi_cie *cie, const char *letters)
{
    size_t end;
    uint64_t len;

    cie->augmented = letters[0] == 'z';
    if (!cie->augmented) {
        c->bad |= letters[0] != '\0';
        return;
    }
    len = tch_cursor_uleb(c);
    end = c->at;
    tch_cursor_skip(c, len);
    if (c->bad)
        return;
    c->at = end;
    end += len;
    for (letters++; *letters; letters++) {
        if (*letters == 'R')
            cie->encoding = (uint8_t)tch_cursor_u(c, 1);
        else if (*letters == 'P')
            read_number(c, (uint8_t)tch_cursor_u(c, 1));
        else if (*letters == 'L')
            tch_cursor_u(c, 1);
        else if (*letters == 'S')
            cie->signal = true;
        else
            break; /* the length of the data lets us skip unknown letters */
    }
    c->at = end;
}

static bool read_cie(const struct tch_cfi *cfi, size_t at, struct tch_cfi_cie *ret)
{
    struct tch_cursor c = {cfi->frame, at, cfi->frame_len, at > cfi->frame_len};
    const char *letters;
    size_t left;
    uint64_t version;
    size_t cie;

    *ret = (struct tch_cfi_cie){0};
    if (!enter_entry(cfi, &c, &cie) || cie != NO_CIE)
        return false;
    version = tch_cursor_u(&c, 1);
    letters = (const char *)cfi->frame + c.at;
    left = c.end - c.at;
    if (c.bad || (version != 1 && version != 3 && !(version == 4 && cfi->debug)) ||
        !memchr(letters, '\0', left < LETTERS_MAX ? left : LETTERS_MAX))
        return false;
    c.at += strlen(letters) + 1;
    /* Version 4 adds the size of an address, which must be 8, and of a segment selector, 0. */
    if (version == 4 && tch_cursor_u(&c, 2) != 8)
        return false;
    ret->code_align = tch_cursor_uleb(&c);
    ret->data_align = tch_cursor_sleb(&c);
    ret->ra = version == 1 ? tch_cursor_u(&c, 1) : tch_cursor_uleb(&c);
    read_augmentation(&c, ret, letters);
    ret->program = c.at;
    ret->program_end = c.end;
    return !c.bad && ret->ra == TCH_REG_RA && c.end - c.at <= PROGRAM_MAX;
}

static bool read_fde(const struct tch_cfi *cfi, size_t at, struct tch_cfi_entry *ret)
{
    struct tch_cursor c = {cfi->frame, at, cfi->frame_len, at > cfi->frame_len};
    size_t cie;

    if (!enter_entry(cfi, &c, &cie) || cie == NO_CIE || !read_cie(cfi, cie, &ret->cie))
        return false;
    ret->start = tch_cfi_pointer(&c, ret->cie.encoding, cfi->frame_addr);
    ret->size = read_number(&c, ret->cie.encoding & DW_EH_PE_format);
    if (ret->cie.augmented)
        tch_cursor_skip(&c, tch_cursor_uleb(&c));
    ret->program = c.at;
    ret->program_end = c.end;
    return !c.bad && c.end - c.at <= PROGRAM_MAX;
}

/* An index of functions, for a file without a usable .eh_frame_hdr. */

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
        struct tch_cfi_entry fde;
        size_t cie;

        if (!enter_entry(cfi, &c, &cie))
            break;
        if (cie != NO_CIE && read_fde(cfi, at, &fde)) {
            if (tch_array_reserve(&cfi->index, &cap, cfi->count + 1) < 0)
                return false;
            cfi->index[cfi->count++] = (struct tch_cfi_fde){fde.start, at};
        }
        at = c.end;
    }
    if (cfi->count > 0)
        qsort(cfi->index, cfi->count, sizeof *cfi->index, by_start);
    return true;
}

/* Finds the sorted table of .eh_frame_hdr: `count` pairs of a function's start and the address of
   its entry. */
static bool use_header(struct tch_cfi *cfi)
{
    struct tch_cursor c = {cfi->header, 0, cfi->header_len, false};
    uint64_t version = tch_cursor_u(&c, 1);
    uint8_t frame_encoding = (uint8_t)tch_cursor_u(&c, 1);
    uint8_t count_encoding = (uint8_t)tch_cursor_u(&c, 1);
    uint8_t table_encoding = (uint8_t)tch_cursor_u(&c, 1);
    uint64_t count;

    if (version != 1 || count_encoding == DW_EH_PE_omit ||
        table_encoding != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
        return false;
    read_number(&c, frame_encoding);
    count = read_number(&c, count_encoding);
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
    if (header && use_header(cfi))
        return true;
    free(cfi->header);
    cfi->header = NULL;
    return build_index(cfi);
}

bool tch_cfi_init_debug(struct tch_cfi *cfi, uint8_t *frame, size_t frame_len)
{
    *cfi = (struct tch_cfi){.frame = frame, .frame_len = frame_len, .debug = true};
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

/* Finds the entry of the last function that starts at or before addr. */
bool tch_cfi_find_entry(const struct tch_cfi *cfi, uint64_t addr, struct tch_cfi_entry *ret)
{
    size_t low = 0;
    size_t high = cfi->count;
    uint64_t at;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if ((cfi->index ? cfi->index[middle].start : header_addr(cfi, middle, 0)) <= addr)
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

bool tch_cfi_function(const struct tch_cfi *cfi, uint64_t addr, uint64_t *ret)
{
    struct tch_cfi_entry entry;

    if (!tch_cfi_find_entry(cfi, addr, &entry))
        return false;
    *ret = entry.start;
    return true;
}
