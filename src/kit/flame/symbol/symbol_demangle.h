/*
 * C++ and Rust names as people write them.
 */
#ifndef TCH_SYMBOL_DEMANGLE_H
#define TCH_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/** The caller frees it; NULL: the name is not mangled, nobody here can read it, or memory ran out.
 */
char *tch_demangle(const char *name);

/**
 * Returns whether a C++ name may be far longer when it is demangled: it has so many references to
 * earlier parts of itself that each of 40 can double it. Such a name belongs into the child.
 */
bool tch_demangle_grows(const char *name);

/** As the C++ ABI has it. */
typedef char *tch_demangler(const char *name, char *room, size_t *size, int *status);

/** The one of a library, by its name; NULL: there is none. For tests. */
tch_demangler *tch_demangler_load(const char *library);

/**
 * Rust's symbols of today, "_RNvC3app4main", as people write them: "app::main".
 *
 * The form is Rust's "v0" (RFC 2603). Left out are hashes, the type of a constant, and lifetimes,
 * which a flamegraph does not need. Identifiers outside of ASCII stay as they are encoded.
 *
 * @return the caller frees it; NULL: it is no such symbol, it makes no sense, or memory ran out
 */
char *tch_demangle_rust(const char *name);

#endif
