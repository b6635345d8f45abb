/*
 * Compares several runs in wall time: which is the fastest, and how many times as fast as each of
 * the others. The terminal, the pages and the JSON all use this.
 *
 * Method: comparisons with the best (J. C. Hsu, 1984). The fastest is chosen by the same data, so
 * the intervals hold for all pairs of runs at once (C. E. Bonferroni, 1936). With a probability of
 * 95 % all of them contain their true ratio. Of runs of equal programs, one is called slower with a
 * probability of at most 5 %, however many there are.
 */
#ifndef TCH_RUN_COMPARISON_H
#define TCH_RUN_COMPARISON_H

#include "kit/stats/ratio.h"
#include "report.h"

#define TCH_COMPARISON_SCHEMA "tacho.comparison.v1"

enum tch_compared {
    TCH_COMPARED_FASTEST,
    TCH_COMPARED_SLOWER,  /**< the whole interval is above 1 */
    TCH_COMPARED_EQUAL,   /**< cannot be distinguished from the fastest: the interval contains 1 */
    TCH_COMPARED_TOO_FEW, /**< no interval */
    TCH_COMPARED_NOTHING, /**< no run succeeded */
};

struct tch_comparison {
    const struct tch_report_run *runs; /**< borrowed */
    size_t count;
    size_t fastest; /**< `count` when no run succeeded */
    size_t needed;  /**< runs of each that an interval needs; 0: none has too few */
    bool paired;    /**< all runs were interleaved */
    struct {
        enum tch_compared is;
        struct tch_ratio times; /**< its wall time divided by that of the fastest; its level is that
                                     of all intervals together, its p is adjusted likewise */
    } run[TCH_REPORT_RUNS];
};

/** Compares 2 to TCH_REPORT_RUNS runs. Returns 0 or TACHO_ENOMEM. */
int tch_comparison_make(struct tch_comparison *c, const struct tch_report_run *runs, size_t count,
                        tacho_error *err);

/** Adds "zstd", or "zstd or lz4 (cannot be distinguished)". */
void tch_comparison_add_fastest(struct tch_buf *b, const struct tch_comparison *c);

/** Adds "zstd is 7.8 times as fast as gzip (5.9 to 10.4)" about run i, which is not the fastest. */
void tch_comparison_add_sentence(struct tch_buf *b, const struct tch_comparison *c, size_t i);

/** Adds "7.8", with as many digits as the interval needs; "-" if it is not known. */
void tch_comparison_add_times(struct tch_buf *b, const struct tch_ratio *times);

/** Adds "(5.9 to 10.4)". */
void tch_comparison_add_interval(struct tch_buf *b, const struct tch_ratio *times);

/** Adds the document tacho.comparison.v1 in one line. */
void tch_comparison_write(struct tch_buf *b, const struct tch_comparison *c);

/** Adds the comparison to a page: the fastest, a table, charts of all runs. */
int tch_comparison_html(struct tch_buf *b, const struct tch_comparison *c, tacho_error *err);

/** Writes compare.html into the folder of the first run: the comparison, with links to the report
    of each run. The runs must belong to one group. */
int tch_comparison_save(const struct tch_comparison *c, tacho_error *err);

#endif
