/*
 * Maps addresses to names: the functions of one object, sorted by address.
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
    bool full; /**< a map of a JIT had more than TCH_PERF_MAP_LINES */
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

/** Adds the text of /proc/kallsyms: "ffffffff81000000 T _text", "... t name\t[module]". */
bool tch_symbol_table_kallsyms(struct tch_symbol_table *table, const char *text, size_t len);

enum { TCH_PERF_MAP_LINES = 2000000 }; /**< limit of one map; 48 MB without the names */

/** Adds the text of /tmp/perf-PID.map: "7f00dead0000 40 name". Later lines replace earlier ones. */
bool tch_symbol_table_perf_map(struct tch_symbol_table *table, const char *text, size_t len);

/** Reasons why the names of a map are not used. */
enum tch_perf_map_problem {
    TCH_PERF_MAP_FOREIGN, /**< the map belongs to another user */
    TCH_PERF_MAP_CUT,     /**< the map is too large, so some of its names are missing */
    TCH_PERF_MAP_SKIPPED, /**< other maps used up the limit of bytes or of time */
};
enum { TCH_PERF_MAP_PROBLEMS = TCH_PERF_MAP_SKIPPED + 1 };

/** The cost and the problems of reading the maps of one capture. Start with all zero. */
struct tch_perf_maps {
    uint64_t bytes;
    uint64_t ns;
    unsigned problems[TCH_PERF_MAP_PROBLEMS]; /**< number of maps with each problem */
    char first[TCH_PERF_MAP_PROBLEMS][64];    /**< the path of the first one */
};

/** Adds the names of /tmp/perf-PID.map: the file that the process sees or, after its exit, the one
    that we see. Returns false if memory runs out. */
bool tch_perf_maps_read(struct tch_perf_maps *maps, struct tch_symbol_table *table, uint32_t pid);

/** Adds a warning, terminated by '\0', for each problem. */
void tch_perf_maps_explain(const struct tch_perf_maps *maps, struct tch_buf *lines);

/**
 * Returns the name of the function at an address, or NULL.
 *
 * @param start  start of the function at addr according to .eh_frame, 0: unknown; a symbol without
 * a size before it does not extend beyond it
 */
const char *tch_symbol_table_find(const struct tch_symbol_table *table, uint64_t addr,
                                  uint64_t start);

#endif
