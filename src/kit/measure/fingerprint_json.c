/* The documents tacho.fingerprint*.v1. */
#include "fingerprint_json.h"

#include <tacho/fingerprint.h>

#include "base/json_write.h"

static void put_raw(struct tch_buf *b, const char *key, const char *json, size_t len)
{
    tch_json_key(b, key);
    if (json)
        tch_json_raw(b, json, len);
    else
        tch_json_null(b);
}

void tch_fingerprint_json(struct tch_buf *b, const char *kind, const char *hash,
                          const char *document, size_t len)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.fingerprint.v1");
    tch_json_put_text(b, "kind", kind);
    tch_json_put_text(b, "sha256", hash);
    put_raw(b, "document", document, len);
    tch_json_end_object(b);
}

void tch_fingerprint_difference_json(struct tch_buf *b, const char *path, const char *x,
                                     const char *y)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "path", path);
    put_raw(b, "a", x, x ? strlen(x) : 0);
    put_raw(b, "b", y, y ? strlen(y) : 0);
    tch_json_end_object(b);
}

void tch_fingerprint_diff_json(struct tch_buf *b, const struct tch_buf *differences)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.fingerprint.diff.v1");
    tch_json_key(b, "differences");
    tch_json_begin_array(b);
    tch_json_raw(b, differences->data, differences->len);
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
    b->failed = b->failed || differences->failed;
}

void tch_fingerprint_env_json(struct tch_buf *b, const char *document, size_t len,
                              const char *machine_class)
{
    char hash[TACHO_ENV_HASH_TEXT];

    tacho_environment_hash(document, len, hash);
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.fingerprint.env.v1");
    tch_json_put_text(b, "env_hash", hash);
    tch_json_put_text(b, "machine_class", machine_class);
    tch_json_key(b, "environment");
    tch_json_raw(b, document, len);
    tch_json_end_object(b);
    tch_json_line_end(b);
}
