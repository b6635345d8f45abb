/*
 * Base64 with '+' and '/', padded by '=' (RFC 4648).
 */
#ifndef TCH_BASE64_H
#define TCH_BASE64_H

#include "buf.h"

void tch_base64_add(struct tch_buf *b, const void *data, size_t len);

/**
 * Decodes text and adds the bytes to out. The padding may be missing.
 * @return 0, or -1 at a character that is not in the base64 alphabet
 */
int tch_base64_parse(const char *text, size_t len, struct tch_buf *out);

#endif
