/*
 * Addresses to names: the functions of one object, in the order of their addresses.
 */
#ifndef TCH_SYMBOL_TABLE_H
#define TCH_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kit/flame/unwind/elf_image.h"

struct tch_symbol {
    uint64_t addr;
    uint64_t size; /**< 0: not said, up to the next one */
    uint32_t name; /* in text */
    uint32_t rank; /* the lowest of several at one address counts */
};

/** All zero is empty. */
struct tch_symbol_table {
    struct tch_symbol *list;
    size_t count;
    size_t cap;
    char *text;
    size_t text_len;
    size_t text_cap;
};

void tch_symbol_table_release(struct tch_symbol_table *table);

/** False: no memory, or the table is full. tch_symbol_table_sort() is next, after the last. */
bool tch_symbol_table_add(struct tch_symbol_table *table, uint64_t addr, uint64_t size,
                          uint32_t rank, const char *name, size_t len);
void tch_symbol_table_sort(struct tch_symbol_table *table);

/** Adds the functions of an ELF file: .symtab, .dynsym, the entries of its procedure linkage table,
    and _start. False: no memory. */
bool tch_symbol_table_elf(struct tch_symbol_table *table, const struct tch_elf *elf);

/** Adds the text of /proc/kallsyms: "ffffffff81000000 T _text", "... t name\t[module]". */
bool tch_symbol_table_kallsyms(struct tch_symbol_table *table, const char *text, size_t len);

/** Adds the text of /tmp/perf-PID.map: "7f00dead0000 40 name". Later lines count more. */
bool tch_symbol_table_perf_map(struct tch_symbol_table *table, const char *text, size_t len);

/**
 * Returns the name of the function at an address, or NULL.
 *
 * @param start  where the function at addr starts, as .eh_frame says: a symbol without a size ends
 *               there; 0: not known
 */
const char *tch_symbol_table_find(const struct tch_symbol_table *table, uint64_t addr,
                                  uint64_t start);

#endif
