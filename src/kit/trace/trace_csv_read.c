/* Reads the CSV of spans that trace_csv.c writes. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "base/number.h"
#include "trace_csv.h"
#include "trace_readers.h"
#include "trace_source.h"

enum { LINE_LIMIT = 64 << 20 };

struct csv {
    struct tch_trace_reading *r;
    struct tch_trace_source *s;
    struct tch_buf fields[TCH_CSV_FIELDS];
    char in[1 << 16];
    size_t len, at;
    uint64_t line;
    uint64_t offset; /* file offset of in[at] */
};

static int next_byte(struct csv *c)
{
    if (c->at == c->len) {
        ssize_t got = tch_trace_source_read(c->s, c->in, sizeof c->in);

        if (got <= 0)
            return got < 0 ? -2 : -1;
        c->len = (size_t)got;
        c->at = 0;
    }
    c->offset++;
    return (unsigned char)c->in[c->at++];
}

/* Reads one record. Returns 1, 0 at the end of the file, -1 if the record is invalid, -2 if reading
   failed. */
static int read_record(struct csv *c)
{
    size_t field = 0;
    bool quoted = false, any = false;
    int byte;

    for (size_t i = 0; i < TCH_CSV_FIELDS; i++)
        tch_buf_clear(&c->fields[i]);
    c->line++;
    while ((byte = next_byte(c)) >= 0) {
        any = true;
        if (byte == '"') {
            /* A doubled quote leaves and reenters the quoted state, and adds one quote. */
            if (!quoted && c->fields[field].len > 0)
                tch_buf_addc(&c->fields[field], '"');
            quoted = !quoted;
        } else if (byte == ',' && !quoted) {
            if (++field == TCH_CSV_FIELDS)
                return -1;
        } else if (byte == '\n' && !quoted) {
            return field == TCH_CSV_FIELDS - 1 ? 1 : -1;
        } else if (byte != '\r' || quoted) {
            tch_buf_addc(&c->fields[field], (char)byte);
        }
    }
    return byte == -2 ? -2 : any ? -1 : 0;
}

static uint32_t text_of(struct csv *c, size_t field)
{
    return tch_intern_add(&c->r->m->texts, c->fields[field].data, c->fields[field].len);
}

/* Emits a record as a span. Returns 0, TACHO_EPARSE if the record is not a span, or another
   code. */
static int emit_span(struct csv *c, uint64_t offset)
{
    struct tch_model *m = c->r->m;
    struct tch_ev ev = {.kind = TCH_EV_SPAN, .phase = 'X', .offset = offset};
    uint64_t pid, tid;
    uint32_t process, thread;

    if (tch_parse_u64(c->fields[0].data, UINT64_MAX, &pid) < 0 ||
        tch_parse_u64(c->fields[1].data, UINT64_MAX, &tid) < 0 ||
        tch_parse_i64(c->fields[6].data, &ev.ts) < 0 ||
        tch_parse_i64(c->fields[7].data, &ev.dur) < 0 || ev.dur < 0)
        return TACHO_EPARSE;
    if (c->fields[8].len > 0 &&
        (c->fields[8].data[0] != '{' || tch_json_check(c->fields[8].data, c->fields[8].len, NULL)))
        return TACHO_EPARSE;
    ev.track = tch_model_track(m, pid, tid);
    process = text_of(c, 2);
    thread = text_of(c, 3);
    ev.name = text_of(c, 4);
    ev.category = text_of(c, 5);
    if (ev.track == TCH_INTERN_NONE || process == TCH_INTERN_NONE || thread == TCH_INTERN_NONE ||
        ev.name == TCH_INTERN_NONE || ev.category == TCH_INTERN_NONE)
        return tch_fail_memory(c->r->err);
    m->tracks[ev.track].name = thread;
    m->processes[m->tracks[ev.track].process].name = process;
    ev.flags |= tch_trace_args_flags(c->fields[8].data, c->fields[8].len);
    if (c->r->options.args && c->fields[8].len > 2) {
        ev.args = c->fields[8].data;
        ev.args_len = (uint32_t)c->fields[8].len;
    }
    return tch_trace_reading_give(c->r, &ev);
}

static int read_records(struct csv *c)
{
    int more = read_record(c), status = 0; /* the header, which was checked already */
    uint64_t offset = c->offset;

    while (more > 0 && status == 0) {
        offset = c->offset;
        more = read_record(c);
        for (size_t i = 0; i < TCH_CSV_FIELDS; i++)
            if (c->fields[i].failed)
                return tch_fail(c->r->err, TACHO_ENOMEM, c->line, "a field is too long");
        if (more > 0)
            status = emit_span(c, offset);
    }
    if (more == -2)
        return tch_fail(c->r->err, TACHO_EIO, c->line, "cannot read '%.150s'", c->s->path);
    if (more == -1 || status == TACHO_EPARSE) {
        c->r->m->cut = true;
        tch_fail(&c->r->m->why, TACHO_EPARSE, c->line, "this record is not a span");
        c->r->m->why.offset = offset;
        status = 0;
    }
    return status;
}

int tch_read_csv(struct tch_trace_reading *r, struct tch_trace_source *s)
{
    struct csv *c = calloc(1, sizeof *c);
    int status;

    if (!c)
        return tch_fail_memory(r->err);
    c->r = r;
    c->s = s;
    r->m->kind = TCH_KIND_CSV;
    for (size_t i = 0; i < TCH_CSV_FIELDS; i++)
        tch_buf_init(&c->fields[i], LINE_LIMIT);
    status = read_records(c);
    for (size_t i = 0; i < TCH_CSV_FIELDS; i++)
        tch_buf_release(&c->fields[i]);
    free(c);
    return status;
}
