/* Runs the tests of ferrum's profile events (ferrum-bench-core, profile.rs) against
   <tacho/event.h>. */
#include <tacho/event.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

/* An event with every field, as the members of the JSON text that valid_event() joins. */
static const char *const valid_members[] = {
    "\"event\":\"unified_prof\"",
    "\"commit_sha\":\"abc123\"",
    "\"env_hash\":\"sha256:env\"",
    "\"model\":\"Qwen/Qwen3-30B-A3B-GPTQ-Int4\"",
    "\"concurrency\":32",
    "\"shape\":{\"batch\":32,\"active_blocks\":65}",
    "\"stage_us\":{\"model\":12500.0,\"decode_post\":350.0}",
    "\"graph_enabled\":true",
    "\"runtime_flags\":{\"schema_version\":1,\"entries\":[]}",
    "\"source\":\"server_log\"",
    "\"source_line\":\"[unified-prof] model=12500 decode_post=350\"",
};

enum { MEMBERS = sizeof valid_members / sizeof valid_members[0] };

struct json {
    char text[1024];
};

/* Returns the event's JSON without the member `without` and with the member `instead`. Either
   may be NULL. */
static struct json valid_event(const char *without, const char *instead)
{
    struct json json;
    char key[64];
    int len = 0;

    snprintf(key, sizeof key, "\"%s\":", without ? without : "");
    for (size_t i = 0; i < MEMBERS; i++) {
        const char *member = valid_members[i];

        if (strncmp(member, key, strlen(key)) == 0)
            member = instead;
        if (member)
            len += snprintf(json.text + len, sizeof json.text - (size_t)len, "%c%s",
                            len == 0 ? '{' : ',', member);
    }
    snprintf(json.text + len, sizeof json.text - (size_t)len, "}");
    return json;
}

static tacho_event *read_event(const char *json)
{
    tacho_event *event = NULL;
    tacho_error err = {0};

    if (tacho_event_from_json(json, strlen(json), &event, &err) < 0)
        CHECK_TEXT(err.message, "");
    return event;
}

/* Checks that the JSON is refused as an event, and returns the error. */
static tacho_error refusal_of(const char *json)
{
    tacho_event *event = NULL;
    tacho_error err;

    CHECK_INT(tacho_event_from_json(json, strlen(json), &event, &err), TACHO_EPARSE);
    CHECK(!event);
    return err;
}

static tacho_event_list *read_events(const char *jsonl)
{
    tacho_event_list *list = NULL;
    tacho_error err = {0};

    if (tacho_event_list_from_jsonl(jsonl, strlen(jsonl), &list, &err) < 0)
        CHECK_TEXT(err.message, "");
    return list;
}

static tacho_event_list *read_file(const char *path)
{
    char *text = read_whole(path, NULL);
    tacho_event_list *list = read_events(text);

    free(text);
    return list;
}

static void profile_event_round_trips_and_validates(void)
{
    struct json json = valid_event(NULL, NULL);
    tacho_event *event = read_event(json.text);
    const tacho_field *blocks;
    tacho_event *decoded;
    char *encoded;
    char *again;
    size_t len;

    CHECK_INT(tacho_event_validate(event, NULL), 0);
    CHECK_TEXT(event->event, "unified_prof");
    CHECK_INT(event->concurrency, 32);
    blocks = tacho_fields_find(event->shape, "active_blocks");
    CHECK(blocks && blocks->type == TACHO_FIELD_I64 && blocks->as.i64 == 65);
    CHECK_TEXT(event->source, "server_log");

    CHECK_INT(tacho_event_to_json(event, &encoded, &len, NULL), 0);
    decoded = read_event(encoded);
    CHECK_INT(tacho_event_to_json(decoded, &again, &len, NULL), 0);
    CHECK_TEXT(again, encoded);
    free(again);
    free(encoded);
    free(decoded);
    free(event);
}

static void profile_event_rejects_every_missing_required_field(void)
{
    const char *const *key = tacho_event_required_fields();

    for (; *key; key++) {
        tacho_error err = refusal_of(valid_event(*key, NULL).text);
        char expected[64];

        snprintf(expected, sizeof expected, "missing required field: %s", *key);
        CHECK_TEXT(err.message, expected);
    }
    CHECK_INT(key - tacho_event_required_fields(), 9);
}

