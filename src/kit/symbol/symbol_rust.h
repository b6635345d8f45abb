/*
 * Demangles Rust's v0 names.
 */
#ifndef TCH_SYMBOL_RUST_H
#define TCH_SYMBOL_RUST_H

/**
 * Demangles a symbol of Rust's v0 form (RFC 2603): "_RNvC3app4main" becomes "app::main".
 *
 * Hashes, the types of constants, and lifetimes are left out, because a flamegraph does not need
 * them. Identifiers that are not ASCII stay encoded.
 *
 * @return the name, which the caller frees; NULL: it is not such a symbol, it is damaged, or memory
 * ran out
 */
char *tch_demangle_rust(const char *name);

#endif
