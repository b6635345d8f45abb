/*
 * Rust's symbols of today, "_RNvC3app4main", as people write them: "app::main".
 *
 * The form is Rust's "v0" (RFC 2603). Left out are hashes, the type of a constant, and lifetimes:
 * a flamegraph has no use for them. Identifiers outside of ASCII stay as they are encoded.
 */
#ifndef TCH_SYMBOL_RUST_H
#define TCH_SYMBOL_RUST_H

/** The caller frees it; NULL: it is no such symbol, it makes no sense, or memory ran out. */
char *tch_demangle_rust(const char *name);

#endif
