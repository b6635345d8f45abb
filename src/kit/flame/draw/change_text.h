/*
 * The changes of a differential as text, as a table for the terminal, as HTML and as JSON.
 */
#ifndef TCH_CHANGE_TEXT_H
#define TCH_CHANGE_TEXT_H

#include "base/buf.h"
#include "kit/flame/stack/stacks.h"

/** Adds "214.6 ms -> 519.6 ms", or "214 -> 519 samples". count_name is the unit of counts that are
    not times. */
void tch_change_counts(struct tch_buf *b, const struct tch_stacks *stacks,
                       const struct tch_change *change, const char *count_name);

/** Adds "+252.1 ms .. +357.2 ms". */
void tch_change_interval(struct tch_buf *b, const struct tch_stacks *stacks,
                         const struct tch_change *change);

/** Adds "+304.9 ms [+252.1 ms .. +357.2 ms]", and ", within noise" if the interval contains 0. */
void tch_change_text(struct tch_buf *b, const struct tch_stacks *stacks,
                     const struct tch_change *change);

/** Adds the notes below a table: the level of the intervals, and a warning if functions vary more
    than sampling explains. */
void tch_changes_notes(struct tch_buf *b, const struct tch_changes *changes);

/** Adds the table for a terminal. columns: its width; 0: no limit. */
void tch_changes_text(struct tch_buf *b, const struct tch_stacks *stacks,
                      const struct tch_changes *changes, size_t columns);

/** Adds the table as HTML, with the class names of the reports. */
void tch_changes_html(struct tch_buf *b, const struct tch_stacks *stacks,
                      const struct tch_changes *changes);

/** Adds the members "compared" and "changes" to an open JSON object. */
void tch_changes_json(struct tch_buf *b, const struct tch_stacks *stacks,
                      const struct tch_changes *changes);

#endif
