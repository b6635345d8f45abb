/*
 * Verdicts for people and for programs. Each format writes a whole report into a buffer.
 */
#ifndef TCH_VERDICT_FORMATS_H
#define TCH_VERDICT_FORMATS_H

#include "base/buf.h"
#include "kit/judge/findings.h"
#include "kit/judge/set_compare.h"
#include "report.h"

struct tch_verdict_format {
    const char *name;
    void (*write)(struct tch_buf *b, const struct tch_findings *f);
};

extern const struct tch_verdict_format tch_verdict_badge; /* SVG */
extern const struct tch_verdict_format tch_verdict_csv;
extern const struct tch_verdict_format tch_verdict_raw_csv; /* does not escape names */
extern const struct tch_verdict_format tch_verdict_github;  /* annotations of a commit */
extern const struct tch_verdict_format tch_verdict_json;    /* tacho.verdict.v1 */
extern const struct tch_verdict_format tch_verdict_junit;
extern const struct tch_verdict_format tch_verdict_md; /* a comment on a pull request */
extern const struct tch_verdict_format tch_verdict_prometheus;

/** A differential flamegraph of a page: two run folders that contain a profile each. */
struct tch_verdict_flame {
    const char *title;
    const char *before; /**< folder */
    const char *now;    /**< folder */
};

/** Writes the page of verdicts: the table, the distributions of both sides, and the differential
    flamegraphs. A flamegraph whose folders have no profile is left out. */
int tch_verdict_html(struct tch_buf *b, const struct tch_findings *f,
                     const struct tch_verdict_flame *flames, size_t count, tacho_error *err);

/** Writes one format of f to a file. Returns 0, TACHO_ENOMEM or TACHO_EIO. */
int tch_verdict_save(const struct tch_verdict_format *format, const char *path,
                     const struct tch_findings *f, tacho_error *err);

/** Writes the page of f to a file; see tch_verdict_html(). */
int tch_verdict_save_page(const char *path, const struct tch_findings *f,
                          const struct tch_verdict_flame *flames, size_t count, tacho_error *err);

/** Adds the change of a ratio: "+4.8 %" for 1.048, "-" if there is none. */
void tch_add_change(struct tch_buf *b, double ratio);

/** Adds the change of a row. That of an exact count has as many decimals as it needs, because even
    the smallest one is real. */
void tch_add_row_change(struct tch_buf *b, const struct tch_verdict_row *row);

/** Adds a value of a row: a count of extra runs with all its digits, any other value rounded. */
void tch_add_row_value(struct tch_buf *b, const struct tch_findings *f, size_t row, double value);

/** Adds the interval of a change, "-2.0 % .. +4.0 %". Without an interval it adds the range of the
    runs' own changes and says so. `to` separates the two. */
void tch_add_change_interval(struct tch_buf *b, const struct tch_verdict_row *row, const char *to);

/** Adds the guarantee: "A wrong FAIL appears in at most 1 of 20 reports." */
void tch_add_promise(struct tch_buf *b, const struct tch_findings *f);

/** Adds the name of a row's metric: "wall time", with its statistic and limit. */
void tch_add_metric_title(struct tch_buf *b, const struct tch_findings *f, size_t row);

/** Adds the same with the bench's name before it: "gzip: wall time". */
void tch_add_row_title(struct tch_buf *b, const struct tch_findings *f, size_t row);

/** Returns the largest change for the worse, as a share, that the data of a PASS or INCONCLUSIVE do
    not rule out, which is an end of its interval; NAN: there is none. */
double tch_row_at_most(const struct tch_findings *f, size_t row);

/** Adds the same as ", at most +6.2 %", or ", at least -6.2 %" if more is better. */
void tch_add_at_most(struct tch_buf *b, const struct tch_findings *f, size_t row);

/** Adds one line that explains why the change of some rows has another sign than the difference of
    the medians beside it, or nothing if there is no such row. */
void tch_add_contradictions(struct tch_buf *b, const struct tch_findings *f);

/** Adds one sentence: "wall time +14.9 % [+13.8 .. +16.1], allowed +5 %". */
void tch_add_sentence(struct tch_buf *b, const struct tch_findings *f, size_t row);

/** Adds what a comparison of sets found, as sentences for people: "12 benchmarks in both sets; 2 of
    24 rows changed". */
void tch_add_set_summary(struct tch_buf *b, const struct tch_findings *f);

/** Adds "wall time, geometric mean of 12 benchmarks: +1.2 % [-3.0 % .. +5.6 %]". */
void tch_add_set_mean(struct tch_buf *b, const struct tch_set_mean *mean);

/** Returns how many rows of a set to show first: those that `shown` allows. All rows without a
    set. */
size_t tch_rows_shown(const struct tch_findings *f);

/** Returns the word for a change without a budget: "slower", "less", "no change seen". A change
   that is shown as 0.0 % is "change below 0.05 %" and not "more", however certain it is. */
const char *tch_change_word(const struct tch_findings *f, size_t row);

/** Returns a row's verdict or, without a budget, the word for its change. */
const char *tch_row_word(const struct tch_findings *f, size_t row);

#endif
