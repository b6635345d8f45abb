/* Writes and reads entries. A keep_mask may have more than a million values, so it has its own
   fast writer and reader. */
#include "witness_entry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "witness_member.h"

enum { LONGEST_VALUE = 6 /* "false," */, AT_ONCE = 4, LONGEST_TEXT = AT_ONCE * LONGEST_VALUE };

#define MASK_KEY "\"keep_mask\":["

/* The text of AT_ONCE values of a mask. Their bits are the index into the table of texts. */
struct mask_text {
    char text[LONGEST_TEXT];
    size_t len;
};

static void mask_text_init(struct mask_text *t, unsigned bits, unsigned count)
{
    t->len = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *value = bits >> i & 1 ? "true," : "false,";

        memcpy(t->text + t->len, value, strlen(value));
        t->len += strlen(value);
    }
}

/* Adds four values per table look-up. Each text is copied at its maximum length, and the next
   one overwrites the excess, so neither a branch nor a length depends on the mask. */
static void add_mask(struct tch_buf *b, const uint8_t *mask, size_t count)
{
    char *start = tch_buf_room(b, count * LONGEST_VALUE + LONGEST_TEXT);
    struct mask_text texts[1 << AT_ONCE] = {0};
    struct mask_text last = {0};
    char *to = start;
    size_t i = 0;

    if (!start)
        return;
    for (unsigned bits = 0; bits < 1 << AT_ONCE; bits++)
        mask_text_init(&texts[bits], bits, AT_ONCE);
    for (; i + AT_ONCE <= count; i += AT_ONCE) {
        const uint8_t *m = mask + i;
        unsigned bits = (unsigned)(m[0] != 0) | (unsigned)(m[1] != 0) << 1 |
                        (unsigned)(m[2] != 0) << 2 | (unsigned)(m[3] != 0) << 3;

        memcpy(to, texts[bits].text, LONGEST_TEXT);
        to += texts[bits].len;
    }
    for (; i < count; i++) {
        mask_text_init(&last, mask[i] != 0, 1);
        memcpy(to, last.text, LONGEST_VALUE);
        to += last.len;
    }
    tch_buf_grew(b, (size_t)(to - start) - (count > 0)); /* without the last comma */
}

int tch_witness_entry_add(struct tch_buf *b, const tacho_witness_entry *entry, tacho_error *err)
{
    if (entry->keep_count > TACHO_WITNESS_MASK_MAX)
        return tch_fail(err, TACHO_ELIMIT, 0, "a keep_mask can have %d entries, not %zu",
                        TACHO_WITNESS_MASK_MAX, entry->keep_count);
    tch_json_begin_object(b);
    tch_json_put_text(b, "q_hash", entry->q_hash);
    tch_json_put_text(b, "k_hash", entry->k_hash);
    tch_json_key(b, "keep_mask");
    tch_json_begin_array(b);
    add_mask(b, entry->keep_mask, entry->keep_count);
    tch_json_end_array(b);
    tch_json_key(b, "cut_cost");
    tch_json_f32(b, entry->cut_cost);
    tch_json_key(b, "lambda");
    tch_json_f32(b, entry->lambda);
    tch_json_put_u64(b, "tau", entry->tau);
    tch_json_key(b, "eps");
    tch_json_f32(b, entry->eps);
    tch_json_put_u64(b, "timestamp", entry->timestamp);
    return 0;
}

int tacho_witness_line(const tacho_witness_entry *entry, char **ret, size_t *ret_len,
                       tacho_error *err)
{
    struct tch_buf b;
    size_t n;
    char *text;

    tch_buf_init(&b, TCH_WITNESS_LINE_MAX);
    if (tch_witness_entry_add(&b, entry, err) < 0) {
        tch_buf_release(&b);
        return TACHO_ELIMIT;
    }
    tch_json_end_object(&b);
    n = b.len;
    text = tch_buf_take(&b);
    tch_buf_release(&b);
    if (!text)
        return tch_fail_memory(err);
    *ret = text;
    if (ret_len)
        *ret_len = n;
    return 0;
}

/* Reading. */

/* Reads values with the commas after them, except for the last few. No branch depends on a
   value, because the values of a mask cannot be predicted. */
static bool read_values(const char **text, const char *end, char **ret)
{
    const char *at = *text;
    char *to = *ret;
    uint32_t true_word;
    uint32_t fals_word;
    bool sound = true;

    memcpy(&true_word, "true", sizeof true_word);
    memcpy(&fals_word, "fals", sizeof fals_word);
    while (end - at > LONGEST_VALUE) {
        uint32_t word;
        size_t len;
        bool yes;

        memcpy(&word, at, sizeof word);
        yes = word == true_word;
        len = 5 - (size_t)yes;
        sound &= (yes | ((word == fals_word) & (at[4] == 'e'))) & (at[len] == ',');
        *to++ = (char)yes;
        at += len + 1;
    }
    *text = at;
    *ret = to;
    return sound;
}

/* Reads "[true,false]" as the writer writes it, without blanks. */
static int read_mask(const char *text, size_t len, struct tch_buf *mask)
{
    const char *end = text + len - 1; /* the closing bracket */
    const char *at = text + 1;
    char *start = tch_buf_room(mask, len / 5 + 1);
    char *to = start;

    if (!start)
        return TACHO_ENOMEM;
    if (!read_values(&at, end, &to))
        return TACHO_EPARSE;
    while (at < end) {
        bool yes = *at == 't';
        size_t n = yes ? 4 : 5;

        if ((size_t)(end - at) < n || memcmp(at, yes ? "true" : "false", n) != 0)
            return TACHO_EPARSE;
        *to++ = (char)yes;
        at += n;
        if (at < end && (*at++ != ',' || at == end))
            return TACHO_EPARSE;
    }
    tch_buf_grew(mask, (size_t)(to - start));
    return 0;
}

