/* Configures a writer: defaults, the environment, checks. */
#include "event_config.h"

#include <sys/auxv.h>
#include <unistd.h>

#include "base/json_canon.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"
#include "event_parse.h"

static bool is_blank_text(const char *text)
{
    return tch_utf8_is_blank(text, strlen(text));
}

static bool is_env_hash(const char *text)
{
    return strncmp(text, TCH_ENV_HASH_START, TCH_ENV_HASH_PREFIX) == 0;
}

static bool is_json_object(const char *text)
{
    struct tch_json_reader r;
    struct tch_json_value value;

    tch_json_open(&r, text, strlen(text), NULL);
    r.finite = true;
    return tch_json_read_raw(&r, &value) == 0 && value.type == TCH_JSON_OBJECT &&
           tch_json_finish(&r) == 0;
}

/* Returns the value after "NAME=" in the last pair that has it, or NULL. */
static const char *find_value(const char *const *pairs, const char *name)
{
    size_t len = strlen(name);
    const char *value = NULL;

    for (; *pairs; pairs++)
        if (strncmp(*pairs, name, len) == 0 && (*pairs)[len] == '=')
            value = *pairs + len + 1;
    return value;
}

/* Returns the value of `name`, or of `ferrum_name` when that is not set or blank. NULL when both
   are. */
static const char *find_either(const char *const *pairs, const char *name, const char *ferrum_name)
{
    const char *value = find_value(pairs, name);

    if (!value || is_blank_text(value))
        value = find_value(pairs, ferrum_name);
    return value && !is_blank_text(value) ? value : NULL;
}

#define FIND(pairs, name) \
    find_either(pairs, TACHO_ENV_PROFILE_##name, TACHO_ENV_FERRUM_PROFILE_##name)

static const char *find_path(struct tch_event_env *env, const char *const *pairs)
{
    const char *path = FIND(pairs, JSONL);
    const char *folder = find_value(pairs, "TACHO_RUN_DIR");
    int len;

    if (path || !folder || is_blank_text(folder))
        return path;
    len = snprintf(env->path, sizeof env->path, "%s/profile.jsonl", folder);
    /* When the path is too long, return the folder: open(2) refuses it and gives the reason. */
    return len >= 0 && (size_t)len < sizeof env->path ? env->path : folder;
}

void tch_event_env_read(struct tch_event_env *env, const char *const *pairs)
{
    static const char *const none[] = {NULL};
    tacho_event_config *config = &env->config;
    const char *value;
    uint64_t number;

    /* A program that runs with more rights than its caller must not write where the caller says. */
    if (!pairs)
        pairs = getauxval(AT_SECURE) ? none : (const char *const *)environ;
    *config = (tacho_event_config)TACHO_EVENT_CONFIG_INIT;
    config->path = find_path(env, pairs);
    if ((value = FIND(pairs, COMMIT_SHA)))
        config->commit_sha = value;
    if ((value = FIND(pairs, ENV_HASH)) && is_env_hash(value))
        config->env_hash = value;
    if ((value = FIND(pairs, MODEL)))
        config->model = value;
    /* A plus sign and leading zeros are allowed, as in the reference. */
    if ((value = FIND(pairs, CONCURRENCY)) &&
        tch_parse_u64(value + (*value == '+'), UINT32_MAX, &number) == 0 && number > 0)
        config->concurrency = (uint32_t)number;
    if ((value = FIND(pairs, RUNTIME_FLAGS_JSON)) && is_json_object(value))
        config->runtime_flags = value;
}

bool tch_event_config_has_path(const tacho_event_config *config)
{
    return config->path && !is_blank_text(config->path);
}

const char *tch_event_config_check(const tacho_event_config *config)
{
    if (config->commit_sha && is_blank_text(config->commit_sha))
        return TCH_BAD_COMMIT_SHA;
    if (config->env_hash && !is_env_hash(config->env_hash))
        return TCH_BAD_ENV_HASH;
    if (config->model && is_blank_text(config->model))
        return TCH_BAD_MODEL;
    if (config->concurrency == 0)
        return TCH_BAD_CONCURRENCY;
    if (config->runtime_flags && !is_json_object(config->runtime_flags))
        return TCH_BAD_FLAGS;
    return NULL;
}

void tch_event_config_head(struct tch_buf *b, const tacho_event_config *config)
{
    tch_json_key(b, "commit_sha");
    if (config->commit_sha)
        tch_json_text(b, config->commit_sha);
    else
        tch_json_null(b);
    tch_json_put_text(b, "env_hash",
                      config->env_hash ? config->env_hash : tch_event_config_default.env_hash);
    tch_json_put_text(b, "model", config->model ? config->model : tch_event_config_default.model);
    tch_json_put_u64(b, "concurrency", config->concurrency);
}

void tch_event_config_flags(struct tch_buf *b, const tacho_event_config *config)
{
    const char *flags = config->runtime_flags ? config->runtime_flags : "{}";

    tch_json_key(b, "runtime_flags");
    if (!is_json_object(flags) ||
        tch_json_canon(b, flags, strlen(flags), TCH_CANON_FINITE, NULL) < 0)
        tch_json_null(b);
}
