/*
 * Verdicts for people and for programs: each format writes all of a report into a buffer.
 */
#ifndef TCH_VERDICT_FORMATS_H
#define TCH_VERDICT_FORMATS_H

#include "base/buf.h"
#include "kit/judge/findings.h"
#include "report.h"

struct tch_verdict_format {
    const char *name;
    void (*write)(struct tch_buf *b, const struct tch_findings *f);
};

extern const struct tch_verdict_format tch_verdict_badge; /* SVG */
extern const struct tch_verdict_format tch_verdict_csv;
extern const struct tch_verdict_format tch_verdict_raw_csv; /* names as they are */
extern const struct tch_verdict_format tch_verdict_github; /* lines that GitHub shows at a commit */
extern const struct tch_verdict_format tch_verdict_json;   /* tacho.verdict.v1 */
extern const struct tch_verdict_format tch_verdict_junit;
extern const struct tch_verdict_format tch_verdict_md; /* a comment on a pull request */
extern const struct tch_verdict_format tch_verdict_prometheus;

/** A differential flamegraph of a page: of two run folders that have a profile each. */
struct tch_verdict_flame {
    const char *title;
    const char *before; /**< folder */
    const char *now;    /**< folder */
};

/** Writes the page of verdicts: the table, distributions of both sides, and what moved in the
    flamegraphs. A flamegraph whose folders have no profile is left out. */
int tch_verdict_html(struct tch_buf *b, const struct tch_findings *f,
                     const struct tch_verdict_flame *flames, size_t count, tacho_error *err);

/** "+4.8 %" of a ratio of 1.048. "-" where there is none. */
void tch_add_change(struct tch_buf *b, double ratio);

/** Adds the interval of a change, "-2.0% .. +4.0%", or where there is none the range of the runs'
    own changes, marked as such. `to` separates the two. */
void tch_add_change_interval(struct tch_buf *b, const struct tch_verdict_row *row, const char *to);

/** The promise: "A wrong FAIL appears in at most 1 of 20 reports." */
void tch_add_promise(struct tch_buf *b, const struct tch_findings *f);

/** What the metric of a row is called: "wall time", with its statistic and limit. */
void tch_add_metric_title(struct tch_buf *b, const struct tch_findings *f, size_t row);

/** That, with the name of its bench before it: "gzip: wall time". */
void tch_add_row_title(struct tch_buf *b, const struct tch_findings *f, size_t row);

/** Adds ", sees +6.2 %" where the smallest change that a row would have seen is known. */
void tch_add_sight(struct tch_buf *b, const struct tch_verdict_row *row);

/** One sentence: "wall time +14.9 % [+13.8 .. +16.1], allowed +5 %". */
void tch_add_sentence(struct tch_buf *b, const struct tch_findings *f, size_t row);

/** Without a budget: what the interval says of the quantity. "slower", "less", "no change seen". */
const char *tch_change_word(const struct tch_findings *f, size_t row);

/** What a row came to: its verdict, or that word. */
const char *tch_row_word(const struct tch_findings *f, size_t row);

#endif
