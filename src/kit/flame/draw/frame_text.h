/*
 * Names of frames for output: in XML, in titles, without marks.
 */
#ifndef TCH_FRAME_TEXT_H
#define TCH_FRAME_TEXT_H

#include "base/buf.h"
#include "base/text_span.h"
#include "flame_layout.h"

/** Columns of a name in a tooltip; a longer one does not help. */
enum { TCH_NAME_COLUMNS = 1000 };

/** Adds a text as tch_xml_add_line() does, truncated with an ellipsis after `columns`. Wide
    characters take two columns. */
void tch_xml_cut(struct tch_buf *b, struct tch_span text, size_t columns);

/** Adds a text truncated likewise, without escaping, for a terminal. */
void tch_plain_cut(struct tch_buf *b, struct tch_span text, size_t columns);

/** Adds the name of a function, shortened to `columns`: first its template arguments, "f‹…›", then
    its middle, because long names differ at their ends. For XML, and for a terminal. */
void tch_xml_name(struct tch_buf *b, struct tch_span name, size_t columns);
void tch_plain_name(struct tch_buf *b, struct tch_span name, size_t columns);

/** Returns the name of a frame without a mark such as "_[k]"; "all" for TCH_FRAME_ALL. */
struct tch_span tch_frame_text(const struct tch_stacks *stacks, uint32_t name);

/** Adds what follows the name in a title: " (1,234 samples, 5.71%)", or in a differential
    " (214.6 ms -> 519.6 ms, +304.9 ms [+252.1 ms .. +357.2 ms])". It contains " (" only at its
    start, where the script of a picture separates it from the name. count_name is escaped for the
    format. */
void tch_add_title(struct tch_buf *b, const struct tch_stacks *stacks,
                   const struct tch_layout *layout, const struct tch_frame *frame,
                   const char *count_name);

#endif
