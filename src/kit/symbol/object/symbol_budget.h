/*
 * Limits the memory and time that the files of a capture can cost. The profiled user chooses these
 * files, and a file of a few blocks can be terabytes long, because a hole takes no space.
 *
 * One capture has one budget. Each byte that is read from a file and kept counts, for the file's
 * own share and for the budget, so memory is proportional to the data on disk.
 */
#ifndef TCH_SYMBOL_BUDGET_H
#define TCH_SYMBOL_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** The budget of one capture, which the thread that unwinds and the one that names share.
    Initialise by tch_symbol_budget_init(). */
struct tch_symbol_budget {
    _Atomic uint64_t left;       /* bytes that may still be read */
    _Atomic uint64_t checked_ns; /* time spent on checksums of debug files */
    uint64_t share_max;          /* bytes that one object may read */
    int stop_fd;                 /**< when readable: compute no checksum any more; -1: none */
};

/** The part of one object. All zero except `budget` is unused. */
struct tch_symbol_share {
    struct tch_symbol_budget *budget;
    _Atomic uint64_t used;
    _Atomic(const char *) problem; /**< why a part of the file was not read, and the effect: text
                                      that follows the name of the file; NULL: all was read */
    atomic_bool over;              /**< the limit was reached, so a table may be incomplete */
};

/** Returns the bytes of memory that a capture may use for symbols, unwind tables and debug
    information: half of the machine's memory, at most 8 GiB. total: 0: this machine's memory. */
uint64_t tch_symbol_memory(uint64_t total);

/** Returns the part of that which the process that reads debug information may use. */
uint64_t tch_symbol_memory_dwarf(void);

void tch_symbol_budget_init(struct tch_symbol_budget *budget, int stop_fd);

/** Takes bytes from the share and its budget. Returns false, and stores the problem, if there are
    not enough. share may be NULL: there is no limit. */
bool tch_symbol_share_take(struct tch_symbol_share *share, uint64_t bytes);

/** Counts the bytes of data, without holes, in a part of a file. */
uint64_t tch_data_bytes(int fd, uint64_t offset, uint64_t len);

/** Returns whether a part of a file is so sparse that no linker has written it. Stores the problem
    in share, which may be NULL. */
bool tch_is_hollow(int fd, uint64_t offset, uint64_t len, struct tch_symbol_share *share);

/** Computes the checksum of a whole debug file. Returns false if it is sparse, if the checksums of
    the capture take too long, or if the capture is stopped. */
bool tch_symbol_checksum(struct tch_symbol_share *share, int fd, uint32_t *ret);

#endif
