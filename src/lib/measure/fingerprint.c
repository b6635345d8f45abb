/* Configurations, JSON and tensors, hashed. */
#include "fingerprint_config.h"

#include <endian.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/sha256.h"

_Static_assert((int)TACHO_SHA256_TEXT == (int)TCH_SHA256_HEX, "the same text");

void tacho_sha256(const void *data, size_t len, char ret[TACHO_SHA256_TEXT])
{
    tch_sha256_hex(ret, data, len);
}

int tch_hand_over(struct tch_buf *b, char **ret, size_t *len, tacho_error *err)
{
    size_t size = b->len;
    char *text = tch_buf_take(b);

    if (!text)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory, or a document of more than %d bytes",
                        TCH_FINGERPRINT_LIMIT);
    *ret = text;
    if (len)
        *len = size;
    return 0;
}

/* What the fields are, in order. */
enum field { MODEL_COMMIT, WEIGHTS_HASH, LAMBDA, TAU, EPS, COMPILER_FLAGS, FIELDS };

static const char *const field_names[FIELDS] = {"model_commit", "weights_hash", "lambda",
                                                "tau",          "eps",          "compiler_flags"};
static const int text_of[FIELDS] = {0, 1, -1, -1, -1, 2}; /* which text, or none */

void tch_config_write(struct tch_buf *b, const struct tch_config *config)
{
    tch_json_begin_object(b);
    for (int f = 0; f < FIELDS; f++) {
        tch_json_key(b, field_names[f]);
        if (text_of[f] >= 0)
            tch_json_string(b, config->text[text_of[f]], config->len[text_of[f]]);
        else if (f == TAU)
            tch_json_u64(b, config->tau);
        else
            tch_json_f32(b, f == LAMBDA ? config->lambda : config->eps);
    }
    tch_json_end_object(b);
}

static struct tch_config config_of(const tacho_config *config)
{
    const char *const texts[TCH_CONFIG_TEXTS] = {config->model_commit, config->weights_hash,
                                                 config->compiler_flags};
    struct tch_config c = {.lambda = config->lambda, .eps = config->eps, .tau = config->tau};

    for (int i = 0; i < TCH_CONFIG_TEXTS; i++) {
        c.text[i] = texts[i] ? texts[i] : "";
        c.len[i] = strlen(c.text[i]);
    }
    return c;
}

int tacho_config_json(const tacho_config *config, char **ret, size_t *len, tacho_error *err)
{
    struct tch_config c = config_of(config);
    struct tch_buf b;

    tch_buf_init(&b, TCH_FINGERPRINT_LIMIT);
    tch_config_write(&b, &c);
    return tch_hand_over(&b, ret, len, err);
}

int tacho_config_hash(const tacho_config *config, char ret[TACHO_SHA256_TEXT], tacho_error *err)
{
    char *json;
    size_t len;
    int status = tacho_config_json(config, &json, &len, err);

    if (status < 0)
        return status;
    tacho_sha256(json, len, ret);
    free(json);
    return 0;
}

/* A configuration while it is read: texts are unescaped into buffers. */
struct reading {
    struct tch_json_reader r;
    struct tch_config config;
    struct tch_buf texts[TCH_CONFIG_TEXTS];
    unsigned seen; /* a bit for each field */
};

static int wrong(tacho_error *err, int f, const char *what)
{
    return tch_fail(err, TACHO_EPARSE, 0, "'%s' must be %s", field_names[f], what);
}

static int read_number(const struct tch_json_value *value, int f, struct tch_config *config,
                       tacho_error *err)
{
    struct tch_json_number n;

    if (value->type != TCH_JSON_NUMBER)
        return wrong(err, f, f == TAU ? "a whole number" : "a number");
    n = tch_json_to_number(value);
    if (f == TAU) {
        if (n.kind != TCH_JSON_U64)
            return wrong(err, f, "a whole number from 0 to 2^64 - 1");
        config->tau = n.as.u64;
        return 0;
    }
    *(f == LAMBDA ? &config->lambda : &config->eps) = n.kind == TCH_JSON_U64   ? (float)n.as.u64
                                                      : n.kind == TCH_JSON_I64 ? (float)n.as.i64
                                                                               : (float)n.as.f64;
    return 0;
}

