/* Reads logs, bundles and RVF files. A line is returned only after its place in the chain, its
   kind and its content were checked. A bundle has two kinds of chains: one of its own lines, and
   one in each log. */
#include "witness_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "witness_member.h"
#include "witness_rvf.h"

enum { NAME_MAX_BYTES = 4096 };

ssize_t tch_witness_input_read(void *ctx, void *data, size_t len, tacho_error *err)
{
    struct tch_witness_input *in = ctx;
    ssize_t n;

    if (in->len > 0) {
        n = (ssize_t)(len < in->len ? len : in->len);
        memcpy(data, in->data, (size_t)n);
        in->data += n;
        in->len -= (size_t)n;
        return n;
    }
    if (in->file.fd < 0)
        return 0;
    if (!tch_owned_holds(&in->file))
        return tch_owned_fail(in->path.data, err);
    n = tch_read_some(in->file.fd, data, len);
    return n < 0 ? tch_fail_errno(err, errno, "cannot read '%s'", in->path.data) : n;
}

static tacho_witness_reader *new_reader(struct tch_owned_fd file, const char *path)
{
    tacho_witness_reader *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->input.file = file;
    tch_buf_init(&r->input.path, PATH_MAX);
    tch_buf_adds(&r->input.path, path);
    if (r->input.path.failed) {
        free(r);
        return NULL;
    }
    tch_chain_init(&r->inner);
    tch_chain_init(&r->outer);
    tch_buf_init(&r->room.mask, TCH_WITNESS_LINE_MAX);
    tch_buf_init(&r->room.texts, TCH_WITNESS_LINE_MAX);
    tch_buf_init(&r->room.rest, TCH_WITNESS_LINE_MAX);
    tch_buf_init(&r->head, TCH_WITNESS_LINE_MAX);
    tch_buf_init(&r->log, NAME_MAX_BYTES);
    tch_buf_init(&r->entries, SIZE_MAX);
    tch_buf_init(&r->last_hashes, TCH_WITNESS_LINE_MAX);
    r->kind = TACHO_WITNESS_LOG;
    return r;
}

/* Reads the first bytes of a file, which show whether it is RVF or plain lines. */
static int read_first(tacho_witness_reader *r, tacho_error *err)
{
    struct tch_witness_input *in = &r->input;
    size_t have = 0;
    ssize_t n;

    do {
        n = tch_witness_input_read(in, in->first + have, sizeof in->first - have, err);
        if (n > 0)
            have += (size_t)n;
    } while (n > 0 && have < sizeof in->first);
    in->data = in->first;
    in->len = have;
    return n < 0 ? (int)n : 0;
}

