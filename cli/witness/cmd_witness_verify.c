/* tacho witness verify: checks logs, bundles and sealed folders completely. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/core/term.h"
#include "cmd_witness_parts.h"
#include "kit/text/human_number.h"
#include "kit/witness/folder_seal.h"
#include "kit/witness/witness_json.h"

enum { OUT_MAX = 64 << 20 };

struct verify {
    const struct args *args;
    const char *expect;
    bool open;
    size_t checked;
    size_t bad;
    struct tch_buf out;
};

/* Adds a text without line feeds, because a line feed in a file name could forge a line "ok". */
static void add_line(struct tch_buf *b, const char *text)
{
    for (; *text; text++)
        tch_buf_addc(b, tch_utf8_is_control(*text) ? '?' : *text);
}

static void add_finding(struct verify *v, const struct tch_witness_finding *f)
{
    struct tch_buf *b = &v->out;

    v->bad += f->why != NULL;
    if (v->args->json) {
        tch_witness_finding_json(b, f);
        return;
    }
    if (v->args->quiet && !f->why)
        return;
    cli_add_painted(b, &v->args->out, f->why ? RED : GREEN, f->why ? "BAD" : "ok ");
    tch_buf_adds(b, "  ");
    add_line(b, f->path);
    tch_buf_adds(b, ": ");
    if (f->why && f->line > 0)
        tch_buf_addf(b, "line %llu: ", (unsigned long long)f->line);
    if (f->why) {
        add_line(b, f->why);
        tch_buf_addc(b, '\n');
        return;
    }
    if (strcmp(f->kind, "seal") == 0) {
        tch_buf_addf(b, "%llu files, ", (unsigned long long)f->entries);
        tch_add_value(b, TCH_BYTES, (double)f->bytes);
        tch_buf_adds(b, ", as sealed");
    } else if (strcmp(f->kind, "bundle") == 0) {
        tch_buf_addf(b, "bundle of %llu logs, %llu entries", (unsigned long long)f->logs,
                     (unsigned long long)f->entries);
    } else if (strcmp(f->kind, "rvf") == 0) {
        tch_buf_addf(b, "RVF of another program, %llu entries in %llu witness segment%s",
                     (unsigned long long)f->entries, (unsigned long long)f->logs,
                     tch_plural(f->logs));
        if (f->unchecked > 0)
            tch_buf_addf(b, "; %llu of %llu segments not checked: no SHAKE-256 checksum",
                         (unsigned long long)f->unchecked, (unsigned long long)f->segments);
    } else {
        tch_buf_addf(b, "%llu entries%s", (unsigned long long)f->entries,
                     f->closed ? "" : ", not closed");
    }
    tch_buf_addf(b, "\n     %s\n", f->hash);
}

static const char *why_not(const struct verify *v, bool closed, const char *hash)
{
    if (!closed && !v->open)
        return "not closed: lines at its end may be missing; --open accepts this";
    if (v->expect && strcmp(v->expect, hash) != 0)
        return "its last hash differs from the one of --expect";
    return NULL;
}

static int verify_file(struct verify *v, const char *path)
{
    tacho_witness_reader *r = NULL;
    tacho_witness_entry entry;
    tacho_error err = {0};
    struct tch_witness_finding f = {.path = path};
    int more = tacho_witness_reader_open(path, &r, &err);

    if (more == 0)
        while ((more = tacho_witness_next(r, &entry, &err)) > 0)
            ;
    if (more < 0 && more != TACHO_EPARSE) {
        if (err.code == TACHO_EUNSUPPORTED)
            cli_complain(&err, "cannot check '%s'", path);
        else
            cli_complain(NULL, "%s", err.message);
        tacho_witness_reader_close(r);
        return EXIT_WORK;
    }
    f.kind = tch_witness_kind_name(tacho_witness_reader_kind(r));
    f.segments = tacho_witness_reader_segment(r);
    f.unchecked = tacho_witness_reader_unchecked(r);
    f.logs = tacho_witness_reader_log_count(r);
    f.entries = tacho_witness_reader_entry_count(r);
    f.closed = tacho_witness_reader_is_closed(r) && more == 0;
    f.hash = tacho_witness_reader_hash(r);
    f.line = err.line;
    f.why = more < 0 ? err.message : why_not(v, f.closed, f.hash);
    add_finding(v, &f);
    tacho_witness_reader_close(r);
    return EXIT_OK;
}

/* Collects the files that do not match the seal, as one sentence each. */
struct misfits {
    struct verify *v;
    const char *folder;
    struct tch_buf why;
};

static int note_misfit(const char *file, const char *what, void *ctx)
{
    struct misfits *m = ctx;

    tch_buf_addf(&m->why, "%s%s %s", m->why.len > 0 ? "; " : "", file, what);
    return 0;
}

