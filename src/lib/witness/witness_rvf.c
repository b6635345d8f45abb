/*
 * Reads the segments of an RVF file.
 *
 * A bundle has a meta segment with the first line, then for each log a meta segment with its name
 * and its lines and a witness segment with one entry per line, then a meta segment with the last
 * line. For each line that is read, the reader computes the entry that the witness segment must
 * contain.
 *
 * In a file that another program wrote, the reader checks the witness segments and the checksums
 * that are SHAKE-256.
 */
#include "witness_rvf.h"

#include <string.h>

#include "base/fail.h"

#define NS_PER_S UINT64_C(1000000000)

void tch_witness_rvf_begin(tacho_witness_reader *r)
{
    r->is_rvf = true;
    tch_rvf_init(&r->rvf, tch_witness_input_read, &r->input);
    tch_buf_addc(&r->last_hashes, '[');
}

/* Fails as tacho_witness_next() does: the message names the segment and, in a log, the line. */
static int fail_in_segment(const tacho_witness_reader *r, tacho_error *err)
{
    tacho_error why = *err;

    if (why.code == TACHO_EIO || why.code == TACHO_ENOMEM)
        return why.code;
    if (why.line > 0 && r->log.len > 0)
        return tch_fail(err, why.code, 0, "segment %llu, line %llu of log '%.60s': %s",
                        (unsigned long long)r->rvf.number, (unsigned long long)why.line,
                        r->log.data, why.message);
    return tch_fail(err, why.code, 0, "segment %llu: %s", (unsigned long long)r->rvf.number,
                    why.message);
}

/* Computes the entry of a line and adds it to those that the witness segment must contain. */
static int expect_entry(tacho_witness_reader *r, tacho_error *err)
{
    uint8_t entry[TCH_RVF_ENTRY];

    tch_rvf_entry(&r->chain, r->inner.last, r->time_ns, entry);
    tch_buf_add(&r->entries, entry, sizeof entry);
    return r->entries.failed ? tch_fail_memory(err) : 0;
}

uint64_t tch_witness_time_ns(uint64_t timestamp)
{
    return timestamp <= UINT64_MAX / NS_PER_S ? timestamp * NS_PER_S : 0;
}

static void begin_log(tacho_witness_reader *r)
{
    r->chain = (struct tch_rvf_chain){{0}};
    r->time_ns = 0;
    tch_buf_clear(&r->entries);
}

/* Checks a line of a meta segment. The first line shows what the segment is. */
static int read_meta_line(tacho_witness_reader *r, struct tch_line *line,
                          enum tch_witness_kind *kind, tacho_witness_entry *entry, tacho_error *err)
{
    bool first = line->number == 1;
    bool inner;
    int status;

    line->number--; /* the number of a log's line does not count the line that names the log */
    status = tch_witness_line_read(r, line, kind, entry, err);
    if (status < 0)
        return status;
    inner = *kind == TCH_WITNESS_ENTRY || *kind == TCH_WITNESS_END;
    if (first == inner)
        return tch_fail(err, TACHO_EPARSE, line->number, "a line of this kind cannot be here");
    if (*kind == TCH_WITNESS_LOG)
        begin_log(r);
    if (*kind == TCH_WITNESS_ENTRY)
        r->time_ns = tch_witness_time_ns(entry->timestamp);
    return inner ? expect_entry(r, err) : 0;
}

/* Checks that a meta segment did not end too early. */
static int end_meta(tacho_witness_reader *r, tacho_error *err)
{
    r->in_meta = false;
    if (r->lines.number == 0)
        return tch_fail(err, TACHO_EPARSE, 0, "it is empty");
    if (r->place == LOG_NAMED || r->place == IN_LOG)
        return tch_fail(err, TACHO_EPARSE, 0, "the log '%.60s' is not closed: lines are missing",
                        r->log.data);
    return 0;
}

/* Reads an entry of a witness segment. Returns 1, 0 at its end, or a failure. */
static int next_entry(tacho_witness_reader *r, uint8_t entry[TCH_RVF_ENTRY], tacho_error *err)
{
    size_t have = 0;

    while (have < TCH_RVF_ENTRY) {
        ssize_t n = tch_rvf_read(&r->rvf, entry + have, TCH_RVF_ENTRY - have, err);

        if (n < 0)
            return (int)n;
        if (n == 0 && have == 0)
            return 0;
        if (n == 0)
            return tch_fail(err, TACHO_EPARSE, 0, "its length is not a multiple of %d bytes",
                            TCH_RVF_ENTRY);
        have += (size_t)n;
    }
    return 1;
}

/* Checks the chain of a witness segment. In a bundle, checks also that its entries are those of
   the log before it. */
