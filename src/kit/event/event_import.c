/* Makes events of log lines: a tag, then words, most of which are key=value. */
#include "event_import.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/json_lex.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"
#include "lib/event/event_config.h"
#include "lib/event/event_fields.h"
#include "lib/event/event_parse.h"

enum { MOST_FIELDS = 512, COUNT_NAME = 128 };

/* A unit of time, which is up / down microseconds long. */
struct unit {
    const char *name;
    size_t len;
    uint32_t up;
    uint32_t down;
};

static const struct unit units[] = {
    {"ns", 2, 1, 1000}, {"us", 2, 1, 1},          {"\u00b5s", 3, 1, 1},
    {"ms", 2, 1000, 1}, {"s", 1, 1000 * 1000, 1},
};

/* A line that is being read. It is a copy, in which keys get a NUL after them. */
struct line {
    char *at;
    char *end;
    const struct unit *group; /* the unit of plain numbers in this part of the line, or NULL */
    tacho_field shape[MOST_FIELDS];
    size_t shape_count;
    tacho_field stages[MOST_FIELDS];
    size_t stage_count;
    bool too_many;
    char count_names[MOST_FIELDS][COUNT_NAME]; /* "matmul_calls" */
    size_t count_name_count;
};

static const struct unit *find_unit(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (units[i].len == len && memcmp(units[i].name, text, len) == 0)
            return &units[i];
    return NULL;
}

/* Returns the bytes of the decimal number at the start of text, or 0. */
static size_t number_length(const char *text, const char *end)
{
    const char *p = text;

    if (p < end && *p == '-')
        p++;
    if (!tch_json_digits(&p, end))
        return 0;
    if (p + 1 < end && *p == '.' && tch_json_is_digit(p[1])) {
        p++;
        tch_json_digits(&p, end);
    }
    return (size_t)(p - text);
}

static void add_field(struct line *l, bool stage, tacho_field field)
{
    size_t *count = stage ? &l->stage_count : &l->shape_count;

    if (*count == MOST_FIELDS)
        l->too_many = true;
    else
        (stage ? l->stages : l->shape)[(*count)++] = field;
}

/* Whole numbers stay whole. A number may have leading zeros. */
static tacho_field number_field(const char *key, const char *text, size_t len)
{
    uint64_t u64;
    int64_t i64;
    double f64 = 0;

    if (tch_parse_u64_n(text, len, UINT64_MAX, &u64) == 0)
        return tacho_u64(key, u64);
    if (tch_parse_i64_n(text, len, &i64) == 0)
        return tacho_i64(key, i64);
    if (tch_parse_f64_n(text, len, &f64) == 0)
        return tacho_f64(key, f64);
    return tacho_text_n(key, text, len);
}

/* Converts the number to microseconds: exactly, while it is whole and fits. */
static tacho_field time_field(const char *key, const char *text, size_t len,
                              const struct unit *unit)
{
    uint64_t u64;
    double f64 = 0;
    double us;

    if (tch_parse_u64_n(text, len, UINT64_MAX / unit->up, &u64) == 0 && u64 % unit->down == 0)
        return tacho_u64(key, u64 * unit->up / unit->down);
    if (tch_parse_f64_n(text, len, &f64) < 0)
        return number_field(key, text, len);
    us = f64 * unit->up / unit->down;
    if (us >= 0 && us < 9e15 && us == (double)(uint64_t)us)
        return tacho_u64(key, (uint64_t)us);
    return tacho_f64(key, us);
}

/* Adds the number of calls of a stage to the shape, as <key>_calls. */
static void add_calls(struct line *l, const char *key, const char *text, size_t len)
{
    char *name;
    int n;

    if (l->count_name_count == MOST_FIELDS) {
        l->too_many = true;
        return;
    }
    name = l->count_names[l->count_name_count];
    n = snprintf(name, COUNT_NAME, "%s_calls", key);
    if (n < 0 || n >= COUNT_NAME) {
        l->too_many = true;
        return;
    }
    l->count_name_count++;
    add_field(l, false, number_field(name, text, len));
}

