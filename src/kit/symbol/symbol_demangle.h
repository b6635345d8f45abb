/*
 * Demangles C++ and Rust names.
 */
#ifndef TCH_SYMBOL_DEMANGLE_H
#define TCH_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/** Demangles a C++ or Rust name. The caller frees the result. Returns NULL if the name is not
    mangled, cannot be demangled on this machine, or memory runs out. */
char *tch_demangle(const char *name);

/**
 * Returns whether a C++ name may become far longer when it is demangled: each of its references to
 * an earlier part may double it, and it has many. Such a name must be demangled in the child
 * process.
 */
bool tch_demangle_grows(const char *name);

/** The signature of __cxa_demangle in the C++ ABI. */
typedef char *tch_demangler(const char *name, char *room, size_t *size, int *status);

/** Loads the demangler of a library, by its name; NULL: there is none. For tests. */
tch_demangler *tch_demangler_load(const char *library);

#endif