static void profile_event_accepts_null_commit_sha_when_key_is_present(void)
{
    tacho_event *event = read_event(valid_event("commit_sha", "\"commit_sha\":null").text);

    CHECK_TEXT(event->commit_sha, NULL);
    free(event);
}

static void profile_event_rejects_bad_env_hash_and_zero_concurrency(void)
{
    CHECK_CONTAINS(refusal_of(valid_event("env_hash", "\"env_hash\":\"env\"").text).message,
                   "env_hash");
    CHECK_CONTAINS(refusal_of(valid_event("concurrency", "\"concurrency\":0").text).message,
                   "concurrency");
}

static void profile_jsonl_parses_multiple_events(void)
{
    static const char *const groups[] = {"unified_prof", "bucket_prof"};
    struct json one = valid_event(NULL, NULL);
    struct json two = valid_event("event", "\"event\":\"bucket_prof\"");
    tacho_event_list *list;
    char jsonl[2100];

    snprintf(jsonl, sizeof jsonl, "%s\n\n%s\n", one.text, two.text);
    list = read_events(jsonl);
    CHECK_INT(tacho_event_list_count(list), 2);
    CHECK_INT(tacho_event_list_require(list, groups, 2, NULL), 0);
    tacho_event_list_free(list);
}

static void required_event_groups_reject_missing_groups(void)
{
    static const char *const groups[] = {"unified_prof", "bucket_prof", "moe_dump"};
    tacho_event *event = read_event(valid_event(NULL, NULL).text);
    tacho_event_groups *required;
    tacho_error err;

    CHECK_INT(tacho_event_groups_new(groups, 3, &required, NULL), 0);
    tacho_event_groups_see_name(required, event->event);
    CHECK_INT(tacho_event_groups_check(required, &err), TACHO_EPARSE);
    CHECK_TEXT(err.message, "missing profile event groups: bucket_prof, moe_dump");
    tacho_event_groups_free(required);
    free(event);
}

/* An event with all metadata. The name, the shape, the stages and a few more are arguments. */
#define FIXTURE(name, hash, shape, stages, graph, flags)                                   \
    "{\"event\":\"" name "\",\"commit_sha\":\"abc123\",\"env_hash\":\"sha256:" hash "\","  \
    "\"model\":\"Qwen/Qwen3-30B-A3B-GPTQ-Int4\",\"concurrency\":32,\"shape\":{" shape "}," \
    "\"stage_us\":{" stages "},\"graph_enabled\":" graph ",\"runtime_flags\":{" flags "}}"
#define GRAPH(name, shape, stages) \
    FIXTURE(name, "graph", shape, stages, "true", "\"preset\":\"m3_qwen3_30b_a3b_int4\"")
#define ROUTE(name, shape, stages) \
    FIXTURE(name, "route", shape, stages, "false", "\"FERRUM_MOE_GRAPH\":\"0\"")
#define LAYOUT(name, shape, stages) \
    FIXTURE(name, "fa", shape, stages, "false", "\"FERRUM_FA_LAYOUT_VARLEN\":\"1\"")

static void profile_parser_covers_three_fixture_artifact_shapes(void)
{
    static const struct {
        const char *jsonl;
        const char *groups[3];
        size_t count;
    } fixtures[] = {
        {GRAPH("graph_prof", "\"call\":64",
               "\"upload\":110,\"launch\":240,\"sync\":0,\"total\":350") "\n" //
         GRAPH("unified_prof", "\"items\":32,\"decode\":32",
               "\"total\":14900,\"model\":14000,\"decode_post\":600"),
         {"graph_prof", "unified_prof"},
         2},
        {ROUTE("moe_dump", "\"batch_x_topk\":256,\"active_blocks\":65", "") "\n" //
         ROUTE("vllm_moe_config", "\"prob_m\":32,\"thread_k\":64", "") "\n"      //
         ROUTE("bucket_prof", "\"layers\":48", "\"gemm1\":5860,\"gemm3\":2890"),
         {"moe_dump", "vllm_moe_config", "bucket_prof"},
         3},
        {LAYOUT("unified_layer_prof", "\"m\":128,\"seqs\":4",
                "\"attn\":46000,\"moe\":36000") "\n" //
         LAYOUT("unified_prof", "\"items\":32,\"prefill\":4", "\"total\":61000"),
         {"unified_layer_prof", "unified_prof"},
         2},
    };

    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++) {
        tacho_event_list *list = read_events(fixtures[i].jsonl);

        CHECK_INT(tacho_event_list_count(list), fixtures[i].count);
        CHECK_INT(tacho_event_list_require(list, fixtures[i].groups, fixtures[i].count, NULL), 0);
        tacho_event_list_free(list);
    }
}