static int read_field(struct reading *g, int f, tacho_error *err)
{
    struct tch_json_value value;
    int status;

    if (g->seen & 1u << f)
        return tch_fail(err, TACHO_EPARSE, 0, "'%s' comes twice", field_names[f]);
    g->seen |= 1u << f;
    status = tch_json_read(&g->r, &value);
    if (status < 0)
        return status;
    if (text_of[f] < 0)
        return read_number(&value, f, &g->config, err);
    if (value.type != TCH_JSON_STRING)
        return wrong(err, f, "a string");
    tch_json_unescape(&value, &g->texts[text_of[f]]);
    g->config.text[text_of[f]] = g->texts[text_of[f]].data;
    g->config.len[text_of[f]] = g->texts[text_of[f]].len;
    return g->texts[text_of[f]].failed ? tch_fail_memory(err) : 0;
}

static int read_object(struct reading *g, tacho_error *err)
{
    struct tch_json_value key;
    int status = 0;
    int more;

    while (status == 0 && (more = tch_json_member(&g->r, &key)) != 0) {
        int f = 0;

        if (more < 0)
            return more;
        while (f < FIELDS && !tch_json_is(&key, field_names[f]))
            f++;
        status = f < FIELDS ? read_field(g, f, err) : tch_json_skip(&g->r);
    }
    return status;
}

static int read_array(struct reading *g, tacho_error *err)
{
    int status = 0;
    int more;
    int f = 0;

    while (status == 0 && (more = tch_json_element(&g->r)) != 0) {
        if (more < 0)
            return more;
        if (f == FIELDS)
            return tch_fail(err, TACHO_EPARSE, 0, "a configuration has %d values, not more",
                            FIELDS);
        status = read_field(g, f++, err);
    }
    return status;
}

static int read_config(struct reading *g, tacho_error *err)
{
    struct tch_json_value value;
    int status = tch_json_read(&g->r, &value);

    if (status < 0)
        return status;
    if (value.type == TCH_JSON_OBJECT)
        status = read_object(g, err);
    else if (value.type == TCH_JSON_ARRAY)
        status = read_array(g, err);
    else
        status = tch_fail(err, TACHO_EPARSE, 0, "a configuration is a JSON object");
    if (status == 0)
        status = tch_json_finish(&g->r);
    for (int f = 0; status == 0 && f < FIELDS; f++)
        if (!(g->seen & 1u << f))
            status = tch_fail(err, TACHO_EPARSE, 0, "'%s' is missing", field_names[f]);
    return status;
}

int tacho_config_parse(const char *data, size_t data_len, char **ret, size_t *len, tacho_error *err)
{
    struct reading g = {.seen = 0};
    struct tch_buf b;
    int status;

    for (int i = 0; i < TCH_CONFIG_TEXTS; i++)
        tch_buf_init(&g.texts[i], TCH_FINGERPRINT_LIMIT);
    tch_json_open(&g.r, data, data_len, err);
    status = read_config(&g, err);
    if (status == 0) {
        tch_buf_init(&b, TCH_FINGERPRINT_LIMIT);
        tch_config_write(&b, &g.config);
        status = tch_hand_over(&b, ret, len, err);
    }
    for (int i = 0; i < TCH_CONFIG_TEXTS; i++)
        tch_buf_release(&g.texts[i]);
    return status;
}

/* A key of the object that is being written: where it stands in the output. */
struct key {
    size_t start;
    size_t len;
};

struct canon {
    struct tch_json_reader r;
    struct tch_buf out;
    struct tch_buf keys; /* struct key, of all objects that are open */
    tacho_error *err;
};

static int write_value(struct canon *c);