static int read_witness(tacho_witness_reader *r, tacho_error *err)
{
    bool bundle = r->kind == TACHO_WITNESS_BUNDLE;
    struct tch_rvf_chain chain = {{0}};
    uint8_t entry[TCH_RVF_ENTRY];
    uint64_t count = 0;
    int more;

    if (bundle && r->rvf.length != r->entries.len)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "it has %llu bytes, but the log before it requires %zu",
                        (unsigned long long)r->rvf.length, r->entries.len);
    for (; (more = next_entry(r, entry, err)) > 0; count++) {
        if (!tch_rvf_follows(&chain, entry))
            return tch_fail(err, TACHO_EPARSE, 0, "entry %llu does not follow the one before it",
                            (unsigned long long)count + 1);
        if (bundle && memcmp(entry, r->entries.data + count * TCH_RVF_ENTRY, TCH_RVF_ENTRY) != 0)
            return tch_fail(err, TACHO_EPARSE, 0, "entry %llu is not that of line %llu of its log",
                            (unsigned long long)count + 1, (unsigned long long)count + 1);
    }
    if (!bundle) {
        r->logs++;
        r->entry_count += count;
        tch_sha256_digest_hex(r->outer.last, chain.link); /* a link has 32 bytes, like a SHA-256 */
        r->hash = r->outer.last;
    }
    return more;
}

static int end_log(tacho_witness_reader *r, tacho_error *err)
{
    if (r->place != AFTER_LOG)
        return tch_fail(err, TACHO_EPARSE, 0, "there is no log before this witness segment");
    tch_buf_addf(&r->last_hashes, "%s\"%s\"", r->last_hashes.len > 1 ? "," : "", r->inner.last);
    r->place = BETWEEN_LOGS;
    return read_witness(r, err);
}

/* Reads the first segment and sets whether the file is a bundle or was written by another
   program. */
static int read_first_segment(tacho_witness_reader *r, tacho_error *err)
{
    int ours = tch_rvf_starts_with(&r->rvf, TCH_WITNESS_HEAD_V2, err);

    if (ours > 0)
        return tch_rvf_be_strict(&r->rvf, err);
    if (ours == 0)
        r->kind = TACHO_WITNESS_RVF;
    return ours;
}

/* Checks a segment of a file that does not begin as a bundle. */
static int read_other(tacho_witness_reader *r, tacho_error *err)
{
    int ours;

    if (r->rvf.type == TCH_RVF_WITNESS)
        return read_witness(r, err);
    if (r->rvf.type != TCH_RVF_META)
        return 0;
    ours = tch_rvf_starts_with(&r->rvf, TCH_WITNESS_LOG_START, err);
    if (ours > 0)
        return tch_fail(err, TACHO_EPARSE, 0, "it belongs to a bundle whose start is missing");
    return ours;
}

/* Steps to the next segment and checks it, or starts reading its lines. Returns 1, 0 at the end,
   or a failure. */
static int next_segment(tacho_witness_reader *r, tacho_error *err)
{
    int more = tch_rvf_next(&r->rvf, err);
    int status = 0;

    if (more <= 0)
        return more;
    if (r->place == AT_END)
        return tch_fail(err, TACHO_EPARSE, 0, "there is a segment after the last one");
    if (r->rvf.number == 1)
        status = read_first_segment(r, err);
    if (status < 0)
        return status;
    if (r->kind == TACHO_WITNESS_RVF)
        return read_other(r, err) < 0 ? err->code : 1;
    if (r->rvf.type == TCH_RVF_WITNESS)
        return end_log(r, err) < 0 ? err->code : 1;
    if (r->rvf.type != TCH_RVF_META || r->place == AFTER_LOG)
        return tch_fail(err, TACHO_EPARSE, 0, "a segment of type 0x%02x cannot be here",
                        r->rvf.type);
    tch_lines_release(&r->lines);
    tch_lines_init_source(&r->lines, tch_rvf_read, &r->rvf, r->input.path.data,
                          TCH_WITNESS_LINE_MAX);
    r->in_meta = true;
    return 1;
}

static int check_end(tacho_witness_reader *r, tacho_error *err)
{
    if (r->kind == TACHO_WITNESS_RVF) {
        r->closed = true;
        return 0;
    }
    if (!r->closed)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "the file is truncated: segments after it are missing");
    return 0;
}

int tch_witness_rvf_next(tacho_witness_reader *r, enum tch_witness_kind *kind,
                         struct tch_line *line, tacho_witness_entry *entry, tacho_error *err)
{
    int more;

    for (;;) {
        if (r->in_meta) {
            more = tch_lines_next(&r->lines, line, err);
            if (more > 0 && read_meta_line(r, line, kind, entry, err) < 0)
                more = err->code;
            if (more > 0)
                return 1;
            if (more == 0)
                more = end_meta(r, err);
        } else {
            more = next_segment(r, err);
            if (more == 0 && (more = check_end(r, err)) == 0)
                return 0;
        }
        if (more < 0)
            return fail_in_segment(r, err);
    }
}
