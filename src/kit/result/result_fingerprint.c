/* The document of what defines a run, made of the members of run.json, and its hash. */
#include <stddef.h>

#include "base/fail.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include "result.h"

/* Members under the names that they have in the document. */
#define PART(name, as, member)                                   \
    {                                                            \
        .key = (name), .kind = (as), .absent = TCH_JSON_OR_NULL, \
        .offset = offsetof(struct tch_result, member),           \
        .size = sizeof(((struct tch_result *)0)->member)         \
    }
#define TRUTH(name, member)                                                                    \
    {                                                                                          \
        .key = (name), .kind = TCH_JSON_AS_BOOL, .offset = offsetof(struct tch_result, member) \
    }

/* Writes pairs in the order of their names, because their own order has no meaning. */
static void write_sorted(struct tch_buf *b, char *const *pairs)
{
    struct tch_buf object;

    tch_buf_init(&object, b->limit);
    tch_json_pairs(&object, pairs);
    if (object.failed || tch_json_canon(b, object.data, object.len, TCH_CANON_SORTED, NULL) < 0)
        b->failed = true;
    tch_buf_release(&object);
}

static void write_variables(struct tch_buf *b, const void *result)
{
    write_sorted(b, ((const struct tch_result *)result)->command.env);
}

static void write_parameters(struct tch_buf *b, const void *result)
{
    write_sorted(b, ((const struct tch_result *)result)->labels);
}

#define VARIABLES                                                             \
    {                                                                         \
        .key = "variables", .kind = TCH_JSON_AS_OWN, .write = write_variables \
    }
#define PARAMETERS                                                              \
    {                                                                           \
        .key = "parameters", .kind = TCH_JSON_AS_OWN, .write = write_parameters \
    }

static const struct tch_json_field identity[] = {
    PART("argv", TCH_JSON_AS_WORDS, command.argv),
    TRUTH("shell", command.shell),
    PART("program_sha256", TCH_JSON_AS_CHARS, program_sha256),
    PART("input_sha256", TCH_JSON_AS_CHARS, input_sha256),
    VARIABLES,
    PARAMETERS,
    PART("config_sha256", TCH_JSON_AS_CHARS, config.sha256),
    PART("seed", TCH_JSON_AS_RAW, plan.seed),
    PART("cpus", TCH_JSON_AS_TEXT, plan.cpus),
    TRUTH("no_aslr", plan.no_aslr),
    PART("setup", TCH_JSON_AS_TEXT, plan.setup),
    PART("prepare", TCH_JSON_AS_TEXT, plan.prepare),
    PART("conclude", TCH_JSON_AS_TEXT, plan.conclude),
    PART("cleanup", TCH_JSON_AS_TEXT, plan.cleanup),
    PART("server", TCH_JSON_AS_TEXT, plan.server),
    PART("ready", TCH_JSON_AS_TEXT, plan.ready),
    {0},
};

/* Settings that the runs of one bench share, whatever their program and commit, besides the work.
 */
static const struct tch_json_field settings[] = {
    TRUTH("shell", command.shell),
    VARIABLES,
    PARAMETERS,
    PART("config_sha256", TCH_JSON_AS_CHARS, config.sha256),
    PART("input_sha256", TCH_JSON_AS_CHARS, input_sha256),
    {0},
};

/* Writes the members as an object in canonical form. */
static int write_document(struct tch_buf *document, const char *schema,
                          const struct tch_json_field *members, bool work,
                          const struct tch_result *r, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, document->limit);
    tch_json_begin_object(&b);
    if (schema)
        tch_json_put_text(&b, "schema", schema);
    tch_json_fields_write_members(&b, members, r);
    if (work)
        tch_json_field_write(&b, tch_json_field_find(tch_result_fields, "work"), r);
    tch_json_end_object(&b);
    status = b.failed ? tch_fail_memory(err) : tch_json_canon(document, b.data, b.len, 0, err);
    tch_buf_release(&b);
    if (status < 0)
        return status;
    return document->failed ? tch_fail_memory(err) : 0;
}

int tch_result_fingerprint(const struct tch_result *r, struct tch_buf *document,
                           char hash[TACHO_SHA256_TEXT], tacho_error *err)
{
    int status = write_document(document, "tacho.run.fingerprint.v1", identity, false, r, err);

    if (status == 0)
        tacho_sha256(document->data, document->len, hash);
    return status;
}

int tch_result_settings(const struct tch_result *r, struct tch_buf *document, tacho_error *err)
{
    return write_document(document, NULL, settings, true, r, err);
}