static int by_key(const void *a, const void *b, void *arg)
{
    const struct key *x = a;
    const struct key *y = b;
    const char *text = arg;
    int order = memcmp(text + x->start, text + y->start, x->len < y->len ? x->len : y->len);

    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

static int refuse_doubles(struct canon *c, size_t first)
{
    struct key *keys = (struct key *)(void *)(c->keys.data + first);
    size_t n = (c->keys.len - first) / sizeof *keys;

    qsort_r(keys, n, sizeof *keys, by_key, c->out.data);
    for (size_t i = 1; i < n; i++)
        if (by_key(&keys[i - 1], &keys[i], c->out.data) == 0)
            return tch_fail(c->err, TACHO_EPARSE, 0, "the key %.*s comes twice in an object",
                            (int)(keys[i].len < 80 ? keys[i].len - 1 : 80),
                            c->out.data + keys[i].start);
    return 0;
}

static int write_object(struct canon *c)
{
    size_t first = c->keys.len;
    struct tch_json_value name;
    int more;
    int status = 0;

    tch_json_begin_object(&c->out);
    while (status == 0 && (more = tch_json_member(&c->r, &name)) != 0) {
        struct key key;
        struct tch_buf plain;

        if (more < 0)
            return more;
        tch_buf_init(&plain, TCH_FINGERPRINT_LIMIT);
        tch_json_unescape(&name, &plain);
        key.start = c->out.len + (c->out.len > 0 && c->out.data[c->out.len - 1] != '{');
        tch_json_key_n(&c->out, plain.data, plain.len);
        key.len = c->out.len - key.start;
        tch_buf_add(&c->keys, &key, sizeof key);
        c->out.failed = c->out.failed || plain.failed || c->keys.failed;
        tch_buf_release(&plain);
        status = c->out.failed ? 0 : write_value(c);
        if (c->out.failed)
            return TACHO_ENOMEM;
    }
    if (status == 0)
        status = refuse_doubles(c, first);
    c->keys.len = first;
    tch_json_end_object(&c->out);
    return status;
}

static int write_array(struct canon *c)
{
    int more;
    int status = 0;

    tch_json_begin_array(&c->out);
    while (status == 0 && (more = tch_json_element(&c->r)) != 0)
        status = more < 0 ? more : write_value(c);
    tch_json_end_array(&c->out);
    return status;
}

static void write_number(struct tch_buf *out, const struct tch_json_value *value)
{
    struct tch_json_number n = tch_json_to_number(value);

    if (n.kind == TCH_JSON_U64)
        tch_json_u64(out, n.as.u64);
    else if (n.kind == TCH_JSON_I64)
        tch_json_i64(out, n.as.i64);
    else
        tch_json_f64(out, n.as.f64);
}

static void write_string(struct tch_buf *out, const struct tch_json_value *value)
{
    struct tch_buf plain;

    tch_buf_init(&plain, TCH_FINGERPRINT_LIMIT);
    tch_json_unescape(value, &plain);
    tch_json_string(out, plain.data, plain.len);
    out->failed = out->failed || plain.failed;
    tch_buf_release(&plain);
}

static int write_value(struct canon *c)
{
    struct tch_json_value value;
    int status = tch_json_read(&c->r, &value);

    if (status < 0)
        return status;
    switch (value.type) {
    case TCH_JSON_OBJECT:
        return write_object(c);
    case TCH_JSON_ARRAY:
        return write_array(c);
    case TCH_JSON_NUMBER:
        write_number(&c->out, &value);
        break;
    case TCH_JSON_STRING:
        write_string(&c->out, &value);
        break;
    case TCH_JSON_TRUE:
    case TCH_JSON_FALSE:
        tch_json_bool(&c->out, value.type == TCH_JSON_TRUE);
        break;
    case TCH_JSON_NULL:
        tch_json_null(&c->out);
        break;
    }
    return 0;
}

int tacho_json_canonical(const char *data, size_t data_len, char **ret, size_t *len,
                         tacho_error *err)
{
    struct canon c = {.err = err};
    int status;

    tch_buf_init(&c.out, TCH_FINGERPRINT_LIMIT);
    tch_buf_init(&c.keys, TCH_FINGERPRINT_LIMIT);
    tch_json_open(&c.r, data, data_len, err);
    status = write_value(&c);
    if (status == 0)
        status = tch_json_finish(&c.r);
    tch_buf_release(&c.keys);
    if (status == 0 || c.out.failed) /* without memory it says so */
        return tch_hand_over(&c.out, ret, len, err);
    tch_buf_release(&c.out);
    return status;
}

void tacho_tensor_hash(const float *values, size_t n, char ret[TACHO_SHA256_TEXT])
{
    enum { AT_ONCE = 1024 };
    uint8_t digest[TCH_SHA256_SIZE];
    struct tch_sha256 h;

    tch_sha256_init(&h);
    for (size_t i = 0; i < n;) {
        uint32_t bits[AT_ONCE];
        size_t count = n - i < AT_ONCE ? n - i : AT_ONCE;

        memcpy(bits, values + i, count * sizeof *bits);
        for (size_t j = 0; j < count; j++)
            bits[j] = htole32(bits[j]);
        tch_sha256_update(&h, bits, count * sizeof *bits);
        i += count;
    }
    tch_sha256_final(&h, digest);
    tch_sha256_digest_hex(ret, digest);
}
