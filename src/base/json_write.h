/*
 * Writes JSON into a tch_buf. The text is compact and valid UTF-8, whatever bytes are passed.
 *
 *     tch_json_begin_object(&b);
 *     tch_json_key(&b, "name");
 *     tch_json_string(&b, name, len);
 *     tch_json_end_object(&b);
 *
 * The writer adds the commas. It knows from its own calls whether one is needed, not from the text,
 * so text that is added by tch_buf_add() between them does not count; tch_json_part() adds text
 * that does. Members come out in the order written.
 */
#ifndef TCH_JSON_WRITE_H
#define TCH_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

void tch_json_begin_object(struct tch_buf *b);
void tch_json_end_object(struct tch_buf *b);
void tch_json_begin_array(struct tch_buf *b);
void tch_json_end_array(struct tch_buf *b);

/** Adds a key and its colon. The key is escaped like a string. */
void tch_json_key(struct tch_buf *b, const char *key);
void tch_json_key_n(struct tch_buf *b, const char *key, size_t len);

/** Adds a string of any bytes. Each byte that is not part of valid UTF-8 becomes U+FFFD. */
void tch_json_string(struct tch_buf *b, const char *text, size_t len);
void tch_json_text(struct tch_buf *b, const char *text);

void tch_json_u64(struct tch_buf *b, uint64_t value);
void tch_json_i64(struct tch_buf *b, int64_t value);

/** Adds the shortest text that reads back the same. NaN and infinities become null. */
void tch_json_f64(struct tch_buf *b, double value);
void tch_json_f32(struct tch_buf *b, float value);

void tch_json_bool(struct tch_buf *b, bool value);
void tch_json_null(struct tch_buf *b);

/** Adds a key with its value. text may be NULL, which is written as null. */
void tch_json_put_text(struct tch_buf *b, const char *key, const char *text);
void tch_json_put_u64(struct tch_buf *b, const char *key, uint64_t value);
void tch_json_put_f64(struct tch_buf *b, const char *key, double value);
void tch_json_put_bool(struct tch_buf *b, const char *key, bool value);

/** Adds a value that is JSON already, or members that are. */
void tch_json_raw(struct tch_buf *b, const char *json, size_t len);

/** Adds a part of a document as it is, without a comma before it. comma: whether the next key or
    value needs one, which is false after an opening bracket, a colon or a comma. */
void tch_json_part(struct tch_buf *b, const char *text, size_t len, bool comma);

/** Adds the line feed after a document. The next value begins a new document. */
void tch_json_line_end(struct tch_buf *b);

/** Removes the text from len on. comma: the value of b->comma when that was the end of the text. */
void tch_json_rewind(struct tch_buf *b, size_t len, bool comma);

#endif
