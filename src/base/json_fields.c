/* Writes and reads JSON objects by tables of fields. */
#include "json_fields.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "fail.h"
#include "json_write.h"

enum { PAIR_MAX = 1 << 24 }; /* bytes of "KEY=VALUE" */

/* Returns the address of a field. The table says what type is there. */
static void *field_in(const struct tch_json_field *f, void *of)
{
    return (char *)of + f->offset;
}

static const void *field_of(const struct tch_json_field *f, const void *of)
{
    return (const char *)of + f->offset;
}

const struct tch_json_field *tch_json_field_find(const struct tch_json_field *fields,
                                                 const char *key)
{
    while (fields->key && strcmp(fields->key, key) != 0)
        fields++;
    return fields->key ? fields : NULL;
}

/* --- Lists of strings --- */

void tch_words_free(char **words)
{
    for (char **w = words; w && *w; w++)
        free(*w);
    free(words);
}

char **tch_words_copy(const char *const *words)
{
    size_t n = 0;
    char **copy;

    while (words && words[n])
        n++;
    copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = strdup(words[i]);
        if (!copy[i]) {
            tch_words_free(copy);
            return NULL;
        }
    }
    return copy;
}

const char *tch_pairs_find(char *const *pairs, const char *name)
{
    size_t len = strlen(name);

    for (; pairs && *pairs; pairs++)
        if (strncmp(*pairs, name, len) == 0 && (*pairs)[len] == '=')
            return *pairs + len + 1;
    return NULL;
}

/* --- Writing --- */

static bool is_there(const struct tch_json_field *f, const void *of)
{
    const void *at = field_of(f, of);

    if (f->there)
        return f->there(of);
    switch (f->kind) {
    case TCH_JSON_AS_TEXT:
    case TCH_JSON_AS_RAW:
        return *(char *const *)at != NULL;
    case TCH_JSON_AS_WORDS:
    case TCH_JSON_AS_PAIRS:
        return *(char **const *)at != NULL;
    case TCH_JSON_AS_CHARS:
        return *(const char *)at != '\0';
    case TCH_JSON_AS_U64:
        return *(const uint64_t *)at > 0;
    case TCH_JSON_AS_F64:
        return !isnan(*(const double *)at);
    case TCH_JSON_AS_BOOL:
        return *(const bool *)at;
    case TCH_JSON_AS_TRIPLE:
        return *(const int *)at >= 0;
    default:
        return true;
    }
}

static void write_words(struct tch_buf *b, char *const *words)
{
    tch_json_begin_array(b);
    for (; words && *words; words++)
        tch_json_text(b, *words);
    tch_json_end_array(b);
}

void tch_json_pairs(struct tch_buf *b, char *const *pairs)
{
    tch_json_begin_object(b);
    for (; pairs && *pairs; pairs++) {
        size_t len = strcspn(*pairs, "=");

        tch_json_key_n(b, *pairs, len);
        tch_json_text(b, *pairs + len + ((*pairs)[len] == '='));
    }
    tch_json_end_object(b);
}

static void write_text(struct tch_buf *b, const char *text)
{
    if (text)
        tch_json_text(b, text);
    else
        tch_json_null(b);
}

static void write_raw(struct tch_buf *b, const char *json)
{
    if (json)
        tch_json_raw(b, json, strlen(json));
    else
        tch_json_null(b);
}