enum field { Q_HASH, K_HASH, KEEP_MASK, CUT_COST, LAMBDA, TAU, EPS, TIMESTAMP, FIELDS };

static const char *const names[FIELDS] = {"q_hash", "k_hash", "keep_mask", "cut_cost",
                                          "lambda", "tau",    "eps",       "timestamp"};

static int read_f32(const struct tch_json_value *value, float *ret)
{
    if (value->type == TCH_JSON_NULL)
        *ret = NAN;
    else if (value->type == TCH_JSON_NUMBER)
        *ret = (float)tch_json_to_f64(value);
    else
        return TACHO_EPARSE;
    return 0;
}

/* The state of reading an entry. The texts are in one buffer, which may move, so their offsets
   are kept until all are read. */
struct reading {
    struct tch_witness_room *room;
    tacho_witness_entry *entry;
    size_t start[2];
    unsigned seen;
    bool has_mask;  /* a mask was read, and "[]" replaces it in the rest of the line */
    size_t mask_at; /* its offset in the rest; it may be inside another member */
};

static int read_field(struct reading *r, enum field field, const struct tch_json_value *value)
{
    switch (field) {
    case Q_HASH:
    case K_HASH:
        r->start[field] = r->room->texts.len;
        return tch_raw_text(value, &r->room->texts);
    case KEEP_MASK:
        if (value->type != TCH_JSON_ARRAY)
            return TACHO_EPARSE;
        if (r->has_mask && value->text == r->room->rest.data + r->mask_at)
            return 0;
        tch_buf_clear(&r->room->mask);
        return read_mask(value->text, value->len, &r->room->mask);
    case CUT_COST:
        return read_f32(value, &r->entry->cut_cost);
    case LAMBDA:
        return read_f32(value, &r->entry->lambda);
    case TAU:
        return tch_raw_u64(value, &r->entry->tau);
    case EPS:
        return read_f32(value, &r->entry->eps);
    case TIMESTAMP:
        return tch_raw_u64(value, &r->entry->timestamp);
    default:
        return 0; /* ignore prev, hash, and members of later versions */
    }
}

static int read_members(struct tch_json_reader *json, struct reading *r, uint64_t line,
                        tacho_error *err)
{
    struct tch_json_value key;
    int more;

    while ((more = tch_json_member(json, &key)) > 0) {
        enum field field = Q_HASH;
        struct tch_json_value value;
        int status = tch_json_read_raw(json, &value);

        while (field < FIELDS && !tch_json_is(&key, names[field]))
            field++;
        if (status == 0)
            status = read_field(r, field, &value);
        if (status == TACHO_ENOMEM)
            return tch_fail_memory(err);
        if (status < 0)
            return tch_fail(err, TACHO_EPARSE, line,
                            "%s does not have the type that an entry requires",
                            field < FIELDS ? names[field] : "a member");
        r->seen |= 1u << field;
    }
    if (more < 0 || tch_json_finish(json) < 0)
        return tch_fail(err, TACHO_EPARSE, line, "the line is not valid JSON");
    return 0;
}

/* Reads the mask, which is most of the line, and keeps the rest of the line for the JSON reader.
   The key with its quotes cannot be inside a string. Without a valid mask the rest is the whole
   line. Returns 0 or TACHO_ENOMEM. */
static int split_mask(struct reading *r, const struct tch_line *line)
{
    static const char key[] = MASK_KEY;
    struct tch_buf *rest = &r->room->rest;
    const char *line_end = line->text + line->len;
    const char *found = memmem(line->text, line->len, key, sizeof key - 1);
    const char *open = found ? found + sizeof key - 2 : NULL;
    const char *close = open ? memchr(open, ']', (size_t)(line_end - open)) : NULL;
    int status = TACHO_EPARSE;

    tch_buf_clear(rest);
    tch_buf_clear(&r->room->mask);
    if (close && !(found > line->text && found[-1] == '\\'))
        status = read_mask(open, (size_t)(close + 1 - open), &r->room->mask);
    if (status == TACHO_ENOMEM)
        return status;
    r->has_mask = status == 0;
    if (r->has_mask) {
        r->mask_at = (size_t)(open - line->text);
        tch_buf_add(rest, line->text, r->mask_at + 1);
        tch_buf_add(rest, close, (size_t)(line_end - close));
    } else {
        tch_buf_add(rest, line->text, line->len);
    }
    return rest->failed ? TACHO_ENOMEM : 0;
}

int tch_witness_entry_read(const struct tch_line *line, struct tch_witness_room *room,
                           tacho_witness_entry *ret, tacho_error *err)
{
    struct reading r = {.room = room, .entry = ret};
    struct tch_json_reader json;
    struct tch_json_value value;
    int status;

    tch_buf_clear(&room->texts);
    status = split_mask(&r, line);
    if (status < 0)
        return tch_fail_memory(err);
    tch_json_open(&json, room->rest.data, room->rest.len, NULL);
    if (tch_json_read(&json, &value) < 0 || value.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, line->number, "the line is not a JSON object");
    status = read_members(&json, &r, line->number, err);
    if (status < 0)
        return status;
    for (int i = 0; i < FIELDS; i++)
        if (!(r.seen & 1u << i))
            return tch_fail(err, TACHO_EPARSE, line->number, "the entry has no %s", names[i]);
    ret->q_hash = room->texts.data + r.start[Q_HASH];
    ret->k_hash = room->texts.data + r.start[K_HASH];
    ret->keep_mask = (const uint8_t *)room->mask.data;
    ret->keep_count = room->mask.len;
    return 0;
}
