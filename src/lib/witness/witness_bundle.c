/* Packs logs into a bundle, which is an RVF file. Each log becomes a meta segment with its name
   and its unchanged lines, and a witness segment with one entry per line. A meta segment comes
   before the logs and another one after them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/witness.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json_write.h"
#include "base/no_cancel.h"
#include "base/sized.h"
#include "rvf.h"
#include "witness_chain.h"
#include "witness_log.h"
#include "witness_reader.h"
#include "witness_rvf.h"

enum { LINE_LIMIT = 64 << 20 };

struct packing {
    struct tch_replace file;
    struct tch_chain chain; /* the chain of the bundle's own lines */
    struct tch_buf line;
    struct tch_buf last_hashes; /* JSON: the last hash of each log */
    uint64_t entries;

    /* The segment that is being written. */
    uint64_t number;
    off_t start;
    uint64_t length;
    struct tch_shake256 hash;
};

/* Leaves room for the header, which is written when the length and the checksum are known. */
static int begin_segment(struct packing *p, tacho_error *err)
{
    static const uint8_t room[TCH_RVF_HEADER];

    p->number++;
    p->length = 0;
    tch_shake256_init(&p->hash);
    return tch_replace_write(&p->file, room, sizeof room, err);
}

static int write_payload(struct packing *p, const void *data, size_t len, tacho_error *err)
{
    tch_shake256_update(&p->hash, data, len);
    p->length += len;
    return tch_replace_write(&p->file, data, len, err);
}

static int end_segment(struct packing *p, uint8_t type, tacho_error *err)
{
    static const uint8_t zeros[TCH_RVF_HEADER];
    uint8_t header[TCH_RVF_HEADER];
    uint8_t hash[TCH_RVF_HASH];
    size_t padding = tch_rvf_padding(p->length);
    int status = tch_replace_write(&p->file, zeros, padding, err);

    if (status < 0)
        return status;
    tch_shake256_final(&p->hash, hash, sizeof hash);
    tch_rvf_header(header, type, p->number, p->length, hash);
    status = tch_replace_write_at(&p->file, p->start, header, sizeof header, err);
    p->start += (off_t)(sizeof header + p->length + padding);
    return status;
}

/* Completes the line in p->line with its hash and writes it. */
static int write_own_line(struct packing *p, tacho_error *err)
{
    tch_chain_add(&p->chain, &p->line, 0);
    if (p->line.failed)
        return tch_fail_memory(err);
    return write_payload(p, p->line.data, p->line.len, err);
}

/* Writes a segment that contains only the line in p->line. */
static int write_own_segment(struct packing *p, tacho_error *err)
{
    int status = begin_segment(p, err);

    if (status == 0)
        status = write_own_line(p, err);
    return status == 0 ? end_segment(p, TCH_RVF_META, err) : status;
}

/*
 * Adds a document in canonical form and its hash, so that the same document always has the same
 * hash.
 */
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
        return tch_fail(err, TACHO_EINVAL, 0, "the %s must be a JSON object", name);
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
    return status == 0 ? write_own_segment(p, err) : status;
}

/* Writes the line that names the log: "mincut_l0.3_t0" for "witness/mincut_l0.3_t0.jsonl". */
static int write_log_line(struct packing *p, const char *path, tacho_error *err)
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
    return write_own_line(p, err);
}

/* Checks and copies the lines of a log, and makes the entries of its witness segment. */
static int copy_lines(struct packing *p, tacho_witness_reader *r, const char *path,
                      struct tch_buf *entries, tacho_error *err)
{
    struct tch_rvf_chain chain = {{0}};
    enum tch_witness_kind kind;
    struct tch_line line;
    tacho_witness_entry entry;
    uint64_t time_ns = 0;
    int status = 0;
    int more;

    while ((more = tch_witness_next_line(r, &kind, &line, &entry, err)) > 0 && status == 0) {
        uint8_t witness[TCH_RVF_ENTRY];

        if (kind == TCH_WITNESS_HEAD)
            return tch_fail(err, TACHO_EPARSE, 0, "'%.150s' is already a bundle", path);
        if (kind == TCH_WITNESS_ENTRY)
            time_ns = tch_witness_time_ns(entry.timestamp);
        tch_rvf_entry(&chain, r->inner.last, time_ns, witness);
        tch_buf_add(entries, witness, sizeof witness);
        status = write_payload(p, line.text, line.len + 1, err); /* with its LF */
    }
    if (more < 0) {
        tacho_error why = *err;

        return tch_fail(err, why.code, why.line, "'%.80s': %s", path, why.message);
    }
    if (status == 0 && entries->failed)
        status = tch_fail_memory(err);
    return status;
}