static void write_value(struct tch_buf *b, const struct tch_json_field *f, const void *of)
{
    const void *at = field_of(f, of);

    switch (f->kind) {
    case TCH_JSON_AS_TEXT:
        write_text(b, *(char *const *)at);
        break;
    case TCH_JSON_AS_CHARS:
        tch_json_text(b, at);
        break;
    case TCH_JSON_AS_U64:
        tch_json_u64(b, *(const uint64_t *)at);
        break;
    case TCH_JSON_AS_F64:
        tch_json_f64(b, *(const double *)at);
        break;
    case TCH_JSON_AS_BOOL:
        tch_json_bool(b, *(const bool *)at);
        break;
    case TCH_JSON_AS_TRIPLE:
        tch_json_bool(b, *(const int *)at);
        break;
    case TCH_JSON_AS_WORDS:
        write_words(b, *(char **const *)at);
        break;
    case TCH_JSON_AS_PAIRS:
        tch_json_pairs(b, *(char **const *)at);
        break;
    case TCH_JSON_AS_RAW:
        write_raw(b, *(char *const *)at);
        break;
    case TCH_JSON_AS_OBJECT:
        tch_json_fields_write(b, f->fields, at);
        break;
    case TCH_JSON_AS_OWN:
        f->write(b, of);
        break;
    }
}

/* Returns whether JSON can say "always" of an absent value: there is no text, number or truth value
   for NULL, NAN and "not known". */
static bool has_empty_form(const struct tch_json_field *f)
{
    return f->kind == TCH_JSON_AS_CHARS || f->kind == TCH_JSON_AS_U64 ||
           f->kind == TCH_JSON_AS_BOOL || f->kind == TCH_JSON_AS_WORDS ||
           f->kind == TCH_JSON_AS_PAIRS;
}

bool tch_json_field_is_written(const struct tch_json_field *f, const void *of)
{
    if (f->kind == TCH_JSON_AS_OWN && !f->write)
        return false;
    return f->absent != TCH_JSON_LEFT_OUT || is_there(f, of);
}

void tch_json_field_write_value(struct tch_buf *b, const struct tch_json_field *f, const void *of)
{
    if (is_there(f, of) || (f->absent == TCH_JSON_ALWAYS && has_empty_form(f)))
        write_value(b, f, of);
    else
        tch_json_null(b);
}

void tch_json_field_write(struct tch_buf *b, const struct tch_json_field *f, const void *of)
{
    if (!tch_json_field_is_written(f, of))
        return;
    tch_json_key(b, f->key);
    tch_json_field_write_value(b, f, of);
}

void tch_json_fields_write_members(struct tch_buf *b, const struct tch_json_field *fields,
                                   const void *of)
{
    for (const struct tch_json_field *f = fields; f->key; f++)
        tch_json_field_write(b, f, of);
}

void tch_json_fields_write(struct tch_buf *b, const struct tch_json_field *fields, const void *of)
{
    tch_json_begin_object(b);
    tch_json_fields_write_members(b, fields, of);
    tch_json_end_object(b);
}

void tch_json_others_write_members(struct tch_buf *b, const struct tch_json_others *others)
{
    for (size_t i = 0; i < others->count; i++) {
        tch_json_key(b, others->items[i].key);
        tch_json_raw(b, others->items[i].json, strlen(others->items[i].json));
    }
}

/* --- Reading --- */

/* Returns a copy of a string, unescaped. Returns NULL if memory runs out. The limit is never
   reached, because no character of a string grows when it is unescaped. */
static char *copy_string(const struct tch_json_value *value)
{
    struct tch_buf b;

    tch_buf_init(&b, value->len + 1);
    tch_json_unescape(value, &b);
    return tch_buf_take(&b);
}

static char *copy_json(const struct tch_json_value *value)
{
    char *copy = malloc(value->len + 1);

    if (!copy)
        return NULL;
    memcpy(copy, value->text, value->len);
    copy[value->len] = '\0';
    return copy;
}

static int set_text(char **at, char *copy, tacho_error *err)
{
    if (!copy)
        return tch_fail_memory(err);
    free(*at);
    *at = copy;
    return 0;
}

