/*
 * The table of a run's statistics, in every form.
 */
#ifndef TCH_RUN_STATISTICS_H
#define TCH_RUN_STATISTICS_H

#include "kit/result/result.h"
#include "kit/text/table_forms.h"

enum { TCH_ROW_TITLE = 96 };

/** Returns the title of a row: "wall time", or for the throughput "records/s", which is in text. */
const char *tch_row_title(const struct tch_result *r, const struct tch_row *row,
                          char text[TCH_ROW_TITLE]);

/** Adds the table. A terminal gets the rows and columns that most readers need. */
void tch_statistics_table(struct tch_buf *b, struct tch_table_form form,
                          const struct tch_result *r);

#endif
