/*
 * The table of verdicts, in every form.
 */
#ifndef TCH_VERDICT_TABLE_H
#define TCH_VERDICT_TABLE_H

#include "kit/judge/findings.h"
#include "kit/text/table_forms.h"

/** Adds the picture of a row's interval, in the language of the form. range: half the width of the
    picture, as a logarithm of the ratio. */
typedef void tch_verdict_plot(struct tch_buf *b, const void *ctx, const struct tch_findings *f,
                              size_t row, double range);

enum { TCH_VERDICT_COLUMNS = 13 };

struct tch_verdict_table {
    struct tch_table t;
    const struct tch_findings *f;
    tch_verdict_plot *plot;
    const void *ctx;
    double range;
    char interval[32];
    struct tch_table_column columns[TCH_VERDICT_COLUMNS];
};

/** Begins a table in b. plot: NULL if there is no room for pictures, nor for how large a change may
    be. Add rows, then call tch_table_end() for t. */
void tch_verdict_table_init(struct tch_verdict_table *v, struct tch_buf *b,
                            struct tch_table_form form, const struct tch_findings *f,
                            tch_verdict_plot *plot, const void *ctx);
void tch_verdict_table_add(struct tch_verdict_table *v, size_t row);

/** Returns the tone in which a verdict is written. */
enum tch_tone tch_verdict_tone(enum tch_verdict verdict);

/** Returns the mark of a verdict in Markdown; "" without a verdict. */
const char *tch_verdict_mark(enum tch_verdict verdict);

/** Returns whether a row has an interval that can be drawn. */
bool tch_verdict_has_picture(const struct tch_findings *f, size_t row);

#endif
