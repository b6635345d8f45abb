/*
 * Debug information: the file that holds it, which functions were inlined at an address and from
 * which line it is.
 */
#ifndef TCH_SYMBOL_DEBUG_H
#define TCH_SYMBOL_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kit/flame/unwind/code_object.h"

/**
 * Opens the separate debug file: by the build ID in /usr/lib/debug/.build-id, by .gnu_debuglink
 * beside the file, in .debug and under /usr/lib/debug, or, where asked, by debuginfod-find.
 * A file of another build is not taken.
 *
 * @return a descriptor, the caller's; -1: there is none
 */
int tch_debug_file(const struct tch_code_object *object, bool debuginfod);

/**
 * Unpacks the "mini debug info" that some distributions leave in a stripped file: .gnu_debugdata,
 * an ELF file with the symbols of its local functions, packed by xz.
 *
 * @return its bytes, the caller's to free; NULL: there is none
 */
void *tch_debug_data(const struct tch_elf *elf, size_t *len);

enum { TCH_INLINE_DEEPEST = 64 };

/** One function at an address. The texts are valid as long as the tch_dwarf. */
struct tch_scope {
    const char *name; /**< as the linker knows it, else as in the source; NULL: not said */
    const char *file; /**< and the line at the address; NULL: not asked for or not known */
    int line;
};

/** The debug information of one file. */
struct tch_dwarf;

/** Takes over fd, also on failure; NULL: there is none, or no memory. */
struct tch_dwarf *tch_dwarf_open(int fd);

/** Returns whether memory ran out, so that functions may be missing. */
bool tch_dwarf_no_memory(const struct tch_dwarf *dwarf);

/** Accepts NULL. */
void tch_dwarf_close(struct tch_dwarf *dwarf);

/**
 * Finds the functions at an address, innermost first; the last one is not inlined.
 *
 * @param lines  find files and lines, too
 * @param ret    room for TCH_INLINE_DEEPEST
 * @return how many; 0 when the address is in no function
 */
size_t tch_dwarf_find(struct tch_dwarf *dwarf, uint64_t addr, bool lines, struct tch_scope *ret);

/** Processes that read debug information for this one, so that no file can harm it. One works, the
    others take its place when it dies. */
struct tch_dwarf_child;

enum { TCH_DWARF_WORKERS = 3 };

/** One question: the functions at an address. */
struct tch_dwarf_query {
    uint64_t addr;
    uint32_t object; /**< as in tch_dwarf_child_open() */
    uint32_t unused;
};

enum { TCH_DWARF_QUERIES = 256 };

/** NULL: it cannot be started. */
struct tch_dwarf_child *tch_dwarf_child_start(void);

/** Ends the processes. Only tch_dwarf_child_death() and tch_dwarf_child_close() may follow. */
void tch_dwarf_child_end(struct tch_dwarf_child *child);

/** Accepts NULL. */
void tch_dwarf_child_close(struct tch_dwarf_child *child);

/** Hands over the debug information of an object, by a number of the caller's choice. Takes over
   fd, also on failure. False: all are dead, or there is no memory. */
bool tch_dwarf_child_open(struct tch_dwarf_child *child, uint32_t object, int fd);

/** Asks as tch_dwarf_find() does, for up to TCH_DWARF_QUERIES addresses. The answers are then read
   by as many calls of tch_dwarf_child_next(). An object that a process died of has no functions.
   False: all are dead. */
bool tch_dwarf_child_find(struct tch_dwarf_child *child, const struct tch_dwarf_query *queries,
                          size_t count, bool lines);

/** Reads the functions of the next query, like tch_dwarf_find(). Texts are valid until the next
    tch_dwarf_child_find(). */
size_t tch_dwarf_child_next(struct tch_dwarf_child *child, struct tch_scope *ret);

/** Demangles as tch_demangle() does. The text is valid until the next call. NULL: it cannot be, or
   a process died of a name of that object. */
const char *tch_dwarf_child_demangle(struct tch_dwarf_child *child, uint32_t object,
                                     const char *name);

/** Returns why the first, second, ... process has died, "took too long", and the object that it
    worked on; NULL: no more have. After TCH_DWARF_WORKERS deaths there is none left. */
const char *tch_dwarf_child_death(const struct tch_dwarf_child *child, size_t index,
                                  uint32_t *object);

#endif
