/*
 * Warnings about a result whose numbers are doubtful, each with advice.
 */
#ifndef TCH_WARNINGS_H
#define TCH_WARNINGS_H

#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/json_read.h"

enum { TCH_WARNINGS_MAX = 16, TCH_WARNING_TEXT = 200 };

struct tch_warning {
    char code[24]; /**< code of the warning in run.json: "drift" */
    char text[TCH_WARNING_TEXT];
    char advice[TCH_WARNING_TEXT];
};

struct tch_warnings {
    struct tch_warning item[TCH_WARNINGS_MAX];
    size_t count;
};

/** Adds a warning. Drops it when there are TCH_WARNINGS_MAX already. */
void tch_warn(struct tch_warnings *w, const char *code, const char *advice, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/** Writes the "warnings" of run.json. */
void tch_warnings_write(struct tch_buf *b, const struct tch_warnings *w);

/** Reads the "warnings" of run.json. Returns 0 or TACHO_EPARSE. */
int tch_warnings_read(struct tch_json_reader *r, struct tch_warnings *w, tacho_error *err);

#endif
