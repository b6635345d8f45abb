/*
 * Reads DWARF data: the functions inlined at an address, and its source line.
 */
#ifndef TCH_SYMBOL_DWARF_H
#define TCH_SYMBOL_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TCH_INLINE_DEEPEST = 64 };

/** One function at an address. The texts are valid as long as the tch_dwarf. */
struct tch_scope {
    const char *name; /**< linkage name, else the name with its scopes; NULL: unknown */
    const char *file; /**< source file of the address; NULL: not requested or unknown */
    int line;
};

/** The debug information of one file. */
struct tch_dwarf;

/** Opens debug information. Owns fd from then on, also on failure. Returns NULL if there is none or
    memory runs out. */
struct tch_dwarf *tch_dwarf_open(int fd);

/** Returns whether memory ran out, so that functions may be missing. */
bool tch_dwarf_no_memory(const struct tch_dwarf *dwarf);

/** Accepts NULL. */
void tch_dwarf_close(struct tch_dwarf *dwarf);

/**
 * Finds the functions at an address, innermost first. The last one is not inlined.
 *
 * @param lines  also find files and lines
 * @param ret    room for TCH_INLINE_DEEPEST
 * @return how many; 0: the address is not in a function
 */
size_t tch_dwarf_find(struct tch_dwarf *dwarf, uint64_t addr, bool lines, struct tch_scope *ret);

#endif
