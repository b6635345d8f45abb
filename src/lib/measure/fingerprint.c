/* Hashes configurations, JSON documents and tensors. */
#include "fingerprint_config.h"

#include <endian.h>
#include <math.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/json_canon.h"
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
        return tch_fail(err, TACHO_ENOMEM, 0,
                        "out of memory, or the document has more than %d bytes",
                        TCH_FINGERPRINT_LIMIT);
    *ret = text;
    if (len)
        *len = size;
    return 0;
}

/* The fields of a configuration, in order. */
enum field { MODEL_COMMIT, WEIGHTS_HASH, LAMBDA, TAU, EPS, COMPILER_FLAGS, FIELDS };

static const char *const field_names[FIELDS] = {"model_commit", "weights_hash", "lambda",
                                                "tau",          "eps",          "compiler_flags"};
static const int text_of[FIELDS] = {0,  1,  -1,
                                    -1, -1, 2}; /* index of the text, or -1 for a number */

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

int tacho_config_to_json(const tacho_config *config, char **ret, size_t *ret_len, tacho_error *err)
{
    const char *const texts[TCH_CONFIG_TEXTS] = {config->model_commit, config->weights_hash,
                                                 config->compiler_flags};
    struct tch_config c = {.lambda = config->lambda, .eps = config->eps, .tau = config->tau};
    struct tch_buf b;

    for (int i = 0; i < TCH_CONFIG_TEXTS; i++) {
        c.text[i] = texts[i] ? texts[i] : "";
        c.len[i] = strlen(c.text[i]);
    }
    tch_buf_init(&b, TCH_FINGERPRINT_LIMIT);
    tch_config_write(&b, &c);
    return tch_hand_over(&b, ret, ret_len, err);
}

int tacho_config_hash(const tacho_config *config, char ret[TACHO_SHA256_TEXT], tacho_error *err)
{
    char *json;
    size_t len;
    int status = tacho_config_to_json(config, &json, &len, err);

    if (status < 0)
        return status;
    tacho_sha256(json, len, ret);
    free(json);
    return 0;
}

/* The state of reading a configuration. Texts are unescaped into buffers. */
struct reading {
    struct tch_json_reader r;
    struct tch_config config;
    struct tch_buf texts[TCH_CONFIG_TEXTS];
    unsigned seen; /* a bit for each field */
};

static int wrong_type(tacho_error *err, int f, const char *what)
{
    return tch_fail(err, TACHO_EPARSE, 0, "'%s' must be %s", field_names[f], what);
}

static int read_number(const struct tch_json_value *value, int f, struct tch_config *config,
                       tacho_error *err)
{
    struct tch_json_number n;
    float number;

    if (value->type != TCH_JSON_NUMBER)
        return wrong_type(err, f, f == TAU ? "a whole number" : "a number");
    n = tch_json_to_number(value);
    if (f == TAU) {
        if (n.kind != TCH_JSON_U64)
            return wrong_type(err, f, "a whole number from 0 to 2^64 - 1");
        config->tau = n.as.u64;
        return 0;
    }
    number = n.kind == TCH_JSON_U64   ? (float)n.as.u64
             : n.kind == TCH_JSON_I64 ? (float)n.as.i64
                                      : (float)n.as.f64;
    /* JSON would write it as null, so all such numbers would have one hash. */
    if (!isfinite(number))
        return wrong_type(err, f, "a number that a 32-bit float can hold");
    *(f == LAMBDA ? &config->lambda : &config->eps) = number;
    return 0;
}

static int read_field(struct reading *g, int f, tacho_error *err)
{
    struct tch_json_value value;
    int status;

    if (g->seen & 1u << f)
        return tch_fail(err, TACHO_EPARSE, 0, "'%s' occurs twice", field_names[f]);
    g->seen |= 1u << f;
    status = tch_json_read(&g->r, &value);
    if (status < 0)
        return status;
    if (text_of[f] < 0)
        return read_number(&value, f, &g->config, err);
    if (value.type != TCH_JSON_STRING)
        return wrong_type(err, f, "a string");
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
            return tch_fail(err, TACHO_EPARSE, 0, "a configuration has %d members; there are more",
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
        status = tch_fail(err, TACHO_EPARSE, 0, "a configuration must be a JSON object");
    if (status == 0)
        status = tch_json_finish(&g->r);
    for (int f = 0; status == 0 && f < FIELDS; f++)
        if (!(g->seen & 1u << f))
            status = tch_fail(err, TACHO_EPARSE, 0, "'%s' is missing", field_names[f]);
    return status;
}

int tacho_config_canonical(const char *data, size_t len, char **ret, size_t *ret_len,
                           tacho_error *err)
{
    struct reading g = {.seen = 0};
    struct tch_buf b;
    int status;

    for (int i = 0; i < TCH_CONFIG_TEXTS; i++)
        tch_buf_init(&g.texts[i], TCH_FINGERPRINT_LIMIT);
    tch_json_open(&g.r, data, len, err);
    status = read_config(&g, err);
    if (status == 0) {
        tch_buf_init(&b, TCH_FINGERPRINT_LIMIT);
        tch_config_write(&b, &g.config);
        status = tch_hand_over(&b, ret, ret_len, err);
    }
    for (int i = 0; i < TCH_CONFIG_TEXTS; i++)
        tch_buf_release(&g.texts[i]);
    return status;
}

int tacho_json_canonical(const char *data, size_t len, char **ret, size_t *ret_len,
                         tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, TCH_FINGERPRINT_LIMIT);
    status = tch_json_canon(&b, data, len, TCH_CANON_UNIQUE, err);
    if (status == 0)
        return tch_hand_over(&b, ret, ret_len, err);
    tch_buf_release(&b);
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
