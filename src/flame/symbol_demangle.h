/*
 * C++ and Rust names as people write them.
 */
#ifndef TCH_FLAME_SYMBOL_DEMANGLE_H
#define TCH_FLAME_SYMBOL_DEMANGLE_H

/** The caller frees it; NULL: the name is not mangled, or memory ran out. */
char *tch_demangle(const char *name);

#endif