static void disabled_profile_writer_is_noop(void)
{
    tacho_event_writer *writer = NULL;
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;

    CHECK_INT(tacho_event_open(&config, &writer, NULL), 0);
    CHECK(!tacho_event_is_enabled(writer));
    CHECK_INT(tacho_event_push_json(writer, "iter_prof", "{\"batch_size\":1}", "{\"total\":10}",
                                    false, NULL),
              0);
    CHECK_INT(tacho_event_flush(writer, NULL), 0);
    CHECK_TEXT(tacho_event_path(writer), NULL);
    tacho_event_close(writer);
}

static void enabled_profile_writer_writes_valid_jsonl(void)
{
    tacho_event_writer *writer = NULL;
    tacho_event_list *list;
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;

    config.path = "profile.jsonl";
    config.commit_sha = "abc123";
    config.env_hash = "sha256:env";
    config.model = "model";
    config.concurrency = 32;
    config.runtime_flags = "{\"schema_version\":1}";
    CHECK_INT(tacho_event_open(&config, &writer, NULL), 0);
    CHECK_INT(tacho_event_push_json(writer, "bucket_prof", "{\"layers\":48}",
                                    "{\"gemm1\":1200,\"gemm3\":800}", true, NULL),
              0);
    CHECK_INT(tacho_event_flush(writer, NULL), 0);
    list = read_file("profile.jsonl");
    CHECK_INT(tacho_event_list_count(list), 1);
    CHECK_TEXT(tacho_event_list_at(list, 0)->event, "bucket_prof");
    CHECK_INT(tacho_event_list_at(list, 0)->concurrency, 32);
    CHECK_TEXT(tacho_event_list_at(list, 0)->source, "native");
    CHECK_TEXT(tacho_event_list_at(list, 0)->source_line, NULL);
    tacho_event_list_free(list);
    tacho_event_close(writer);
}

static void typed_profile_sink_config_builds_writer(void)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_event_writer *writer = NULL;
    const tacho_event *event;
    const tacho_field *source;
    tacho_event_list *list;
    tacho_field *flags;
    size_t count;

    config.path = "typed-profile.jsonl";
    config.commit_sha = "def456";
    config.env_hash = "sha256:typed";
    config.model = "typed-model";
    config.concurrency = 16;
    config.runtime_flags = "{\"source\":\"typed\"}";
    CHECK_INT(tacho_event_open(&config, &writer, NULL), 0);
    CHECK(tacho_event_is_enabled(writer));
    CHECK_TEXT(tacho_event_path(writer), "typed-profile.jsonl");
    CHECK_TEXT(tacho_event_writer_config(writer)->model, "typed-model");
    CHECK_INT(tacho_event_push_json(writer, "unified_prof", "{\"items\":16}", "{\"total\":1000}",
                                    false, NULL),
              0);
    CHECK_INT(tacho_event_flush(writer, NULL), 0);
    tacho_event_close(writer);

    list = read_file("typed-profile.jsonl");
    event = tacho_event_list_at(list, 0);
    CHECK_TEXT(event->commit_sha, "def456");
    CHECK_TEXT(event->env_hash, "sha256:typed");
    CHECK_TEXT(event->model, "typed-model");
    CHECK_INT(event->concurrency, 16);
    CHECK_INT(tacho_fields_from_json(event->runtime_flags, strlen(event->runtime_flags), &flags,
                                     &count, NULL),
              0);
    source = tacho_fields_find((tacho_fields){flags, count}, "source");
    CHECK(source && source->type == TACHO_FIELD_TEXT);
    CHECK_TEXT(source->as.text.data, "typed");
    free(flags);
    tacho_event_list_free(list);
}

