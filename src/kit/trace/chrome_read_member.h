/*
 * Reads the members of an event of the Chrome format.
 */
#ifndef TCH_CHROME_READ_MEMBER_H
#define TCH_CHROME_READ_MEMBER_H

#include "chrome_read_event.h"

/** Reads the next value, which should be an object, with all its members. *event gets its type and
    start. Returns 0, TACHO_ENOMEM, or the reader's error. */
int tch_chrome_read_members(struct tch_chrome_reader *c, struct tch_json_value *event);

/** Reads the next key of an object and its value; returns NULL after the last. p is the end of the
    previous member, or the byte after the bracket. The JSON must be valid. */
const char *tch_chrome_next_member(const char *p, struct tch_json_value *key,
                                   struct tch_json_value *v);

/** Interns a string and stores the number of the text. Returns 0 or TACHO_ENOMEM. */
int tch_chrome_intern(struct tch_chrome_reader *c, const struct tch_json_value *v, uint32_t *ret);

#endif