static int set_chars(const struct tch_json_field *f, char *at, const struct tch_json_value *value,
                     tacho_error *err)
{
    struct tch_buf b;
    bool too_long;

    tch_buf_init_on(&b, at, f->size, f->size - 1);
    tch_json_unescape(value, &b);
    too_long = b.failed;
    tch_buf_release(&b);
    if (!too_long)
        return 0;
    at[0] = '\0'; /* half of an id or of a hash would be another one */
    return f->strict ? tch_fail(err, TACHO_EPARSE, 0, "'%s' is longer than %zu bytes", f->key,
                                f->size - 1)
                     : 0;
}

static void set_number(const struct tch_json_field *f, void *at, const struct tch_json_value *value)
{
    struct tch_json_number number = tch_json_to_number(value);

    if (f->kind == TCH_JSON_AS_F64)
        *(double *)at = tch_json_to_f64(value);
    else if (f->kind != TCH_JSON_AS_U64)
        return;
    else if (number.kind == TCH_JSON_U64)
        *(uint64_t *)at = number.as.u64;
    else if (number.kind == TCH_JSON_F64 && number.as.f64 >= 0 && number.as.f64 < 0x1p64)
        *(uint64_t *)at = (uint64_t)number.as.f64; /* such as 1e9 */
}

static void set_truth(const struct tch_json_field *f, void *at, bool value)
{
    if (f->kind == TCH_JSON_AS_BOOL)
        *(bool *)at = value;
    else if (f->kind == TCH_JSON_AS_TRIPLE)
        *(int *)at = value;
}

/* A list of strings that is being read. It ends in NULL. */
struct words {
    char **list;
    size_t n;
    size_t room;
};

/* Adds a word. Takes it over, also when it fails. */
static int add_word(struct words *w, char *word, tacho_error *err)
{
    if (!word || tch_array_reserve(&w->list, &w->room, w->n + 2) < 0) {
        free(word);
        return tch_fail_memory(err);
    }
    w->list[w->n++] = word;
    w->list[w->n] = NULL;
    return 0;
}

/* Reads an element of an array. One that is not a string is left out. */
static int read_word(struct tch_json_reader *r, struct words *w, tacho_error *err)
{
    struct tch_json_value value;

    if (tch_json_read(r, &value) < 0)
        return r->status;
    if (value.type == TCH_JSON_STRING)
        return add_word(w, copy_string(&value), err);
    return value.type == TCH_JSON_ARRAY || value.type == TCH_JSON_OBJECT ? tch_json_leave(r) : 0;
}

/* Reads a member of an object as "KEY=VALUE". The text of a value that is not a string is its
   JSON. */
static int read_pair(struct tch_json_reader *r, const struct tch_json_value *key, struct words *w,
                     tacho_error *err)
{
    struct tch_json_value value;
    struct tch_json_value string;
    struct tch_json_reader inner;
    struct tch_buf b;

    tch_buf_init(&b, PAIR_MAX);
    tch_json_unescape(key, &b); /* first: the key of a stream does not outlive the next read */
    tch_buf_addc(&b, '=');
    if (tch_json_read_raw(r, &value) < 0) {
        tch_buf_release(&b);
        return r->status;
    }
    tch_json_open(&inner, value.text, value.len, NULL);
    if (value.type == TCH_JSON_STRING && tch_json_read(&inner, &string) == 0)
        tch_json_unescape(&string, &b);
    else
        tch_buf_add(&b, value.text, value.len);
    return add_word(w, tch_buf_take(&b), err);
}

/* Reads the elements of an array, or the members of an object, that was entered. */
static int read_list(struct tch_json_reader *r, bool pairs, char ***ret, tacho_error *err)
{
    struct words w = {.list = calloc(1, sizeof *w.list), .room = 1};
    struct tch_json_value key;
    int status = w.list ? 0 : tch_fail_memory(err);
    int more = 0;

    while (status == 0 && (more = pairs ? tch_json_member(r, &key) : tch_json_element(r)) > 0)
        status = pairs ? read_pair(r, &key, &w, err) : read_word(r, &w, err);
    if (status < 0 || more < 0) {
        tch_words_free(w.list);
        return status < 0 ? status : more;
    }
    tch_words_free(*ret);
    *ret = w.list;
    return 0;
}