/* Checks a log that was read to its end, and adds its last hash for the last line of the bundle. */
static int add_log(struct packing *p, const tacho_witness_reader *r, const char *path,
                   tacho_error *err)
{
    if (r->kind != TACHO_WITNESS_LOG)
        return tch_fail(err, TACHO_EPARSE, 0, "'%.150s' is an RVF file, not a log", path);
    if (!r->closed)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "'%.120s' is not closed, so lines at its end may be missing", path);
    tch_json_text(&p->last_hashes, r->hash);
    p->entries += r->entry_count;
    return 0;
}

/* Writes the segment that describes a log. Collects its entries, which the next segment contains.
 */
static int write_meta(struct packing *p, tacho_witness_reader *r, const char *path,
                      struct tch_buf *entries, tacho_error *err)
{
    int status = begin_segment(p, err);

    if (status < 0)
        return status;
    status = write_log_line(p, path, err);
    if (status < 0)
        return status;
    status = copy_lines(p, r, path, entries, err);
    if (status < 0)
        return status;
    status = add_log(p, r, path, err);
    if (status < 0)
        return status;
    return end_segment(p, TCH_RVF_META, err);
}

static int write_log(struct packing *p, const char *path, tacho_error *err)
{
    tacho_witness_reader *r;
    struct tch_buf entries;
    int status = tacho_witness_reader_open(path, &r, err);

    if (status < 0)
        return status;
    tch_buf_init(&entries, SIZE_MAX);
    status = write_meta(p, r, path, &entries, err);
    if (status < 0)
        goto out;
    status = begin_segment(p, err);
    if (status < 0)
        goto out;
    status = write_payload(p, entries.data, entries.len, err);
    if (status < 0)
        goto out;
    status = end_segment(p, TCH_RVF_WITNESS, err);
out:
    tch_buf_release(&entries);
    tacho_witness_reader_close(r);
    return status;
}

static int write_foot(struct packing *p, size_t logs, tacho_error *err)
{
    tch_buf_clear(&p->line);
    tch_json_begin_object(&p->line);
    tch_json_put_u64(&p->line, "logs", logs);
    tch_json_put_u64(&p->line, "entries", p->entries);
    tch_json_end_array(&p->last_hashes);
    tch_json_key(&p->line, "last");
    tch_json_raw(&p->line, p->last_hashes.data, p->last_hashes.len);
    p->line.failed = p->line.failed || p->last_hashes.failed;
    return write_own_segment(p, err);
}

static int write_bundle(struct packing *p, const tacho_witness_pack *pack, tacho_error *err)
{
    int status = write_head(p, pack, err);

    for (size_t i = 0; i < pack->log_count && status == 0; i++)
        status = write_log(p, pack->logs[i], err);
    if (status == 0)
        status = write_foot(p, pack->log_count, err);
    return status == 0 ? tch_replace_commit(&p->file, err) : status;
}

int tacho_witness_pack_write(const char *path, const tacho_witness_pack *given,
                             char hash[TACHO_SHA256_TEXT], tacho_error *err)
{
    TCH_NO_CANCEL;
    struct packing p = {0};
    tacho_witness_pack pack;
    tacho_error own;
    int status;

    if (!err)
        err = &own;
    status = tch_sized_read(&pack, sizeof pack, given, "TACHO_WITNESS_PACK_INIT", err);
    if (status == 0)
        status = tch_mkdirs_above(path, err);
    if (status == 0)
        status = tch_replace_open(&p.file, path, err);
    if (status < 0)
        return status;
    tch_chain_init(&p.chain);
    tch_buf_init(&p.line, LINE_LIMIT);
    tch_buf_init(&p.last_hashes, LINE_LIMIT);
    tch_json_begin_array(&p.last_hashes);
    status = write_bundle(&p, &pack, err);
    tch_replace_abort(&p.file);
    tch_buf_release(&p.line);
    tch_buf_release(&p.last_hashes);
    if (status == 0 && hash)
        memcpy(hash, p.chain.last, TACHO_SHA256_TEXT);
    return status;
}
