/* Packs logs into a bundle: their lines unchanged, with lines of the bundle at the start, after
   each log and at the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/witness.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json_write.h"
#include "witness_chain.h"
#include "witness_log.h"

enum { LINE_LIMIT = 64 << 20 };

struct packing {
    struct tch_replace file;
    struct tch_chain chain;
    struct tch_buf line;
    uint64_t entries;
};

static int write_own_line(struct packing *p, tacho_error *err)
{
    tch_chain_add(&p->chain, &p->line, 0);
    if (p->line.failed)
        return tch_fail_memory(err);
    return tch_replace_write(&p->file, p->line.data, p->line.len, err);
}

/* Adds a document and its hash. It is canonical, so that the same document always has the same
 * hash. */
static int add_document(struct tch_buf *b, const char *name, const char *document, bool env,
                        tacho_error *err)
{
    char hash[TACHO_ENV_HASH_TEXT];
    char key[32];
    char *text;
    size_t len;
    int status = tacho_json_canonical(document, strlen(document), &text, &len, err);

    if (status < 0)
        return status;
    if (text[0] != '{') {
        free(text);
        return tch_fail(err, TACHO_EINVAL, 0, "the %s is to be a JSON object", name);
    }
    if (env)
        tacho_environment_hash(text, len, hash);
    else
        tacho_sha256(text, len, hash);
    snprintf(key, sizeof key, "%s_hash", name);
    tch_json_key(b, name);
    tch_json_raw(b, text, len);
    tch_json_key(b, key);
    tch_json_text(b, hash);
    free(text);
    return 0;
}

static int write_head(struct packing *p, const tacho_witness_pack *pack, tacho_error *err)
{
    int status;

    tch_json_begin_object(&p->line);
    tch_json_put_text(&p->line, "schema", TCH_WITNESS_BUNDLE);
    status = add_document(&p->line, "config", pack->config ? pack->config : "{}", false, err);
    if (status == 0)
        status = add_document(&p->line, "environment", pack->environment ? pack->environment : "{}",
                              true, err);
    return status == 0 ? write_own_line(p, err) : status;
}

/* Names the log "mincut_l0.3_t0" for "witness/mincut_l0.3_t0.jsonl". */
static int write_log_line(struct packing *p, const char *path, const tacho_witness_info *info,
                          tacho_error *err)
{
    static const char extension[] = ".jsonl";
    const char *name = tch_base_name(path);
    size_t len = strlen(name);

    if (len > strlen(extension) && strcmp(name + len - strlen(extension), extension) == 0)
        len -= strlen(extension);
    tch_buf_clear(&p->line);
    tch_json_begin_object(&p->line);
    tch_json_key(&p->line, "log");
    tch_json_string(&p->line, name, len);
    tch_json_put_u64(&p->line, "entries", info->entries);
    tch_json_put_text(&p->line, "last", info->hash);
    p->entries += info->entries;
    return write_own_line(p, err);
}

static int copy_log(struct packing *p, const char *path, tacho_error *err)
{
    tacho_witness_reader *r;
    enum tch_witness_kind kind;
    struct tch_line line;
    tacho_witness_entry entry;
    tacho_witness_info info;
    int more;
    int status = tacho_witness_reader_open(path, &r, err);

    if (status < 0)
        return status;
    while ((more = tch_witness_next_line(r, &kind, &line, &entry, err)) > 0 && status == 0) {
        if (kind == TCH_WITNESS_HEAD)
            status = tch_fail(err, TACHO_EPARSE, 0, "'%.150s' is a bundle already", path);
        else
            status = tch_replace_write(&p->file, line.text, line.len + 1, err); /* with its LF */
    }
    tacho_witness_info_get(r, &info);
    if (more < 0) {
        tacho_error why = *err;

        status = tch_fail(err, why.code, why.line, "'%.80s': %s", path, why.message);
    }
    if (status == 0 && !info.closed)
        status = tch_fail(err, TACHO_EPARSE, 0,
                          "'%.120s' is not closed: lines at its end may be missing", path);
    if (status == 0)
        status = write_log_line(p, path, &info, err);
    tacho_witness_reader_close(r);
    return status;
}

static int write_foot(struct packing *p, size_t logs, tacho_error *err)
{
    tch_buf_clear(&p->line);
    tch_json_begin_object(&p->line);
    tch_json_put_u64(&p->line, "logs", logs);
    tch_json_put_u64(&p->line, "entries", p->entries);
    return write_own_line(p, err);
}

int tacho_witness_pack_write(const char *path, const tacho_witness_pack *pack,
                             char hash[TACHO_SHA256_TEXT], tacho_error *err)
{
    struct packing p = {0};
    tacho_error own;
    int status;

    if (!err)
        err = &own;
    status = tch_mkdirs_above(path, err);
    if (status == 0)
        status = tch_replace_open(&p.file, path, err);
    if (status < 0)
        return status;
    tch_chain_init(&p.chain);
    tch_buf_init(&p.line, LINE_LIMIT);
    status = write_head(&p, pack, err);
    for (size_t i = 0; i < pack->log_count && status == 0; i++)
        status = copy_log(&p, pack->logs[i], err);
    if (status == 0)
        status = write_foot(&p, pack->log_count, err);
    if (status == 0)
        status = tch_replace_commit(&p.file, err);
    tch_replace_abort(&p.file);
    tch_buf_release(&p.line);
    if (status == 0 && hash)
        memcpy(hash, p.chain.last, TACHO_SHA256_TEXT);
    return status;
}