static void profile_metadata_parses_env_snapshot(void)
{
    static const char *const pairs[] = {
        TACHO_ENV_FERRUM_PROFILE_COMMIT_SHA "=abc123",
        TACHO_ENV_FERRUM_PROFILE_ENV_HASH "=sha256:env",
        TACHO_ENV_FERRUM_PROFILE_MODEL "=model",
        TACHO_ENV_FERRUM_PROFILE_CONCURRENCY "=32",
        TACHO_ENV_FERRUM_PROFILE_RUNTIME_FLAGS_JSON "={\"fa_layout\":true}",
        NULL,
    };
    tacho_event_config *metadata;

    CHECK_INT(tacho_event_metadata_from_env(pairs, &metadata, NULL), 0);
    CHECK_TEXT(metadata->commit_sha, "abc123");
    CHECK_TEXT(metadata->env_hash, "sha256:env");
    CHECK_TEXT(metadata->model, "model");
    CHECK_INT(metadata->concurrency, 32);
    CHECK_TEXT(metadata->runtime_flags, "{\"fa_layout\":true}");
    free(metadata);
}

static void profile_sink_config_parses_env_snapshot(void)
{
    static const char *const pairs[] = {
        TACHO_ENV_FERRUM_PROFILE_JSONL "=/tmp/profile.jsonl",
        TACHO_ENV_FERRUM_PROFILE_ENV_HASH "=sha256:env",
        TACHO_ENV_FERRUM_PROFILE_MODEL "=model",
        NULL,
    };
    static const char *const blank[] = {TACHO_ENV_FERRUM_PROFILE_JSONL "=", NULL};
    tacho_event_config *config;

    CHECK_INT(tacho_event_config_from_env(pairs, &config, NULL), 0);
    CHECK_TEXT(config->path, "/tmp/profile.jsonl");
    CHECK_TEXT(config->env_hash, "sha256:env");
    CHECK_TEXT(config->model, "model");
    free(config);
    CHECK_INT(tacho_event_config_from_env(blank, &config, NULL), 0);
    CHECK_TEXT(config->path, NULL);
    free(config);
}

/* Behaviour that the reference documents and does not test. */

/* ProfileMetadata::default and the rules of from_env_map: a bad value counts as missing. */
static void metadata_falls_back_to_its_defaults(void)
{
    static const char *const bad[] = {
        "FERRUM_PROFILE_COMMIT_SHA= \t",
        "FERRUM_PROFILE_ENV_HASH=md5:1",
        "FERRUM_PROFILE_MODEL=",
        "FERRUM_PROFILE_CONCURRENCY=0",
        "FERRUM_PROFILE_RUNTIME_FLAGS_JSON=[]",
        NULL,
    };
    static const char *const *const given[] = {bad, bad + 5};

    for (size_t i = 0; i < 2; i++) {
        tacho_event_config *metadata;
        char *json;
        size_t len;

        CHECK_INT(tacho_event_metadata_from_env(given[i], &metadata, NULL), 0);
        CHECK_INT(tacho_event_metadata_to_json(metadata, &json, &len, NULL), 0);
        CHECK_TEXT(json, "{\"commit_sha\":null,\"env_hash\":\"sha256:unknown\","
                         "\"model\":\"unknown\",\"concurrency\":1,\"runtime_flags\":{}}");
        free(json);
        free(metadata);
    }
}

/* env_vars_map: when a variable occurs twice, the last one counts. */
static void the_last_of_duplicate_variables_wins(void)
{
    static const char *const pairs[] = {"FERRUM_PROFILE_MODEL=first", "FERRUM_PROFILE_MODEL=last",
                                        NULL};
    tacho_event_config *metadata;

    CHECK_INT(tacho_event_metadata_from_env(pairs, &metadata, NULL), 0);
    CHECK_TEXT(metadata->model, "last");
    free(metadata);
}

