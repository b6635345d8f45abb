/* Parses times and values of babeltrace2's text. */
#include "babeltrace_text.h"

#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/number.h"

enum { DEPTH_MAX = 16, DAYS_MAX = 10000 };

#define SECOND      INT64_C(1000000000)
#define DAY         (86400 * SECOND)
#define SECONDS_MAX UINT64_C(4000000000)

/* Words. */

bool tch_bt_char(struct tch_bt_text *t, char c)
{
    while (t->at < t->end && *t->at == ' ')
        t->at++;
    if (t->at == t->end || *t->at != c)
        return false;
    t->at++;
    return true;
}

bool tch_bt_number(struct tch_bt_text *t, uint64_t *ret)
{
    const char *start = t->at;

    while (t->at < t->end && *t->at >= '0' && *t->at <= '9')
        t->at++;
    return tch_parse_u64_n(start, (size_t)(t->at - start), UINT64_MAX, ret) == 0;
}

/* Reads the digits after the point as nanoseconds, whatever their number. */
static bool read_fraction(struct tch_bt_text *t, uint64_t *ns)
{
    unsigned digits = 0;

    if (!tch_bt_char(t, '.'))
        return false;
    for (*ns = 0; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
        if (digits < 9) {
            *ns = *ns * 10 + (uint64_t)(*t->at - '0');
            digits++;
        }
    for (; digits < 9; digits++)
        *ns *= 10;
    return true;
}

/* Returns the days from 1970 to a date in the Gregorian calendar. */
static int64_t days_to(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;

    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

/* Returns the nanoseconds of an hour, minute and second; -1 if there is no such time. */
static int64_t time_of_day(const uint64_t n[3], uint64_t ns)
{
    if (n[0] > 23 || n[1] > 59 || n[2] > 60)
        return -1;
    return (int64_t)(n[0] * 3600 + n[1] * 60 + n[2]) * SECOND + (int64_t)ns;
}

/* Reads a time without a date. A time much earlier than the previous one belongs to the next
   day. */
static bool clock_time(struct tch_bt_day *day, const uint64_t n[3], uint64_t ns, int64_t *ret)
{
    *ret = time_of_day(n, ns);
    if (*ret < 0)
        return false;
    if (*ret < day->before - DAY / 2 && day->days < DAYS_MAX)
        day->days++;
    day->before = *ret;
    *ret += day->days * DAY;
    return true;
}

static bool date_time(const uint64_t n[6], uint64_t ns, int64_t *ret)
{
    *ret = time_of_day(n + 3, ns);
    if (*ret < 0 || n[0] < 1970 || n[0] > 2200 || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31)
        return false;
    *ret += days_to((int64_t)n[0], (int64_t)n[1], (int64_t)n[2]) * DAY;
    return true;
}

bool tch_bt_time(struct tch_bt_day *day, struct tch_bt_text *t, int64_t *ret)
{
    char form[6] = ""; /* the characters between the numbers */
    uint64_t n[6] = {0}, ns;
    size_t count = 0;

    if (!tch_bt_char(t, '['))
        return false;
    while (tch_bt_number(t, &n[count])) {
        count++;
        if (count == 6 || t->at == t->end || (*t->at != '-' && *t->at != ':' && *t->at != ' '))
            break;
        form[count - 1] = *t->at++;
    }
    if (count != strlen(form) + 1 || !read_fraction(t, &ns) || !tch_bt_char(t, ']'))
        return false;
    if (strcmp(form, "-- ::") == 0)
        return date_time(n, ns, ret);
    if (strcmp(form, "::") == 0)
        return clock_time(day, n, ns, ret);
    *ret = (int64_t)(n[0] % SECONDS_MAX) * SECOND + (int64_t)ns;
    return count == 1 && n[0] < SECONDS_MAX;
}

/* Values. */

bool tch_bt_string(struct tch_bt_out *o, struct tch_bt_text *t)
{
    static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";

    tch_buf_clear(&o->value);
    for (t->at++; t->at < t->end && *t->at != '"'; t->at++) {
        const char *letter = NULL;

        if (*t->at == '\\' && ++t->at < t->end)
            letter = strchr(letters, *t->at);
        if (t->at == t->end)
            return false;
        tch_buf_addc(&o->value, letter && *letter ? bytes[letter - letters] : *t->at);
    }
    return tch_bt_char(t, '"');
}

/* Adds a word as a JSON number, or else as a text. */
static bool parse_word(struct tch_bt_out *o, struct tch_bt_text *t)
{
    const char *start = t->at;
    uint64_t number;
    size_t len;

    while (t->at < t->end && !strchr(" ,)}]", *t->at))
        t->at++;
    len = (size_t)(t->at - start);
    if (tch_parse_hex_n(start, len, &number) == 0)
        tch_json_u64(&o->args, number);
    else if (len > 0 && (*start == '-' || (*start >= '0' && *start <= '9')) &&
             tch_json_check(start, len, NULL) == 0)
        tch_json_raw(&o->args, start, len);
    else
        tch_json_string(&o->args, start, len);
    return len > 0;
}

/* Parses "[ [0] = 1, [1] = 2 ]", after its opening bracket. */
static bool parse_array(struct tch_bt_out *o, struct tch_bt_text *t, unsigned depth);

/* Parses "( "NAME" : container = 2 )" and adds the name. */
static bool parse_label(struct tch_bt_out *o, struct tch_bt_text *t)
{
    while (t->at < t->end && *t->at == ' ')
        t->at++;
    if (t->at < t->end && *t->at == '"') {
        if (!tch_bt_string(o, t))
            return false;
        tch_json_string(&o->args, o->value.data, o->value.len);
    } else if (!parse_word(o, t)) {
        return false;
    }
    while (t->at < t->end && *t->at != ')')
        t->at++;
    return tch_bt_char(t, ')');
}

static bool parse_value(struct tch_bt_out *o, struct tch_bt_text *t, unsigned depth)
{
    bool sound;

    while (t->at < t->end && *t->at == ' ')
        t->at++;
    if (t->at == t->end || depth > DEPTH_MAX)
        return false;
    switch (*t->at) {
    case '"':
        if (!tch_bt_string(o, t))
            return false;
        tch_json_string(&o->args, o->value.data, o->value.len);
        return true;
    case '{':
        t->at++;
        tch_json_begin_object(&o->args);
        sound = tch_bt_fields(o, t, depth + 1, NULL, NULL);
        tch_json_end_object(&o->args);
        return sound;
    case '[':
        t->at++;
        return parse_array(o, t, depth + 1);
    case '(':
        t->at++;
        return parse_label(o, t);
    default:
        return parse_word(o, t);
    }
}

/* Parses "name = " or "[3] = ". */
static bool parse_key(struct tch_bt_text *t, const char **key, size_t *len)
{
    while (t->at < t->end && *t->at == ' ')
        t->at++;
    *key = t->at;
    while (t->at < t->end && *t->at != ' ' && *t->at != '=')
        t->at++;
    *len = (size_t)(t->at - *key);
    return *len > 0 && tch_bt_char(t, '=');
}

bool tch_bt_fields(struct tch_bt_out *o, struct tch_bt_text *t, unsigned depth, tch_bt_take *take,
                   void *ctx)
{
    const char *key;
    size_t len;

    if (tch_bt_char(t, '}'))
        return true;
    do {
        if (!parse_key(t, &key, &len))
            return false;
        if (take && take(ctx, t, key, len))
            continue;
        tch_json_key_n(&o->args, key, len);
        if (!parse_value(o, t, depth))
            return false;
    } while (tch_bt_char(t, ','));
    return tch_bt_char(t, '}');
}

static bool parse_array(struct tch_bt_out *o, struct tch_bt_text *t, unsigned depth)
{
    const char *key;
    size_t len;
    bool sound = true;

    tch_json_begin_array(&o->args);
    if (!tch_bt_char(t, ']')) {
        do
            sound = parse_key(t, &key, &len) && parse_value(o, t, depth);
        while (sound && tch_bt_char(t, ','));
        sound = sound && tch_bt_char(t, ']');
    }
    tch_json_end_array(&o->args);
    return sound;
}
