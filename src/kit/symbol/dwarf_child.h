/*
 * Reads debug information in child processes, so that no file can crash this process.
 */
#ifndef TCH_DWARF_CHILD_H
#define TCH_DWARF_CHILD_H

#include "symbol_dwarf.h"

/** Child processes that read debug information, so that no file can crash this process. One works;
    the others replace it when it dies. dwarf_child.c has the map. */
struct tch_dwarf_child;

enum { TCH_DWARF_WORKERS = 3 };

/** A query for the functions at an address. */
struct tch_dwarf_query {
    uint64_t addr;
    uint32_t object; /**< as in tch_dwarf_child_open() */
    uint32_t unused;
};

enum { TCH_DWARF_QUERIES = 256 };

/** Starts the processes. Returns NULL if they cannot be started. */
struct tch_dwarf_child *tch_dwarf_child_start(void);

/** Stops the processes. Only tch_dwarf_child_death() and tch_dwarf_child_close() may follow. */
void tch_dwarf_child_end(struct tch_dwarf_child *child);

/** Accepts NULL. */
void tch_dwarf_child_close(struct tch_dwarf_child *child);

/** Sends the debug information of an object, which the caller numbers. Owns fd from then on, also
    on failure. Returns false if all processes are dead or memory runs out. */
bool tch_dwarf_child_open(struct tch_dwarf_child *child, uint32_t object, int fd);

/** Sends up to TCH_DWARF_QUERIES queries, each like tch_dwarf_find(). Read the answers by one call
    of tch_dwarf_child_next() per query. An object that killed a process has no functions. Returns
    false if all processes are dead. */
bool tch_dwarf_child_find(struct tch_dwarf_child *child, const struct tch_dwarf_query *queries,
                          size_t count, bool lines);

/** Reads the answer to the next query, like tch_dwarf_find(). The texts are valid until the next
    tch_dwarf_child_find(). */
size_t tch_dwarf_child_next(struct tch_dwarf_child *child, struct tch_scope *ret);

/** Demangles like tch_demangle(). The text is valid until the next call. Returns NULL if it cannot,
    or if the object killed a process. */
const char *tch_dwarf_child_demangle(struct tch_dwarf_child *child, uint32_t object,
                                     const char *name);

/** Returns why process number `index` died, such as "took too long", and sets *object to the object
    that it was reading. Returns NULL if fewer have died. After TCH_DWARF_WORKERS deaths no process
    is left. */
const char *tch_dwarf_child_death(const struct tch_dwarf_child *child, size_t index,
                                  uint32_t *object);

#endif
