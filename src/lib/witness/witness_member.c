/* Finds and reads members of a chained line. */
#include "witness_member.h"

#include <stdbool.h>
#include <string.h>

#include "base/fail.h"

int tch_raw_u64(const struct tch_json_value *value, uint64_t *ret)
{
    struct tch_json_number n;

    if (value->type != TCH_JSON_NUMBER)
        return TACHO_EPARSE;
    n = tch_json_to_number(value);
    if (n.kind != TCH_JSON_U64)
        return TACHO_EPARSE;
    *ret = n.as.u64;
    return 0;
}

int tch_raw_text(const struct tch_json_value *value, struct tch_buf *b)
{
    struct tch_json_value inner = *value;

    if (value->type != TCH_JSON_STRING)
        return TACHO_EPARSE;
    inner.text++;
    inner.len -= 2;
    inner.escaped = memchr(inner.text, '\\', inner.len) != NULL;
    tch_json_unescape(&inner, b);
    tch_buf_addc(b, '\0');
    return b->failed ? TACHO_ENOMEM : 0;
}

int tch_member_find(const struct tch_line *line, const char *name, struct tch_json_value *ret,
                    tacho_error *err)
{
    struct tch_json_reader json;
    struct tch_json_value key;

    tch_json_open(&json, line->text, line->len, NULL);
    if (tch_json_read(&json, ret) == 0 && ret->type == TCH_JSON_OBJECT)
        while (tch_json_member(&json, &key) > 0) {
            bool found = tch_json_is(&key, name);

            if (tch_json_read_raw(&json, ret) < 0)
                break;
            if (found)
                return 0;
        }
    return tch_fail(err, TACHO_EPARSE, line->number, "the line has no valid '%s'", name);
}

int tch_member_u64(const struct tch_line *line, const char *name, uint64_t *ret, tacho_error *err)
{
    struct tch_json_value value;
    int status = tch_member_find(line, name, &value, err);

    if (status == 0 && tch_raw_u64(&value, ret) < 0)
        status = tch_fail(err, TACHO_EPARSE, line->number, "'%s' is not a whole number", name);
    return status;
}

int tch_member_text(const struct tch_line *line, const char *name, struct tch_buf *b,
                    tacho_error *err)
{
    struct tch_json_value value;
    int status = tch_member_find(line, name, &value, err);

    if (status == 0 && tch_raw_text(&value, b) < 0)
        status =
            tch_fail(err, TACHO_EPARSE, line->number, "'%s' is not a string, or is too long", name);
    return status;
}
