/*
 * The first of the JSON reader's two passes: finds the places that the second pass must check.
 *
 * It takes text in blocks of 64 bytes and returns the offsets of its marks. Marks are, outside of
 * strings, each of {}[]:, and the first byte of every run of anything else but blanks; each quote
 * that opens or closes a string; and inside strings each byte that is not plain: the backslash of
 * an escape, a control byte, the first byte of a run that is not ASCII. This pass finds no errors:
 * the second pass walks from mark to mark, skips the text between them, and checks the grammar.
 *
 * There is one function of bit masks (json_scan_block.h), and one way per CPU to make the masks.
 * All give the same marks.
 */
#ifndef TCH_JSON_SCAN_H
#define TCH_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>

enum {
    TCH_JSON_BLOCK = 64,
    TCH_JSON_BATCH = 4096, /* limit of bytes per call, so that marks fit in 16 bits */
    TCH_JSON_MARKS = TCH_JSON_BATCH + TCH_JSON_BLOCK, /* room: a scanner may write 64 too many */
};

/** The state that one block passes to the next. All zero at the start of a text. */
struct tch_json_scan {
    uint64_t in_string; /**< all ones: the text so far ends inside a string */
    uint64_t escape;    /**< 1: ... in a backslash, which escapes the next byte */
    uint64_t in_word;   /**< 1: ... in a number, a literal or the like */
};

/**
 * Scans `blocks` whole blocks at data and writes their marks as offsets from data, plus base. A run
 * that is not ASCII is marked again where a call starts inside it.
 *
 * @return how many marks
 */
typedef size_t tch_json_scan_fn(struct tch_json_scan *s, const char *data, size_t blocks,
                                unsigned base, uint16_t *marks);

tch_json_scan_fn tch_json_scan_portable;
#if defined(__x86_64__)
tch_json_scan_fn tch_json_scan_avx2;
tch_json_scan_fn tch_json_scan_avx512;
#endif

/** One scanner, and whether this CPU supports it. */
struct tch_json_scanner {
    const char *name;
    tch_json_scan_fn *scan;
    int (*usable)(void);
};

/** Best first; ends with the portable one, then a NULL name. */
extern const struct tch_json_scanner tch_json_scanners[];

/** Returns the first usable scanner. */
tch_json_scan_fn *tch_json_scan_best(void);

#endif
