/*
 * Reads .gopclntab, by which Go programs name their functions at run time. Stripped programs have
 * it, too. Its form is that of the Go version ("Go 1.2 Runtime Symbol Table", Cox 2013, and
 * runtime/symtab.go); the magic number tells them apart. A version from before Go 1.16 is not read.
 *
 *     header: magic, 2 bytes 0, quantum, size of a pointer, then words of that size
 *     names:  NUL-terminated
 *     table:  for each function its entry and the offset of its record; at the end, the last
 * address record: the entry again, then the offset of the name
 */
#include <stdlib.h>
#include <string.h>

#include "symbol_table.h"

static const uint64_t magic_16 = 0xfffffffa, magic_18 = 0xfffffff0, magic_20 = 0xfffffff1;

enum { HEADER = 8, WORD = 8, RANK = INT32_MAX };

struct go_table {
    const uint8_t *data;
    size_t len;
    uint64_t count; /* functions */
    uint64_t text;  /* address that entries count from */
    uint64_t names;
    uint64_t table;
    size_t entry_size; /* bytes of an address or an offset in the table */
};

/* Reads a number of 4 or 8 bytes; 0 if it is not in the section. */
static uint64_t number_at(const struct go_table *t, uint64_t at, size_t size)
{
    uint64_t value = 0;

    if (at <= t->len && size <= t->len - at)
        memcpy(&value, t->data + at, size); /* this machine's byte order, as that of the file */
    return value;
}

static uint64_t word_at(const struct go_table *t, unsigned index)
{
    return number_at(t, HEADER + WORD * (uint64_t)index, WORD);
}

/* Reads the header. Returns false if the form is not known. */
static bool read_header(struct go_table *t)
{
    uint64_t magic = number_at(t, 0, 4);
    bool offsets = magic == magic_18 || magic == magic_20; /* entries count from the text */

    if (t->len < HEADER + 8 * WORD || t->data[7] != WORD || (!offsets && magic != magic_16))
        return false;
    t->count = word_at(t, 0);
    t->names = word_at(t, offsets ? 3 : 2);
    t->table = word_at(t, offsets ? 7 : 6);
    t->entry_size = offsets ? 4 : WORD;
    if (!offsets)
        t->text = 0;
    else if (word_at(t, 2)) /* 0 in a program that the linker relocates */
        t->text = word_at(t, 2);
    return t->table < t->len && t->names < t->len &&
           t->count < (t->len - t->table) / (2 * t->entry_size);
}

static bool add_function(struct tch_symbol_table *table, const struct go_table *t, uint64_t i)
{
    uint64_t at = t->table + 2 * t->entry_size * i;
    uint64_t entry = number_at(t, at, t->entry_size);
    uint64_t next = number_at(t, at + 2 * t->entry_size, t->entry_size);
    uint64_t record = t->table + number_at(t, at + t->entry_size, t->entry_size);
    uint64_t name = t->names + number_at(t, record + t->entry_size, 4);
    size_t len;

    if (next <= entry || record > t->len || name >= t->len)
        return true; /* damaged */
    len = strnlen((const char *)t->data + name, t->len - name);
    return len == 0 || tch_symbol_table_add(table, t->text + entry, next - entry, RANK,
                                            (const char *)t->data + name, len);
}

bool tch_symbol_table_gopclntab(struct tch_symbol_table *table, const void *data, size_t len,
                                uint64_t text)
{
    struct go_table t = {.data = data, .len = len, .text = text};
    bool ok = true;

    if (read_header(&t))
        for (uint64_t i = 0; i < t.count && ok; i++)
            ok = add_function(table, &t, i);
    return ok;
}

bool tch_symbol_table_go(struct tch_symbol_table *table, const struct tch_elf *elf)
{
    const Elf64_Shdr *section = tch_elf_section(elf, ".gopclntab");
    const Elf64_Shdr *text = tch_elf_section(elf, ".text");
    size_t len;
    void *data;
    bool ok;

    if (!section)
        section = tch_elf_section(elf, ".data.rel.ro.gopclntab");
    if (!section)
        return true;
    data = tch_elf_read(elf, section, &len);
    ok = !data || tch_symbol_table_gopclntab(table, data, len, text ? text->sh_addr : 0);
    free(data);
    return ok;
}
