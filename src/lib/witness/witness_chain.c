/* Writes and checks chained lines. The hash is of bytes, not of values, so exactly one spelling
   of a line is valid. */
#include "witness_chain.h"

#include <stdbool.h>
#include <string.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"

#define PREV ",\"prev\":\""
#define HASH ",\"hash\":\""

enum {
    KEYS_MAX = 32, /* more keys than any line has */
    DIGITS = TCH_SHA256_HEX - 1,
    PREV_LEN = sizeof PREV - 1 + DIGITS + 1, /* with the closing quote */
    HASH_LEN = sizeof HASH - 1 + DIGITS + 2, /* ... and the brace */
};

void tch_chain_init(struct tch_chain *c)
{
    memset(c->last, '0', DIGITS);
    c->last[DIGITS] = '\0';
}

void tch_chain_add(struct tch_chain *c, struct tch_buf *b, size_t start)
{
    tch_buf_addf(b, PREV "%s\"", c->last);
    tch_sha256_hex(c->last, b->data + start, b->failed ? 0 : b->len - start);
    tch_buf_addf(b, HASH "%s\"}", c->last);
    tch_json_line_end(b);
}

/* Returns the 64 digits in `name"…"end` at text, or NULL when the text is different. */
static const char *digits_at(const char *text, const char *name, const char *end)
{
    size_t len = strlen(name);

    if (memcmp(text, name, len) != 0 || memcmp(text + len + DIGITS, end, strlen(end)) != 0)
        return NULL;
    return text + len;
}

/* Returns whether a key occurs twice: readers would disagree about which value counts. */
static bool has_key_twice(const struct tch_line *line)
{
    struct tch_json_value keys[KEYS_MAX];
    struct tch_json_reader json;
    struct tch_json_value value;
    size_t count = 0;

    tch_json_open(&json, line->text, line->len, NULL);
    if (tch_json_read(&json, &value) < 0 || value.type != TCH_JSON_OBJECT)
        return false;
    while (count < KEYS_MAX && tch_json_member(&json, &keys[count]) > 0) {
        for (size_t i = 0; i < count; i++)
            if (keys[i].len == keys[count].len &&
                memcmp(keys[i].text, keys[count].text, keys[i].len) == 0)
                return true;
        if (tch_json_read_raw(&json, &value) < 0)
            return false;
        count++;
    }
    return false;
}

int tch_chain_check(struct tch_chain *c, const struct tch_line *line, tacho_error *err)
{
    char hash[TCH_SHA256_HEX];
    const char *prev;
    const char *own;
    size_t body;

    if (line->too_long)
        return tch_fail(err, TACHO_EPARSE, line->number, "a line of %zu bytes is too long",
                        line->len);
    if (!line->ended)
        return tch_fail(err, TACHO_EPARSE, line->number, "the line is truncated");
    if (line->len < PREV_LEN + HASH_LEN)
        return tch_fail(err, TACHO_EPARSE, line->number,
                        "this is not a line of a witness file; it has no hash");
    body = line->len - HASH_LEN;
    own = digits_at(line->text + body, HASH, "\"}");
    prev = digits_at(line->text + body - PREV_LEN, PREV, "\"");
    if (!own || !prev)
        return tch_fail(err, TACHO_EPARSE, line->number,
                        "this is not a line of a witness file; it has no hash");
    tch_sha256_hex(hash, line->text, body);
    if (memcmp(hash, own, DIGITS) != 0)
        return tch_fail(err, TACHO_EPARSE, line->number,
                        "the line was changed: its hash does not match its bytes");
    if (memcmp(c->last, prev, DIGITS) != 0)
        return tch_fail(
            err, TACHO_EPARSE, line->number,
            "the line does not follow the line before it: a line was removed, added or moved");
    if (has_key_twice(line))
        return tch_fail(err, TACHO_EPARSE, line->number, "a key occurs twice in the line");
    memcpy(c->last, hash, sizeof hash);
    return 0;
}