/* ProfileSinkConfig and ProfileMetadata are read and written as JSON. */
static void sink_config_round_trips_as_json(void)
{
    static const char json[] = "{\"jsonl_path\":\"p.jsonl\",\"metadata\":{\"commit_sha\":\"abc\","
                               "\"env_hash\":\"sha256:env\",\"model\":\"m\",\"concurrency\":4,"
                               "\"runtime_flags\":{\"b\":1,\"a\":2}}}";
    tacho_event_config *config;
    char *again;
    size_t len;

    CHECK_INT(tacho_event_config_from_json(json, strlen(json), &config, NULL), 0);
    CHECK_TEXT(config->path, "p.jsonl");
    CHECK_INT(config->concurrency, 4);
    CHECK_INT(tacho_event_config_to_json(config, &again, &len, NULL), 0);
    CHECK_TEXT(again, json);
    free(again);
    free(config);
    CHECK_INT(tacho_event_metadata_from_json("{\"env_hash\":\"sha256:e\"}", 23, &config, NULL),
              TACHO_EPARSE); /* the metadata may be missing only as a whole */
}

/* parse_profile_jsonl_str: it stops at the first bad line, and the message contains its number. */
static void jsonl_ends_at_the_first_bad_line(void)
{
    struct json good = valid_event(NULL, NULL);
    struct json bad = valid_event("model", "\"model\":\" \"");
    tacho_event_list *list = NULL;
    char text[TACHO_ERROR_TEXT];
    char jsonl[3200];
    tacho_error err;

    snprintf(jsonl, sizeof jsonl, "%s\r\n\n%s\nnot JSON\n", good.text, bad.text);
    CHECK_INT(tacho_event_list_from_jsonl(jsonl, strlen(jsonl), &list, &err), TACHO_EPARSE);
    CHECK(!list);
    CHECK_INT(err.line, 3);
    CHECK_TEXT(tacho_error_text(&err, text, sizeof text), "line 3: model must be non-empty");
    snprintf(jsonl, sizeof jsonl, "\n{\"event\":\n%s\n", good.text);
    CHECK_INT(tacho_event_list_from_jsonl(jsonl, strlen(jsonl), &list, &err), TACHO_EPARSE);
    CHECK_CONTAINS(tacho_error_text(&err, text, sizeof text), "line 2: invalid JSON: ");
}

/* parse_profile_event_value checks the object, its fields, their types and their values, in this
   order. */
static void parse_profile_event_value_reports_the_first_failed_step(void)
{
    tacho_error err = refusal_of("[]");

    CHECK_TEXT(err.message, "profile event must be a JSON object");
    err = refusal_of("{\"event\":\"\",\"model\":5}");
    CHECK_TEXT(err.message, "missing required field: commit_sha");
    err = refusal_of(valid_event("model", "\"model\":5,\"event\":\"\"").text);
    CHECK_CONTAINS(err.message, "invalid profile event: ");
    CHECK_CONTAINS(err.message, "model must be a string");
    err = refusal_of(valid_event("model", "\"model\":\"m\",\"event\":\"\"").text);
    CHECK_TEXT(err.message, "event must be non-empty");
}

/* push_event: an event that validate() refuses is not written. */
static void push_event_refuses_what_is_not_valid(void)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_event_writer *writer = NULL;
    tacho_error err;
    char *text;

    config.path = "profile.jsonl";
    config.env_hash = "none";
    CHECK_INT(tacho_event_open(&config, &writer, NULL), 0);
    CHECK_INT(tacho_event_push(writer, " ", TACHO_NO_FIELDS, TACHO_NO_FIELDS, true, &err),
              TACHO_EINVAL);
    CHECK_TEXT(err.message, "event must be non-empty");
    CHECK_INT(tacho_event_push(writer, "e", TACHO_NO_FIELDS, TACHO_NO_FIELDS, true, &err),
              TACHO_EINVAL);
    CHECK_TEXT(err.message, "env_hash must start with sha256:");
    tacho_event_close(writer);
    text = read_whole("profile.jsonl", NULL);
    CHECK_TEXT(text, "");
    free(text);
}

/* ProfileEvent::validate of an event that was built in memory: it has six messages, checked in
   this order. */
