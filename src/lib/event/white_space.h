/*
 * White space as Unicode's property White_Space has it: NBSP is, U+200B and the BOM are not.
 */
#ifndef TCH_WHITE_SPACE_H
#define TCH_WHITE_SPACE_H

#include <stdbool.h>
#include <stddef.h>

/** Is there nothing but white space? */
bool tch_is_blank(const char *text, size_t len);

/** Takes the white space off both ends. */
void tch_trim(const char **text, size_t *len);

#endif