static int verify_seal(struct verify *v, const char *folder)
{
    struct misfits m = {.v = v, .folder = folder};
    struct tch_seal_info info;
    tacho_error err = {0};
    struct tch_witness_finding f = {.path = folder, .kind = "seal"};
    int status;

    tch_buf_init(&m.why, OUT_MAX);
    status = tch_seal_check(folder, note_misfit, &m, &info, &err);
    if (status < 0 && status != TACHO_EPARSE) {
        cli_complain(&err, "cannot check '%s'", folder);
        tch_buf_release(&m.why);
        return EXIT_WORK;
    }
    f.entries = info.files;
    f.bytes = info.bytes;
    f.closed = status >= 0;
    f.hash = info.hash;
    f.line = err.line;
    if (status == TACHO_EPARSE)
        f.why = err.message;
    else
        f.why = status > 0 ? m.why.data : why_not(v, true, info.hash);
    add_finding(v, &f);
    tch_buf_release(&m.why);
    return EXIT_OK;
}

static void add_not_sealed(struct verify *v, const char *folder)
{
    const struct tch_witness_finding f = {
        .path = folder, .kind = "seal", .hash = "", .why = "not sealed: seal.jsonl is missing"};

    v->checked++;
    add_finding(v, &f);
}

static int verify_path(struct verify *v, const char *path)
{
    enum witness_at at = cli_witness_kind_at(path);
    static const char *const extensions[] = {".jsonl", ".rvf", NULL};
    struct witness_paths paths = {0};
    int status = EXIT_OK;

    if (at == WITNESS_SEALED) {
        v->checked++;
        return verify_seal(v, path);
    }
    if (at == WITNESS_FOLDER && (v->expect || tch_seal_expected(path))) {
        add_not_sealed(v, path);
        return EXIT_OK;
    }
    status = cli_witness_paths_add(&paths, path, extensions);
    if (status == EXIT_OK && paths.count == 0) {
        cli_complain(NULL, "'%s' has no seal and no witness logs; 'tacho run --seal' makes a seal",
                     path);
        status = EXIT_WORK;
    }
    for (size_t i = 0; i < paths.count && status == EXIT_OK; i++) {
        v->checked++;
        status = verify_file(v, paths.path[i]);
    }
    cli_witness_paths_release(&paths);
    return status;
}

static int run_verify(struct args *args)
{
    struct verify v = {.args = args};
    int status = EXIT_OK;
    int put;

    cli_set_opts(args, &v, NULL);
    tch_buf_init(&v.out, OUT_MAX);
    if (args->json)
        tch_witness_verify_json_begin(&v.out);
    for (size_t i = 0; i < args->count && status == EXIT_OK; i++)
        status = verify_path(&v, args->operands[i]);
    if (status == EXIT_OK && v.expect && v.checked != 1) {
        tch_buf_release(&v.out);
        return cli_wrong_usage(args, "--expect needs exactly one file or folder, not %zu",
                               v.checked);
    }
    if (args->json)
        tch_witness_verify_json_end(&v.out, v.bad);
    put = cli_print(&v.out);
    if (status != EXIT_OK || put != EXIT_OK)
        return EXIT_WORK;
    return v.bad > 0 ? EXIT_CHECK : EXIT_OK;
}

static const struct opt opts[] = {
    {.name = "open",
     .help = "accept a log that was not closed, as after a kill",
     CLI_FLAG(struct verify, open)},
    {.name = "expect",
     .arg = "HASH",
     .help = "require this last hash, which you kept elsewhere",
     CLI_TEXT(struct verify, expect)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "PATH",
     .help = "logs, bundles, other RVF files, folders of them, sealed folders",
     .many = true,
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK,
     "something was changed, left out, added or moved; the first invalid line or segment is named"},
    {0, NULL},
};

static const struct example examples[] = {
    {"tacho witness verify results/witness", "Check all logs and bundles of a folder."},
    {"tacho witness verify --expect 9f86d0… witness.rvf",
     "Check that this is the bundle whose last hash you kept."},
    {NULL, NULL},
};

const struct cmd cmd_witness_verify = {
    .name = "verify",
    .summary = "find changes in logs, bundles and sealed run folders",
    .usage = "tacho witness verify [--open] [--expect HASH] [--json] PATH...",
    .about =
        "Checks every byte. In logs and bundles: the hash of each line, its place in the chain, "
        "and its content. In a folder sealed by 'tacho run --seal': every file, including missing "
        "and added ones. Prints the last hash, which depends on everything before it.\n\nIn an RVF "
        "file of another program, checks the chains of the witness segments and the checksums that "
        "are SHAKE-256.\n\nThis detects accidents and careless changes. Someone who rewrites a "
        "whole log with new hashes is detected only by a last hash that was kept elsewhere; give "
        "it with --expect.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_verify,
};
