/*
 * Addresses to names: the functions of one object, in the order of their addresses.
 */
#ifndef TCH_SYMBOL_TABLE_H
#define TCH_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
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
    bool full; /**< a map of a JIT had more than TCH_PERF_MAP_LINES */
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

enum { TCH_PERF_MAP_LINES = 2000000 }; /**< of one map; 48 MB without the names */

/** Adds the text of /tmp/perf-PID.map: "7f00dead0000 40 name". Later lines count more. */
bool tch_symbol_table_perf_map(struct tch_symbol_table *table, const char *text, size_t len);

/** Why the names of a map are not used. */
enum tch_perf_map_problem {
    TCH_PERF_MAP_FOREIGN, /**< it belongs to another user */
    TCH_PERF_MAP_CUT,     /**< some of them are not: it is too large */
    TCH_PERF_MAP_SKIPPED, /**< other maps used up the bytes or the time */
};
enum { TCH_PERF_MAP_PROBLEMS = TCH_PERF_MAP_SKIPPED + 1 };

/** The maps of one capture: what reading them has cost, and what was not used. All zero at first.
 */
struct tch_perf_maps {
    uint64_t bytes;
    uint64_t ns;
    unsigned problems[TCH_PERF_MAP_PROBLEMS]; /**< how many maps have it */
    char first[TCH_PERF_MAP_PROBLEMS][64];    /**< the path of the first one */
};

/** Adds the names of /tmp/perf-PID.map, as the process sees it or, after its exit, as we do. False:
    no memory. */
bool tch_perf_maps_read(struct tch_perf_maps *maps, struct tch_symbol_table *table, uint32_t pid);

/** Adds a line, ended by '\0', for each problem. */
void tch_perf_maps_explain(const struct tch_perf_maps *maps, struct tch_buf *lines);

/**
 * Returns the name of the function at an address, or NULL.
 *
 * @param start  where the function at addr starts, as .eh_frame says: a symbol without a size ends
 *               there; 0: not known
 */
const char *tch_symbol_table_find(const struct tch_symbol_table *table, uint64_t addr,
                                  uint64_t start);

#endif