static void validate_reports_the_first_broken_rule(void)
{
    tacho_event event = TACHO_EVENT_INIT;
    tacho_error err;

    event.event = "\t ";
    event.commit_sha = "";
    event.env_hash = "md5:0";
    event.model = " ";
    event.concurrency = 0;
    event.runtime_flags = "[]";
    CHECK_INT(tacho_event_validate(&event, &err), TACHO_EINVAL);
    CHECK_TEXT(err.message, "event must be non-empty");
    event.event = "e";
    CHECK_INT(tacho_event_validate(&event, &err), TACHO_EINVAL);
    CHECK_TEXT(err.message, "commit_sha must be non-empty when present");
    event.commit_sha = NULL;
    CHECK_INT(tacho_event_validate(&event, &err), TACHO_EINVAL);
    CHECK_TEXT(err.message, "env_hash must start with sha256:");
    event.env_hash = "sha256:";
    CHECK_INT(tacho_event_validate(&event, &err), TACHO_EINVAL);
    CHECK_TEXT(err.message, "model must be non-empty");
    event.model = "m";
    CHECK_INT(tacho_event_validate(&event, &err), TACHO_EINVAL);
    CHECK_TEXT(err.message, "concurrency must be > 0");
    event.concurrency = UINT32_MAX;
    CHECK_INT(tacho_event_validate(&event, &err), TACHO_EINVAL);
    CHECK_TEXT(err.message, "runtime_flags must be an object");
    event.runtime_flags = "{}";
    CHECK_INT(tacho_event_validate(&event, &err), 0);
}

/* An event has the fields of ProfileEvent, in their order, and its own metadata, source and
   source_line. */
static void an_event_in_memory_has_its_own_metadata(void)
{
    tacho_event_writer *writer = NULL;
    tacho_event event = TACHO_EVENT_INIT;
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    char *json;
    char *text;
    size_t len;

    event.event = "bucket_prof";
    event.commit_sha = "def456";
    event.env_hash = "sha256:own";
    event.model = "own";
    event.concurrency = 8;
    event.shape = TACHO_FIELDS(tacho_i64("seqs", 4), tacho_json("blocks", "[1, 2]"));
    event.stage_us = TACHO_FIELDS(tacho_f64("gemm3", 2.5), tacho_u64("gemm1", 7));
    event.graph_enabled = true;
    event.runtime_flags = "{\"z\": 1, \"a\": null}";
    event.source_line = "[bucket] gemm1=7";
    CHECK_INT(tacho_event_to_json(&event, &json, &len, NULL), 0);
    CHECK_TEXT(json,
               "{\"event\":\"bucket_prof\",\"commit_sha\":\"def456\",\"env_hash\":\"sha256:own\","
               "\"model\":\"own\",\"concurrency\":8,\"shape\":{\"blocks\":[1,2],\"seqs\":4},"
               "\"stage_us\":{\"gemm1\":7,\"gemm3\":2.5},\"graph_enabled\":true,"
               "\"runtime_flags\":{\"z\":1,\"a\":null},\"source_line\":\"[bucket] gemm1=7\"}");
    CHECK_INT(len, strlen(json));

    config.path = "profile.jsonl";
    config.model = "of the writer";
    CHECK_INT(tacho_event_open(&config, &writer, NULL), 0);
    CHECK_INT(tacho_event_write(writer, &event, NULL), 0);
    tacho_event_close(writer);
    text = read_whole("profile.jsonl", &len);
    text[len - 1] = '\0';
    CHECK_TEXT(text, json);
    free(text);
    free(json);
}

/* profile_fields_from_json: returns the members of an object, and nothing for any other value. */
static void fields_come_from_a_json_object(void)
{
    static const char json[] = "{\"b\":-1,\"a\":18446744073709551615,\"c\":[true],\"b\":2}";
    tacho_field *fields = NULL;
    size_t count;

    CHECK_INT(tacho_fields_from_json(json, strlen(json), &fields, &count, NULL), 0);
    CHECK_INT(count, 3);
    CHECK_TEXT(fields[0].key, "a");
    CHECK(fields[0].type == TACHO_FIELD_U64 && fields[0].as.u64 == UINT64_MAX);
    CHECK(fields[1].type == TACHO_FIELD_I64 && fields[1].as.i64 == 2);
    CHECK(fields[2].type == TACHO_FIELD_JSON);
    CHECK_TEXT(fields[2].as.text.data, "[true]");
    free(fields);
    CHECK_INT(tacho_fields_from_json("[1]", 3, &fields, &count, NULL), 0);
    CHECK_INT(count, 0);
    free(fields);
}

/* The global writer is made from the environment at first use, or configured once. */

