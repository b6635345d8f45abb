/* Configurations that the caller owns: copies them, reads them from the environment, and
   converts them to and from JSON. */
#include <stdlib.h>

#include "base/fail.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "event_block.h"
#include "event_canon.h"
#include "event_config.h"
#include "event_parse.h"

const tacho_event_config tch_event_config_default = {
    sizeof(tacho_event_config),
    NULL,
    NULL,
    TCH_ENV_HASH_START "unknown",
    "unknown",
    "{}",
    "native",
    1,
    0,
};

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

tacho_event_config *tch_event_config_copy(const tacho_event_config *from)
{
    const tacho_event_config *unset = &tch_event_config_default;
    struct tch_event_block block;
    tacho_event_config config = *from;
    tacho_event_config *copy;

    config.env_hash = config.env_hash ? config.env_hash : unset->env_hash;
    config.model = config.model ? config.model : unset->model;
    config.runtime_flags = config.runtime_flags ? config.runtime_flags : unset->runtime_flags;
    config.source = config.source ? config.source : unset->source;
    copy = tch_event_block_new(&block, sizeof *copy,
                               text_size(config.path) + text_size(config.commit_sha) +
                                   text_size(config.env_hash) + text_size(config.model) +
                                   text_size(config.runtime_flags) + text_size(config.source));
    if (!copy)
        return NULL;
    *copy = config;
    copy->path = tch_event_block_copy(&block, config.path);
    copy->commit_sha = tch_event_block_copy(&block, config.commit_sha);
    copy->env_hash = tch_event_block_copy(&block, config.env_hash);
    copy->model = tch_event_block_copy(&block, config.model);
    copy->runtime_flags = tch_event_block_copy(&block, config.runtime_flags);
    copy->source = tch_event_block_copy(&block, config.source);
    return copy;
}

static int give_copy(const tacho_event_config *config, tacho_event_config **ret, tacho_error *err)
{
    tacho_event_config *copy = tch_event_config_copy(config);

    if (!copy)
        return tch_fail_memory(err);
    *ret = copy;
    return 0;
}

int tacho_event_config_from_env(const char *const *pairs, tacho_event_config **ret,
                                tacho_error *err)
{
    struct tch_event_env env;

    tch_event_env_read(&env, pairs);
    if (!tch_event_config_has_path(&env.config))
        return give_copy(&tch_event_config_default, ret, err);
    return give_copy(&env.config, ret, err);
}

int tacho_event_metadata_from_env(const char *const *pairs, tacho_event_config **ret,
                                  tacho_error *err)
{
    struct tch_event_env env;

    tch_event_env_read(&env, pairs);
    env.config.path = NULL;
    return give_copy(&env.config, ret, err);
}

/* Writing JSON. */

static int put_metadata(struct tch_buf *b, const tacho_event_config *config, tacho_error *err)
{
    const char *flags = config->runtime_flags ? config->runtime_flags : "{}";
    int status;

    tch_json_begin_object(b);
    tch_event_config_head(b, config);
    tch_json_key(b, "runtime_flags");
    status = tch_json_canon(b, flags, strlen(flags), TCH_CANON_FINITE, err);
    if (status == TACHO_EPARSE)
        return tch_fail(err, TACHO_EINVAL, 0, "runtime_flags is not valid JSON");
    tch_json_end_object(b);
    return status;
}

static int put_sink(struct tch_buf *b, const tacho_event_config *config, tacho_error *err)
{
    size_t len = config->path ? strlen(config->path) : 0;
    int status;

    if (len > 0 && tch_utf8_valid(config->path, len) != len)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "the path '%s' is not UTF-8, so it cannot be written as JSON",
                        config->path);
    tch_json_begin_object(b);
    if (tch_event_config_has_path(config))
        tch_json_put_text(b, "jsonl_path", config->path);
    tch_json_key(b, "metadata");
    status = put_metadata(b, config, err);
    if (config->source && strcmp(config->source, tch_event_config_default.source) != 0)
        tch_json_put_text(b, "source", config->source);
    tch_json_end_object(b);
    return status;
}

/* Fills in the defaults of the caller's configuration and returns the JSON that `put` writes for
   it. */
static int give_json(const tacho_event_config *given,
                     int (*put)(struct tch_buf *, const tacho_event_config *, tacho_error *),
                     char **ret, size_t *ret_len, tacho_error *err)
{
    tacho_event_config config;
    struct tch_buf b;
    int status = tch_sized_read(&config, sizeof config, given, "TACHO_EVENT_CONFIG_INIT", err);

    if (status < 0)
        return status;
    tch_buf_init(&b, TCH_EVENT_MAX);
    status = put(&b, &config, err);
    if (status == 0)
        status = tch_event_give(&b, ret, ret_len, err);
    tch_buf_release(&b);
    return status;
}

