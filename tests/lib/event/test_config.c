/* Tests configurations of a writer: from variables, as JSON, from JSON, and from a writer. */
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

#include <tacho/event.h>

#include "support/system.h"

#define DEFAULTS                                                                                  \
    "{\"commit_sha\":null,\"env_hash\":\"sha256:unknown\",\"model\":\"unknown\",\"concurrency\":" \
    "1,"                                                                                          \
    "\"runtime_flags\":{}}"

static void assert_config_json(const tacho_event_config *config, const char *expected)
{
    char *json = NULL;
    size_t len;

    assert_int_equal(tacho_event_config_to_json(config, &json, &len, NULL), 0);
    assert_string_equal(json, expected);
    assert_int_equal(len, strlen(expected));
    free(json);
}

static tacho_event_config *config_of(const char *json)
{
    tacho_event_config *config = NULL;

    assert_int_equal(tacho_event_config_from_json(json, strlen(json), &config, NULL), 0);
    return config;
}

static void without_a_path_every_member_has_its_default(void **state)
{
    static const char *const pairs[] = {"TACHO_PROFILE_JSONL=\xc2\xa0", "TACHO_PROFILE_MODEL=m",
                                        NULL};
    tacho_event_config *config;

    (void)state;
    assert_int_equal(tacho_event_config_from_env(pairs, &config, NULL), 0);
    assert_null(config->path);
    assert_string_equal(config->model, "unknown");
    assert_config_json(config, "{\"metadata\":" DEFAULTS "}");
    free(config);
    assert_int_equal(tacho_event_metadata_from_env(pairs, &config, NULL), 0);
    assert_null(config->path);
    assert_string_equal(config->model, "m");
    free(config);
}

static void a_configuration_outlives_the_variables(void **state)
{
    tacho_event_config *config;

    (void)state;
    setenv(TACHO_ENV_PROFILE_JSONL, "/tmp/p.jsonl", 1);
    setenv(TACHO_ENV_FERRUM_PROFILE_MODEL, "m", 1);
    unsetenv(TACHO_ENV_PROFILE_MODEL);
    assert_int_equal(tacho_event_config_from_env(NULL, &config, NULL), 0);
    setenv(TACHO_ENV_PROFILE_JSONL, "/elsewhere", 1);
    unsetenv(TACHO_ENV_FERRUM_PROFILE_MODEL);
    assert_string_equal(config->path, "/tmp/p.jsonl");
    assert_string_equal(config->model, "m");
    free(config);
    unsetenv(TACHO_ENV_PROFILE_JSONL);
}

static void json_keeps_every_member(void **state)
{
    static const char json[] =
        "{\"jsonl_path\":\"p\xc3\xa9\\n\",\"metadata\":{\"commit_sha\":\"c\",\"env_hash\":\"\","
        "\"model\":\" \",\"concurrency\":0,\"runtime_flags\":[1,{\"z\":0,\"a\":1.0}]},"
        "\"source\":\"s\"}";
    tacho_event_config *config = config_of(json);

    (void)state;
    assert_string_equal(config->path, "p\xc3\xa9\n");
    assert_string_equal(config->commit_sha, "c");
    assert_int_equal(config->concurrency, 0); /* every push would report it */
    assert_string_equal(config->source, "s");
    assert_config_json(config, json);
    free(config);
}

static void members_missing_in_json_have_their_default(void **state)
{
    static const char *const texts[] = {
        "{}",
        "{\"jsonl_path\":null,\"unknown\":[]}",
        " {\"metadata\":{\"commit_sha\":\"abc\"},\"metadata\":" DEFAULTS "} ",
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        tacho_event_config *config = config_of(texts[i]);

        assert_null(config->path);
        assert_string_equal(config->source, "native");
        assert_config_json(config, "{\"metadata\":" DEFAULTS "}");
        free(config);
    }
}