int tacho_witness_reader_open(const char *path, tacho_witness_reader **ret, tacho_error *err)
{
    struct tch_owned_fd file;
    tacho_witness_reader *r;
    int status;

    if (tch_owned_take(&file, open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0)
        return tch_fail_errno(err, errno, "cannot open '%s'", path);
    r = new_reader(file, path);
    if (!r) {
        tch_owned_close(&file);
        return tch_fail_memory(err);
    }
    status = read_first(r, err);
    if (status < 0) {
        tacho_witness_reader_close(r);
        return status;
    }
    if (tch_rvf_is(r->input.data, r->input.len))
        tch_witness_rvf_begin(r);
    else
        tch_lines_init_source(&r->lines, tch_witness_input_read, &r->input, r->input.path.data,
                              TCH_WITNESS_LINE_MAX);
    *ret = r;
    return 0;
}

int tacho_witness_reader_open_mem(const char *data, size_t len, tacho_witness_reader **ret,
                                  tacho_error *err)
{
    tacho_witness_reader *r = new_reader(TCH_OWNED_NONE, "memory");

    if (!r)
        return tch_fail_memory(err);
    r->input.data = data;
    r->input.len = len;
    if (tch_rvf_is(data, len))
        tch_witness_rvf_begin(r);
    else
        tch_lines_init_mem(&r->lines, data, len, TCH_WITNESS_LINE_MAX);
    *ret = r;
    return 0;
}

void tacho_witness_reader_close(tacho_witness_reader *r)
{
    if (!r)
        return;
    tch_lines_release(&r->lines);
    tch_buf_release(&r->room.mask);
    tch_buf_release(&r->room.texts);
    tch_buf_release(&r->room.rest);
    tch_buf_release(&r->head);
    tch_buf_release(&r->log);
    tch_buf_release(&r->entries);
    tch_buf_release(&r->last_hashes);
    tch_owned_close(&r->input.file);
    tch_buf_release(&r->input.path);
    free(r);
}

static enum tch_witness_kind kind_of(const tacho_witness_reader *r, const struct tch_line *line)
{
    const char *const starts[] = {
        [TCH_WITNESS_HEAD] = r->is_rvf ? TCH_WITNESS_HEAD_V2 : TCH_WITNESS_HEAD_V1,
        [TCH_WITNESS_ENTRY] = "{\"q_hash\":",
        [TCH_WITNESS_END] = "{\"entries\":",
        [TCH_WITNESS_LOG] = "{\"log\":",
        [TCH_WITNESS_FOOT] = "{\"logs\":",
    };
    enum tch_witness_kind kind = line->too_long ? TCH_WITNESS_OTHER : TCH_WITNESS_HEAD;

    while (kind < TCH_WITNESS_OTHER &&
           (line->len < strlen(starts[kind]) ||
            memcmp(line->text, starts[kind], strlen(starts[kind])) != 0))
        kind++;
    return kind;
}

static int check_number(const struct tch_line *line, const char *name, uint64_t expected,
                        tacho_error *err)
{
    uint64_t number;
    int status = tch_member_u64(line, name, &number, err);

    if (status == 0 && number != expected)
        status = tch_fail(err, TACHO_EPARSE, line->number,
                          "the file has %llu %s, but this line says %llu",
                          (unsigned long long)expected, name, (unsigned long long)number);
    return status;
}

/* Reads the config and the environment and checks their hashes. */
static int read_head(tacho_witness_reader *r, const struct tch_line *line, tacho_error *err)
{
    static const char *const names[4] = {"config", "config_hash", "environment",
                                         "environment_hash"};
    char config_hash[TACHO_SHA256_TEXT];
    char env_hash[TACHO_ENV_HASH_TEXT];
    const char *text[4];

    for (int i = 0; i < 4; i++) {
        struct tch_json_value value;
        int status = tch_member_find(line, names[i], &value, err);

        if (status < 0)
            return status;
        r->head_at[i] = r->head.len;
        if (i % 2 == 0) {
            tch_buf_add(&r->head, value.text, value.len);
            tch_buf_addc(&r->head, '\0');
        } else if (tch_raw_text(&value, &r->head) == TACHO_EPARSE) {
            return tch_fail(err, TACHO_EPARSE, line->number, "%s is not a string", names[i]);
        }
    }
    if (r->head.failed)
        return tch_fail_memory(err);
    for (int i = 0; i < 4; i++)
        text[i] = r->head.data + r->head_at[i];
    tacho_sha256(text[0], strlen(text[0]), config_hash);
    tacho_environment_hash(text[2], strlen(text[2]), env_hash);
    if (strcmp(text[1], config_hash) != 0 || strcmp(text[3], env_hash) != 0)
        return tch_fail(err, TACHO_EPARSE, line->number, "%s is not the hash of the document",
                        strcmp(text[1], config_hash) != 0 ? names[1] : names[3]);
    r->kind = TACHO_WITNESS_BUNDLE;
    r->place = BETWEEN_LOGS;
    return 0;
}

static int read_end(tacho_witness_reader *r, const struct tch_line *line, tacho_error *err)
{
    int status = check_number(line, "entries", r->in_log, err);
    bool bundle = r->kind == TACHO_WITNESS_BUNDLE;

    r->place = bundle ? AFTER_LOG : AT_END;
    r->closed = !bundle;
    return status;
}

/* Compares the count and the hash in the line after a log with the log that was read. */
static int check_log(const tacho_witness_reader *r, const struct tch_line *line, tacho_error *err)
{
    char hex[TCH_SHA256_HEX + 1];
    struct tch_buf last;
    int status = check_number(line, "entries", r->in_log, err);

    tch_buf_init_on(&last, hex, sizeof hex, sizeof hex - 1);
    if (status == 0)
        status = tch_member_text(line, "last", &last, err);
    if (status == 0 && strcmp(last.data, r->inner.last) != 0)
        status = tch_fail(err, TACHO_EPARSE, line->number, "this is not the log that was packed");
    tch_buf_release(&last);
    return status;
}

/* Reads the line that names a log. It follows the log, or precedes it in an RVF file. */
static int read_log(tacho_witness_reader *r, const struct tch_line *line, tacho_error *err)
{
    int status = r->is_rvf ? 0 : check_log(r, line, err);

    tch_buf_clear(&r->log);
    if (status == 0)
        status = tch_member_text(line, "log", &r->log, err);
    tch_chain_init(&r->inner);
    r->in_log = 0;
    r->logs++;
    r->place = r->is_rvf ? LOG_NAMED : BETWEEN_LOGS;
    return status;
}

/* Checks the last line of an RVF file. It contains the last hash of each log, which binds the
   logs to the chain of the bundle's own lines. */
static int check_last_hashes(tacho_witness_reader *r, const struct tch_line *line, tacho_error *err)
{
    struct tch_json_value value;
    int status = tch_member_find(line, "last", &value, err);

    tch_buf_addc(&r->last_hashes, ']');
    if (r->last_hashes.failed)
        return tch_fail_memory(err);
    if (status == 0 && (value.len != r->last_hashes.len ||
                        memcmp(value.text, r->last_hashes.data, value.len) != 0))
        status =
            tch_fail(err, TACHO_EPARSE, line->number, "these are not the logs that were packed");
    return status;
}

static int read_foot(tacho_witness_reader *r, const struct tch_line *line, tacho_error *err)
{
    int status = check_number(line, "logs", r->logs, err);

    if (status == 0)
        status = check_number(line, "entries", r->entry_count, err);
    if (status == 0 && r->is_rvf)
        status = check_last_hashes(r, line, err);
    r->closed = true;
    r->place = AT_END;
    return status;
}

/* Returns whether a line of this kind may follow here. */
static bool is_allowed(const tacho_witness_reader *r, enum tch_witness_kind kind)
{
    bool inner = kind == TCH_WITNESS_ENTRY || kind == TCH_WITNESS_END;

    switch (r->place) {
    case AT_START:
        return kind == TCH_WITNESS_HEAD || (inner && !r->is_rvf);
    case LOG_NAMED:
    case IN_LOG:
        return inner;
    case AFTER_LOG:
        return kind == TCH_WITNESS_LOG && !r->is_rvf;
    case BETWEEN_LOGS:
        return kind == TCH_WITNESS_FOOT || (r->is_rvf ? kind == TCH_WITNESS_LOG : inner);
    default:
        return false;
    }
}

int tch_witness_line_read(tacho_witness_reader *r, const struct tch_line *line,
                          enum tch_witness_kind *ret, tacho_witness_entry *entry, tacho_error *err)
{
    enum tch_witness_kind kind = kind_of(r, line);
    bool inner = kind == TCH_WITNESS_ENTRY || kind == TCH_WITNESS_END;
    int status = tch_chain_check(inner ? &r->inner : &r->outer, line, err);

    *ret = kind;
    if (status < 0)
        return status;
    if (!is_allowed(r, kind))
        return tch_fail(err, TACHO_EPARSE, line->number, "%s",
                        r->place == AT_END          ? "there is a line after the last one"
                        : kind == TCH_WITNESS_OTHER ? "this is not a line of a witness file"
                                                    : "a line of this kind cannot be here");
    r->hash = inner ? r->inner.last : r->outer.last;
    r->line = line->number;
    switch (kind) {
    case TCH_WITNESS_HEAD:
        return read_head(r, line, err);
    case TCH_WITNESS_END:
        return read_end(r, line, err);
    case TCH_WITNESS_LOG:
        return read_log(r, line, err);
    case TCH_WITNESS_FOOT:
        return read_foot(r, line, err);
    default:
        r->place = IN_LOG;
        r->in_log++;
        r->entry_count++;
        return tch_witness_entry_read(line, &r->room, entry, err);
    }
}

/* Checks the end of the file. A log may still be open; a bundle that ends early is truncated. */
static int check_end(const tacho_witness_reader *r, tacho_error *err)
{
    if (r->place == AT_START)
        return tch_fail(err, TACHO_EPARSE, 1, "the file is empty");
    if (r->kind == TACHO_WITNESS_BUNDLE && !r->closed)
        return tch_fail(err, TACHO_EPARSE, r->line + 1,
                        "the bundle is truncated: its last lines are missing");
    return 0;
}

int tch_witness_next_line(tacho_witness_reader *r, enum tch_witness_kind *kind,
                          struct tch_line *line, tacho_witness_entry *entry, tacho_error *err)
{
    tacho_error why = {0};
    int more;

    if (r->fail.code == 0) {
        if (r->is_rvf) {
            more = tch_witness_rvf_next(r, kind, line, entry, &why);
        } else {
            more = tch_lines_next(&r->lines, line, &why);
            if (more > 0)
                more = tch_witness_line_read(r, line, kind, entry, &why) < 0 ? why.code : 1;
            else if (more == 0)
                more = check_end(r, &why);
        }
        if (more >= 0)
            return more;
        r->fail = why;
    }
    if (err)
        *err = r->fail;
    return r->fail.code;
}

int tacho_witness_next(tacho_witness_reader *r, tacho_witness_entry *ret, tacho_error *err)
{
    enum tch_witness_kind kind;
    struct tch_line line;
    int more;

    do
        more = tch_witness_next_line(r, &kind, &line, ret, err);
    while (more > 0 && kind != TCH_WITNESS_ENTRY);
    return more;
}