/* Checks the value of a strict row. */
static int check_type(const struct tch_json_field *f, enum tch_json_type type, tacho_error *err)
{
    static const enum tch_json_type wanted[] = {
        [TCH_JSON_AS_TEXT] = TCH_JSON_STRING, [TCH_JSON_AS_CHARS] = TCH_JSON_STRING,
        [TCH_JSON_AS_U64] = TCH_JSON_NUMBER,  [TCH_JSON_AS_F64] = TCH_JSON_NUMBER,
        [TCH_JSON_AS_BOOL] = TCH_JSON_TRUE,   [TCH_JSON_AS_TRIPLE] = TCH_JSON_TRUE,
        [TCH_JSON_AS_WORDS] = TCH_JSON_ARRAY, [TCH_JSON_AS_PAIRS] = TCH_JSON_OBJECT,
    };
    static const char *const names[] = {
        [TCH_JSON_STRING] = "a string",    [TCH_JSON_NUMBER] = "a number",
        [TCH_JSON_TRUE] = "true or false", [TCH_JSON_ARRAY] = "a list",
        [TCH_JSON_OBJECT] = "an object",
    };

    if (type == TCH_JSON_NULL && f->absent == TCH_JSON_OR_NULL)
        return 0;
    if (type == wanted[f->kind] || (type == TCH_JSON_FALSE && wanted[f->kind] == TCH_JSON_TRUE))
        return 0;
    return tch_fail(err, TACHO_EPARSE, 0, "'%s' must be %s", f->key, names[wanted[f->kind]]);
}

/* Reads a value into a field of a kind that the table describes in full. */
static int read_plain(struct tch_json_reader *r, const struct tch_json_field *f, void *at,
                      tacho_error *err)
{
    struct tch_json_value value;

    if (tch_json_read(r, &value) < 0)
        return r->status;
    if (f->strict && check_type(f, value.type, err) < 0)
        return TACHO_EPARSE;
    switch (value.type) {
    case TCH_JSON_STRING:
        if (f->kind == TCH_JSON_AS_TEXT)
            return set_text(at, copy_string(&value), err);
        return f->kind == TCH_JSON_AS_CHARS ? set_chars(f, at, &value, err) : 0;
    case TCH_JSON_NUMBER:
        set_number(f, at, &value);
        return 0;
    case TCH_JSON_TRUE:
    case TCH_JSON_FALSE:
        set_truth(f, at, value.type == TCH_JSON_TRUE);
        return 0;
    case TCH_JSON_ARRAY:
        return f->kind == TCH_JSON_AS_WORDS ? read_list(r, false, at, err) : tch_json_leave(r);
    case TCH_JSON_OBJECT:
        return f->kind == TCH_JSON_AS_PAIRS ? read_list(r, true, at, err) : tch_json_leave(r);
    default:
        return 0;
    }
}

/* Reads the members of an object that was entered. */
static int read_members(struct tch_json_reader *r, const struct tch_json_field *fields, void *into,
                        struct tch_json_others *others, tacho_error *err);

static int read_raw(struct tch_json_reader *r, char **at, tacho_error *err)
{
    struct tch_json_value value;

    if (tch_json_read_raw(r, &value) < 0)
        return r->status;
    return value.type == TCH_JSON_NULL ? 0 : set_text(at, copy_json(&value), err);
}

static int read_object(struct tch_json_reader *r, const struct tch_json_field *f, void *at,
                       tacho_error *err)
{
    struct tch_json_value value;

    if (tch_json_read(r, &value) < 0)
        return r->status;
    if (value.type == TCH_JSON_OBJECT)
        return read_members(r, f->fields, at, NULL, err);
    return value.type == TCH_JSON_ARRAY ? tch_json_leave(r) : 0;
}

