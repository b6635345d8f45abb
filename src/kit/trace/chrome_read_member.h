/*
 * The members of an event of the Chrome format: from JSON text to the fields of the reader.
 */
#ifndef TCH_CHROME_READ_MEMBER_H
#define TCH_CHROME_READ_MEMBER_H

#include "chrome_read_event.h"

/** Reads the next value, which should be an object, with all its members; *event is its type and
    where it begins. 0, no memory, or the reader's failure. */
int tch_chrome_read_members(struct tch_chrome_reader *c, struct tch_json_value *event);

/** The next key of an object and its value; NULL behind the last. p is behind what came before, at
    first behind the bracket. The JSON must be sound. */
const char *tch_chrome_next_member(const char *p, struct tch_json_value *key,
                                   struct tch_json_value *v);

/** The number of the text that a string is. 0, or no memory. */
int tch_chrome_intern(struct tch_chrome_reader *c, const struct tch_json_value *v, uint32_t *ret);

static inline bool tch_chrome_key_is(const struct tch_json_value *key, const char *text, size_t len)
{
    return key->len == len && memcmp(key->text, text, len) == 0;
}
#define KEY_IS(key, text) tch_chrome_key_is(key, text, sizeof(text) - 1)

#endif