/* Returns the next word of the line, or NULL. A remark in brackets is one word. */
static char *next_word(struct line *l, char **word_end)
{
    char *word;

    while (l->at < l->end && tch_is_blank(*l->at))
        l->at++;
    if (l->at == l->end)
        return NULL;
    word = l->at;
    if (*word == '(') {
        char *close = memchr(word, ')', (size_t)(l->end - word));

        l->at = close ? close + 1 : l->end;
    } else {
        while (l->at < l->end && !tch_is_blank(*l->at))
            l->at++;
    }
    *word_end = l->at;
    return word;
}

/* Reads the next word if it is a unit of time, as in "9 ms". */
static const struct unit *read_unit_word(struct line *l)
{
    char *before = l->at;
    char *end;
    char *word = next_word(l, &end);
    const struct unit *unit = word ? find_unit(word, (size_t)(end - word)) : NULL;

    if (!unit)
        l->at = before;
    return unit;
}

/* Adds the field of key=value. The key is terminated by NUL. */
static void add_value(struct line *l, const char *key, char *value, char *end)
{
    size_t digits = number_length(value, end);
    char *rest = value + digits;
    size_t rest_len = (size_t)(end - rest);
    char *bracket = memchr(rest, '(', rest_len);
    size_t unit_len = bracket ? (size_t)(bracket - rest) : rest_len;
    const struct unit *unit = find_unit(rest, unit_len);
    size_t calls = bracket ? number_length(bracket + 1, end) : 0;

    if (digits > 0 && rest_len == 0) {
        unit = read_unit_word(l);
        if (!unit)
            unit = l->group;
        add_field(l, unit,
                  unit ? time_field(key, value, digits, unit) : number_field(key, value, digits));
    } else if (digits > 0 && unit && (!bracket || bracket + 1 + calls + 1 == end)) {
        add_field(l, true, time_field(key, value, digits, unit));
        if (calls > 0)
            add_calls(l, key, bracket + 1, calls);
    } else if (end - value == 4 && memcmp(value, "true", 4) == 0) {
        add_field(l, false, tacho_bool(key, true));
    } else if (end - value == 5 && memcmp(value, "false", 5) == 0) {
        add_field(l, false, tacho_bool(key, false));
    } else {
        add_field(l, false, tacho_text_n(key, value, (size_t)(end - value)));
    }
}

/* Adds the fields of "flash_attn: 62 calls 5 ms", from after the colon. */
static void add_sentence(struct line *l, const char *key)
{
    char *before = l->at;
    char *count_end;
    char *word_end;
    char *value_end;
    char *count = next_word(l, &count_end);
    char *word = count ? next_word(l, &word_end) : NULL;
    char *value = word ? next_word(l, &value_end) : NULL;
    const struct unit *unit = value ? read_unit_word(l) : NULL;

    if (!unit || number_length(count, count_end) != (size_t)(count_end - count) ||
        word_end - word != 5 || memcmp(word, "calls", 5) != 0 ||
        number_length(value, value_end) != (size_t)(value_end - value)) {
        l->at = before;
        return;
    }
    add_field(l, true, time_field(key, value, (size_t)(value_end - value), unit));
    add_calls(l, key, count, (size_t)(count_end - count));
}

static void add_word(struct line *l, char *word, char *end)
{
    char *equals = memchr(word, '=', (size_t)(end - word));
    char *hash = memchr(word, '#', (size_t)(end - word));

    if (*word == '(')
        return;
    if (equals && equals > word && equals + 1 < end) {
        *equals = '\0';
        add_value(l, word, equals + 1, end);
    } else if (!equals && hash && hash > word &&
               number_length(hash + 1, end) == (size_t)(end - hash - 1) && hash + 1 < end) {
        *hash = '\0';
        add_field(l, false, number_field(word, hash + 1, (size_t)(end - hash - 1)));
    } else if (end - word > 1 && end[-1] == ':') {
        end[-1] = '\0';
        add_sentence(l, word);
    }
}