static int read_other(struct tch_json_reader *r, const struct tch_json_value *key,
                      struct tch_json_others *others, tacho_error *err)
{
    struct tch_json_other other = {.key = copy_string(key)};
    struct tch_json_value value;

    if (tch_json_read_raw(r, &value) < 0) {
        free(other.key);
        return r->status;
    }
    other.json = copy_json(&value);
    if (!other.key || !other.json || tch_array_extend(&others->items, others->count) < 0) {
        free(other.key);
        free(other.json);
        return tch_fail_memory(err);
    }
    others->items[others->count++] = other;
    return 0;
}

int tch_json_field_read(struct tch_json_reader *r, const struct tch_json_field *f, void *into,
                        tacho_error *err)
{
    if (f->kind == TCH_JSON_AS_OWN)
        return f->read ? f->read(r, into, err) : tch_json_skip(r);
    if (f->kind == TCH_JSON_AS_OBJECT)
        return read_object(r, f, field_in(f, into), err);
    if (f->kind == TCH_JSON_AS_RAW)
        return read_raw(r, field_in(f, into), err);
    return read_plain(r, f, field_in(f, into), err);
}

/* Returns the bit of a row in the set of the members that were read. Only the first 64 rows have
   one. */
static uint64_t row_bit(const struct tch_json_field *fields, const struct tch_json_field *f)
{
    return f - fields < 64 ? UINT64_C(1) << (f - fields) : 0;
}

static int check_required(const struct tch_json_field *fields, uint64_t seen, tacho_error *err)
{
    for (const struct tch_json_field *f = fields; f->key; f++)
        if (f->required && !(seen & row_bit(fields, f)))
            return tch_fail(err, TACHO_EPARSE, 0, "'%s' is missing", f->key);
    return 0;
}

static int read_members(struct tch_json_reader *r, const struct tch_json_field *fields, void *into,
                        struct tch_json_others *others, tacho_error *err)
{
    struct tch_json_value key;
    uint64_t seen = 0;
    int more;

    while ((more = tch_json_member(r, &key)) > 0) {
        const struct tch_json_field *f = fields;
        int status;

        while (f->key && !tch_json_is(&key, f->key))
            f++;
        seen |= row_bit(fields, f);
        if (f->key)
            status = tch_json_field_read(r, f, into, err);
        else
            status = others ? read_other(r, &key, others, err) : tch_json_skip(r);
        if (status < 0)
            return status;
    }
    return more < 0 ? more : check_required(fields, seen, err);
}

int tch_json_fields_read(struct tch_json_reader *r, const struct tch_json_field *fields, void *into,
                         struct tch_json_others *others, tacho_error *err)
{
    struct tch_json_value value;

    if (tch_json_read(r, &value) < 0)
        return r->status;
    if (value.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 0, "there is no JSON object");
    return read_members(r, fields, into, others, err);
}

/* --- Releasing --- */

void tch_json_fields_release(const struct tch_json_field *fields, void *of)
{
    for (const struct tch_json_field *f = fields; f->key; f++) {
        void *at = field_in(f, of);

        if (f->kind == TCH_JSON_AS_TEXT || f->kind == TCH_JSON_AS_RAW) {
            free(*(char **)at);
            *(char **)at = NULL;
        } else if (f->kind == TCH_JSON_AS_WORDS || f->kind == TCH_JSON_AS_PAIRS) {
            tch_words_free(*(char ***)at);
            *(char ***)at = NULL;
        } else if (f->kind == TCH_JSON_AS_OBJECT) {
            tch_json_fields_release(f->fields, at);
        }
    }
}

void tch_json_others_release(struct tch_json_others *others)
{
    for (size_t i = 0; i < others->count; i++) {
        free(others->items[i].key);
        free(others->items[i].json);
    }
    free(others->items);
    *others = (struct tch_json_others){0};
}