static void json_of_another_form_is_refused(void **state)
{
    static const struct {
        const char *json;
        const char *why;
    } bad[] = {
        {"{", ""},
        {"[]", "a sink's configuration must be an object"},
        {"{\"jsonl_path\":5}", "jsonl_path must be a string or null"},
        {"{\"jsonl_path\":\"a\\u0000b\"}", "jsonl_path contains a NUL"},
        {"{\"metadata\":null}", "metadata must be an object"},
        {"{\"metadata\":{}}", "missing required field: env_hash"},
        {"{\"metadata\":{\"env_hash\":null}}", "env_hash must be a string"},
        {"{\"metadata\":{\"env_hash\":\"\",\"model\":\"\"}}",
         "missing required field: concurrency"},
        {"{\"metadata\":{\"env_hash\":\"\",\"model\":\"\",\"concurrency\":\"1\"}}",
         "concurrency must be a whole number"},
        {"{\"metadata\":{\"env_hash\":\"\",\"model\":\"\",\"concurrency\":4294967296}}",
         "concurrency must be a whole number"},
        {"{\"metadata\":{\"env_hash\":\"\",\"model\":\"\",\"concurrency\":1}}",
         "missing required field: runtime_flags"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tacho_event_config *config = NULL;
        tacho_error err;

        assert_int_equal(
            tacho_event_config_from_json(bad[i].json, strlen(bad[i].json), &config, &err),
            TACHO_EPARSE);
        assert_null(config);
        if (!strstr(err.message, bad[i].why))
            fail_msg("'%s' instead of '%s'", err.message, bad[i].why);
    }
}

static void values_that_json_cannot_hold_are_refused(void **state)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    char *json = NULL;
    tacho_error err;
    size_t len;

    (void)state;
    config.path = "p\xff";
    assert_int_equal(tacho_event_config_to_json(&config, &json, &len, &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "is not UTF-8"));
    assert_int_equal(tacho_event_metadata_to_json(&config, &json, NULL, NULL), 0);
    assert_string_equal(json, DEFAULTS);
    free(json);
    config.path = "p";
    config.runtime_flags = "{";
    assert_int_equal(tacho_event_config_to_json(&config, &json, &len, &err), TACHO_EINVAL);
    config.size = 0;
    assert_int_equal(tacho_event_metadata_to_json(&config, &json, &len, &err), TACHO_EINVAL);
}

static void a_writer_returns_its_configuration(void **state)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    const tacho_event_config *kept;
    tacho_event_writer *writer = NULL;
    char model[] = "m";

    (void)state;
    config.model = model;
    assert_int_equal(tacho_event_open(&config, &writer, NULL), 0);
    assert_string_equal(tacho_event_writer_config(writer)->model, "unknown"); /* disabled */
    tacho_event_close(writer);
    config.path = test_at("p");
    assert_int_equal(tacho_event_open(&config, &writer, NULL), 0);
    model[0] = 'x';
    kept = tacho_event_writer_config(writer);
    assert_string_equal(kept->model, "m");
    assert_string_equal(kept->path, test_at("p"));
    assert_string_equal(kept->runtime_flags, "{}");
    tacho_event_close(writer);
    assert_null(tacho_event_writer_config(NULL)->path);
}

static int read_and_write(void *arg)
{
    static const char *const pairs[] = {"TACHO_PROFILE_JSONL=p", NULL};
    tacho_event_config *config = NULL;
    tacho_event_config *again = NULL;
    char *json = NULL;
    size_t len = 0;
    int status = tacho_event_config_from_env(pairs, &config, NULL);

    (void)arg;
    if (status == 0)
        status = tacho_event_config_to_json(config, &json, &len, NULL);
    if (status == 0)
        status = tacho_event_config_from_json(json, len, &again, NULL);
    free(config);
    free(again);
    free(json);
    return status;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(read_and_write, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_path_every_member_has_its_default),
        cmocka_unit_test(a_configuration_outlives_the_variables),
        cmocka_unit_test(json_keeps_every_member),
        cmocka_unit_test(members_missing_in_json_have_their_default),
        cmocka_unit_test(json_of_another_form_is_refused),
        cmocka_unit_test(values_that_json_cannot_hold_are_refused),
        TEST_IN_HOME(a_writer_returns_its_configuration),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