static void global_profile_comes_from_the_environment(void)
{
    setenv("FERRUM_PROFILE_JSONL", "folder/of/its/own/profile.jsonl", 1);
    setenv("FERRUM_PROFILE_CONCURRENCY", "16", 1);
    CHECK_INT(TACHO_EVENT("e", TACHO_NO_FIELDS, TACHO_NO_FIELDS, false), 0);
    CHECK_TEXT(tacho_event_path(tacho_event_global()), "folder/of/its/own/profile.jsonl");

    tacho_event_list *list = read_file("folder/of/its/own/profile.jsonl");

    CHECK_INT(tacho_event_list_at(list, 0)->concurrency, 16);
    tacho_event_list_free(list);
}

static void configure_global_profile_works_once(void)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;

    config.path = "first.jsonl";
    CHECK_INT(tacho_event_configure(&config, NULL), 0);
    config.path = "second.jsonl";
    CHECK_INT(tacho_event_configure(&config, NULL), TACHO_EALREADY);
    CHECK_TEXT(tacho_event_path(tacho_event_global()), "first.jsonl");
}

static void configure_that_fails_leaves_the_global_profile_unset(void)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;

    setenv("FERRUM_PROFILE_JSONL", "environment.jsonl", 1);
    write_whole("file", "");
    config.path = "file/profile.jsonl";
    CHECK_INT(tacho_event_configure(&config, NULL), TACHO_EIO);
    CHECK_TEXT(tacho_event_path(tacho_event_global()), "environment.jsonl");
}

static void flush_global_profile_before_first_use_does_nothing(void)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;

    setenv("FERRUM_PROFILE_JSONL", "environment.jsonl", 1);
    CHECK_INT(tacho_event_flush_global(NULL), 0);
    CHECK_INT(tacho_event_configure(&config, NULL), 0); /* so the flush did not make it */
    CHECK(!tacho_event_is_enabled(tacho_event_global()));
}

static void keep_message(const char *message, void *arg)
{
    snprintf(arg, 300, "%s", message);
}

static void a_sink_that_cannot_be_opened_is_reported_and_disabled(void)
{
    char message[300] = "";

    write_whole("file", "");
    setenv("FERRUM_PROFILE_JSONL", "file/profile.jsonl", 1);
    tacho_set_message_handler(keep_message, message);
    CHECK(!tacho_event_is_enabled(tacho_event_global()));
    CHECK_CONTAINS(message, "[profile-jsonl] failed to open configured sink: ");
    CHECK_CONTAINS(message, "'file'");
}

static const struct conformance_case cases[] = {
    CASE(profile_event_round_trips_and_validates),
    CASE(profile_event_rejects_every_missing_required_field),
    CASE(profile_event_accepts_null_commit_sha_when_key_is_present),
    CASE(profile_event_rejects_bad_env_hash_and_zero_concurrency),
    CASE(profile_jsonl_parses_multiple_events),
    CASE(required_event_groups_reject_missing_groups),
    CASE(profile_parser_covers_three_fixture_artifact_shapes),
    CASE(disabled_profile_writer_is_noop),
    CASE(enabled_profile_writer_writes_valid_jsonl),
    CASE(typed_profile_sink_config_builds_writer),
    CASE(profile_metadata_parses_env_snapshot),
    CASE(profile_sink_config_parses_env_snapshot),
    CASE(metadata_falls_back_to_its_defaults),
    CASE(the_last_of_duplicate_variables_wins),
    CASE(sink_config_round_trips_as_json),
    CASE(jsonl_ends_at_the_first_bad_line),
    CASE(parse_profile_event_value_reports_the_first_failed_step),
    CASE(push_event_refuses_what_is_not_valid),
    CASE(validate_reports_the_first_broken_rule),
    CASE(an_event_in_memory_has_its_own_metadata),
    CASE(fields_come_from_a_json_object),
    CASE(global_profile_comes_from_the_environment),
    CASE(configure_global_profile_works_once),
    CASE(configure_that_fails_leaves_the_global_profile_unset),
    CASE(flush_global_profile_before_first_use_does_nothing),
    CASE(a_sink_that_cannot_be_opened_is_reported_and_disabled),
};

CONFORMANCE_MAIN(cases)
