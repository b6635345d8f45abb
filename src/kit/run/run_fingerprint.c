/* Computes the fingerprint of a run: a document of what defines the run, made from run.json, and
   its hash. */
#include "base/fail.h"
#include "base/json_canon.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "receipt.h"

/* A component of the document, and the member of run.json (or the member of a member) that it comes
   from. */
struct part {
    const char *name;
    const char *member;
    const char *sub;
    unsigned canon; /* TCH_CANON_SORTED if the order has no meaning */
};

static const struct part parts[] = {
    {"argv", "command", "argv", 0},
    {"shell", "command", "shell", 0},
    {"program_sha256", "program_sha256", NULL, 0},
    {"input_sha256", "input_sha256", NULL, 0},
    {"variables", "command", "env", TCH_CANON_SORTED},
    {"parameters", "labels", NULL, TCH_CANON_SORTED},
    {"config_sha256", "config", "sha256", 0},
    {"seed", "plan", "seed", 0},
    {"cpus", "plan", "cpus", 0},
    {"no_aslr", "plan", "no_aslr", 0},
    {"setup", "plan", "setup", 0},
    {"prepare", "plan", "prepare", 0},
    {"conclude", "plan", "conclude", 0},
    {"cleanup", "plan", "cleanup", 0},
    {"server", "plan", "server", 0},
    {"ready", "plan", "ready", 0},
};

/* Settings that the runs of one bench share, whatever their program and commit. */
static const struct part settings[] = {
    {"shell", "command", "shell", 0},
    {"variables", "command", "env", TCH_CANON_SORTED},
    {"parameters", "labels", NULL, TCH_CANON_SORTED},
    {"config_sha256", "config", "sha256", 0},
    {"input_sha256", "input_sha256", NULL, 0},
    {"work", "work", NULL, TCH_CANON_SORTED},
};

static int put_parts(struct tch_buf *document, const struct tch_receipt *r, const struct part *part,
                     size_t count, tacho_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct tch_json_value value;
        size_t len = 0;
        const char *raw = tch_receipt_raw(r, part[i].member, &len);
        int status = 0;

        tch_json_key(document, part[i].name);
        if (raw && part[i].sub) {
            bool found = tch_json_find(raw, len, part[i].sub, &value);

            raw = found ? value.text : NULL;
            len = found ? value.len : 0;
        }
        if (raw)
            status = tch_json_canon(document, raw, len, part[i].canon, err);
        else
            tch_json_null(document);
        if (status < 0)
            return status;
    }
    tch_json_end_object(document);
    return document->failed ? tch_fail_memory(err) : 0;
}

int tch_receipt_fingerprint(const struct tch_receipt *r, struct tch_buf *document,
                            char hash[TACHO_SHA256_TEXT], tacho_error *err)
{
    int status;

    tch_json_begin_object(document);
    tch_json_put_text(document, "schema", "tacho.run.fingerprint.v1");
    status = put_parts(document, r, parts, sizeof parts / sizeof parts[0], err);
    if (status == 0)
        tacho_sha256(document->data, document->len, hash);
    return status;
}

int tch_receipt_settings(const struct tch_receipt *r, struct tch_buf *document, tacho_error *err)
{
    tch_json_begin_object(document);
    return put_parts(document, r, settings, sizeof settings / sizeof settings[0], err);
}