/* Returns the unit at the end of a part: "(us)" or "(us, summed across layers)". */
static const struct unit *group_unit(const char *part, const char *end)
{
    const char *open = memrchr(part, '(', (size_t)(end - part));
    size_t len = 0;

    if (!open || (open > part && !tch_is_blank(open[-1])))
        return NULL;
    while (open + 1 + len < end && open[1 + len] != ')' && open[1 + len] != ',')
        len++;
    return find_unit(open + 1, len);
}

/* Adds the fields of all parts, which '|' separates. */
static void add_parts(struct line *l, char *rest, char *end)
{
    while (rest < end) {
        char *bar = memchr(rest, '|', (size_t)(end - rest));
        char *word;
        char *word_end;

        l->at = rest;
        l->end = bar ? bar : end;
        l->group = group_unit(rest, l->end);
        while ((word = next_word(l, &word_end)))
            add_word(l, word, word_end);
        rest = bar ? bar + 1 : end;
    }
}

static bool is_tag_char(char c)
{
    return (c >= 'a' && c <= 'z') || tch_json_is_digit(c) || c == '-' || c == '_';
}

/* Finds the first "[tag]" of the line that starts with a letter. */
static bool find_tag(char *line, char *end, char **open, char **close)
{
    for (char *p = line; (p = memchr(p, '[', (size_t)(end - p))); p++) {
        char *q = p + 1;

        while (q < end && is_tag_char(*q))
            q++;
        if (q < end && *q == ']' && q > p + 1 && p[1] >= 'a' && p[1] <= 'z') {
            *open = p;
            *close = q;
            return true;
        }
    }
    return false;
}

static int put_event(const struct tch_import *import, const struct line *l, const char *name,
                     const char *text, size_t len, struct tch_buf *b, tacho_error *err)
{
    int status;

    tch_json_begin_object(b);
    tch_json_put_text(b, "event", name);
    tch_event_config_head(b, &import->config);
    tch_json_key(b, "shape");
    status = tch_fields_put(b, (tacho_fields){l->shape, l->shape_count}, err);
    if (status == 0) {
        tch_json_key(b, "stage_us");
        status = tch_fields_put(b, (tacho_fields){l->stages, l->stage_count}, err);
    }
    tch_json_put_bool(b, "graph_enabled", import->graph_enabled);
    tch_event_config_flags(b, &import->config);
    tch_json_put_text(b, "source", "server_log");
    tch_json_key(b, "source_line");
    tch_json_string(b, text, len);
    tch_json_end_object(b);
    tch_json_line_end(b);
    if (status == 0 && b->failed)
        status = tch_fail_memory(err);
    return status < 0 ? status : 1;
}

/* Makes the name of the event from the tag: '-' becomes '_'. */
static void name_event(char *open, char *close)
{
    *close = '\0';
    for (char *p = open + 1; p < close; p++)
        if (*p == '-')
            *p = '_';
}

int tch_import_line(const struct tch_import *import, const char *line, size_t len,
                    struct tch_buf *b, const char **why, tacho_error *err)
{
    const char *bad = tch_event_config_check(&import->config);
    struct line *l = NULL;
    char *text = NULL;
    char *open;
    char *close;
    int status = 0;

    if (bad)
        return tch_fail(err, TACHO_EINVAL, 0, "%s", bad);
    while (len > 0 && line[len - 1] == '\r')
        len--;
    if (!find_tag((char *)line, (char *)line + len, &open, &close)) {
        *why = "no [tag]";
        return 0;
    }
    text = malloc(len + 1);
    l = malloc(sizeof *l); /* large, so only the counts are cleared */
    if (!text || !l) {
        status = tch_fail_memory(err);
        goto out;
    }
    memcpy(text, line, len);
    text[len] = '\0';
    find_tag(text, text + len, &open, &close);
    l->shape_count = l->stage_count = l->count_name_count = 0;
    l->too_many = false;
    add_parts(l, close + 1, text + len);
    name_event(open, close);
    if (l->too_many)
        *why = "too many fields";
    else if (l->stage_count == 0)
        *why = "no timing";
    else
        status = put_event(import, l, open + 1, line, len, b, err);
out:
    free(l);
    free(text);
    return status;
}