int tacho_event_config_to_json(const tacho_event_config *config, char **ret, size_t *ret_len,
                               tacho_error *err)
{
    return give_json(config, put_sink, ret, ret_len, err);
}

int tacho_event_metadata_to_json(const tacho_event_config *config, char **ret, size_t *ret_len,
                                 tacho_error *err)
{
    return give_json(config, put_metadata, ret, ret_len, err);
}

/* Reading JSON in canonical form, in which no key occurs twice. */

static int read_text(struct tch_event_block *block, tacho_raw object, const char *key,
                     bool required, const char **ret, tacho_error *err)
{
    struct tch_json_value value;

    if (!tch_json_find(object.text, object.len, key, &value))
        return required ? tch_fail(err, TACHO_EPARSE, 0, "missing required field: %s", key) : 0;
    if (value.type == TCH_JSON_NULL && !required)
        return 0;
    if (value.type != TCH_JSON_STRING)
        return tch_fail(err, TACHO_EPARSE, 0, "%s must be a string%s", key,
                        required ? "" : " or null");
    return tch_event_block_text(block, (tacho_raw){value.text, value.len}, key, ret, err);
}

static int read_metadata(struct tch_event_block *block, tacho_raw object,
                         tacho_event_config *config, tacho_error *err)
{
    struct tch_json_value value;
    struct tch_json_number number = {.kind = TCH_JSON_F64};
    int status;

    if (object.text[0] != '{')
        return tch_fail(err, TACHO_EPARSE, 0, "metadata must be an object");
    status = read_text(block, object, "commit_sha", false, &config->commit_sha, err);
    if (status == 0)
        status = read_text(block, object, "env_hash", true, &config->env_hash, err);
    if (status == 0)
        status = read_text(block, object, "model", true, &config->model, err);
    if (status < 0)
        return status;
    if (!tch_json_find(object.text, object.len, "concurrency", &value))
        return tch_fail(err, TACHO_EPARSE, 0, "missing required field: concurrency");
    if (value.type == TCH_JSON_NUMBER)
        number = tch_json_to_number(&value);
    if (number.kind != TCH_JSON_U64 || number.as.u64 > UINT32_MAX)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "concurrency must be a whole number up to 4294967295");
    config->concurrency = (uint32_t)number.as.u64;
    if (!tch_json_find(object.text, object.len, "runtime_flags", &value))
        return tch_fail(err, TACHO_EPARSE, 0, "missing required field: runtime_flags");
    config->runtime_flags = tch_event_block_raw(block, (tacho_raw){value.text, value.len});
    return 0;
}

static int read_sink(struct tch_event_block *block, tacho_raw object, tacho_event_config *config,
                     tacho_error *err)
{
    struct tch_json_value metadata;
    int status;

    if (object.text[0] != '{')
        return tch_fail(err, TACHO_EPARSE, 0, "a sink's configuration must be an object");
    status = read_text(block, object, "jsonl_path", false, &config->path, err);
    if (status == 0)
        status = read_text(block, object, "source", false, &config->source, err);
    if (status == 0 && tch_json_find(object.text, object.len, "metadata", &metadata))
        status = read_metadata(block, (tacho_raw){metadata.text, metadata.len}, config, err);
    return status;
}

/* Parses the text and returns the configuration that `read` makes of it. */
static int give_config(const char *json, size_t len,
                       int (*read)(struct tch_event_block *, tacho_raw, tacho_event_config *,
                                   tacho_error *),
                       tacho_event_config **ret, tacho_error *err)
{
    tacho_event_config config = tch_event_config_default;
    struct tch_event_block block;
    struct tch_buf canon;
    char *texts = NULL;
    int status;

    tch_buf_init(&canon, TCH_EVENT_MAX);
    status = tch_json_canon(&canon, json, len, TCH_CANON_FINITE, err);
    if (status < 0)
        goto out;
    texts = tch_event_block_new(&block, 0, canon.len);
    status = texts ? read(&block, (tacho_raw){canon.data, canon.len}, &config, err)
                   : tch_fail_memory(err);
    if (status == 0)
        status = give_copy(&config, ret, err);
out:
    free(texts);
    tch_buf_release(&canon);
    return status;
}

int tacho_event_config_from_json(const char *json, size_t len, tacho_event_config **ret,
                                 tacho_error *err)
{
    return give_config(json, len, read_sink, ret, err);
}

int tacho_event_metadata_from_json(const char *json, size_t len, tacho_event_config **ret,
                                   tacho_error *err)
{
    return give_config(json, len, read_metadata, ret, err);
}
