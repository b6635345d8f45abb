/*
 * Maps addresses to names: the functions of one object, sorted by address.
 */
#ifndef TCH_SYMBOL_TABLE_H
#define TCH_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kit/symbol/object/elf_image.h"

struct tch_symbol {
    uint64_t addr;
    uint64_t size; /**< 0: unknown; the function extends to the next one */
    uint32_t name; /* offset in text */
    uint32_t rank; /* among several symbols at one address, the lowest rank is used */
};

/** The symbols of one object. All zero is empty. */
struct tch_symbol_table {
    struct tch_symbol *list;
    size_t count;
    size_t cap;
    char *text;
    size_t text_len;
    size_t text_cap;
    bool full; /**< a map of a JIT had too many lines */
};

void tch_symbol_table_release(struct tch_symbol_table *table);

/** Adds a symbol. Call tch_symbol_table_sort() after the last one. Returns false if memory runs out
    or the table is full. */
bool tch_symbol_table_add(struct tch_symbol_table *table, uint64_t addr, uint64_t size,
                          uint32_t rank, const char *name, size_t len);
void tch_symbol_table_sort(struct tch_symbol_table *table);

/** Adds the functions of an ELF file: .symtab, .dynsym, the entries of its procedure linkage table,
    and _start. Returns false if memory runs out. */
bool tch_symbol_table_elf(struct tch_symbol_table *table, const struct tch_elf *elf);

/** Adds the functions that a Go program names in .gopclntab. Call tch_symbol_table_sort() then.
    Returns false if memory runs out. */
bool tch_symbol_table_go(struct tch_symbol_table *table, const struct tch_elf *elf);

/** Adds the functions of the content of .gopclntab. text: address of the code, if the section does
   not have it. */
bool tch_symbol_table_gopclntab(struct tch_symbol_table *table, const void *data, size_t len,
                                uint64_t text);

/**
 * Returns the name of the function at an address, or NULL.
 *
 * @param start  start of the function at addr according to .eh_frame, 0: unknown; a symbol without
 * a size before it does not extend beyond it
 */
const char *tch_symbol_table_find(const struct tch_symbol_table *table, uint64_t addr,
                                  uint64_t start);

#endif
