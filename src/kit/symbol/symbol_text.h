/*
 * Adds symbols from text: those of the kernel, and those of a JIT.
 */
#ifndef TCH_SYMBOL_TEXT_H
#define TCH_SYMBOL_TEXT_H

#include "symbol_table.h"

/** Adds the text of /proc/kallsyms: "ffffffff81000000 T _text", "... t name\t[module]". */
bool tch_symbol_table_kallsyms(struct tch_symbol_table *table, const char *text, size_t len);

enum { TCH_PERF_MAP_LINES = 2000000 }; /**< limit of one map; 48 MB without the names */

/** Adds the text of /tmp/perf-PID.map: "7f00dead0000 40 name". Later lines replace earlier ones. */
bool tch_symbol_table_perf_map(struct tch_symbol_table *table, const char *text, size_t len);

#endif
