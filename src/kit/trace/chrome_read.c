/*
 * Reads the Chrome trace format: an array of events, or an object that contains one.
 *
 * The members of an event come in any order, so they are collected first. Nothing is allocated per
 * event: texts are interned directly from the window, and arguments are copied only if the sink
 * wants them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "base/utf8.h"
#include "chrome_read_event.h"
#include "trace_readers.h"
#include "trace_source.h"

enum { VALUE_LIMIT = 64 << 20 }; /* limit of one string, or of the arguments of one event */

/* Reads an array whose bracket was already read. */
static int read_array(struct tch_chrome_reader *c)
{
    int more = 0, status = 0;

    c->between = true;
    c->depth = c->json.depth;
    while (status == 0 && (more = tch_json_element(&c->json)) > 0) {
        c->between = true;
        status = tch_chrome_read_event(c);
    }
    if (status != 0)
        return status;
    return more;
}

static int read_object(struct tch_chrome_reader *c, bool *found)
{
    struct tch_json_value key, value;
    int more, status;

    while ((more = tch_json_member(&c->json, &key)) > 0) {
        if (!tch_json_is(&key, "traceEvents")) {
            status = tch_json_skip(&c->json);
        } else {
            status = tch_json_read(&c->json, &value);
            if (status == 0 && value.type != TCH_JSON_ARRAY)
                return tch_fail(c->r->err, TACHO_EPARSE, 0, "traceEvents is not an array");
            *found = true;
            if (status == 0)
                status = read_array(c);
        }
        if (status != 0)
            return status;
        c->between = false;
    }
    return more;
}

static int read_top(struct tch_chrome_reader *c)
{
    struct tch_json_value value;
    bool found = false;
    int status = tch_json_read(&c->json, &value);

    if (status < 0)
        return status;
    if (value.type == TCH_JSON_ARRAY) {
        found = true;
        if (c->r->m->kind != TCH_KIND_JSON_LINES)
            c->r->m->kind = TCH_KIND_CHROME_ARRAY;
        status = read_array(c);
        if (status == 0)
            c->between = false;
    } else {
        c->r->m->kind = TCH_KIND_CHROME_OBJECT;
        status = read_object(c, &found);
    }
    if (status == 0)
        status = tch_json_finish(&c->json);
    if (status == 0 && !found)
        return tch_fail(c->r->err, TACHO_EPARSE, 0,
                        "this JSON has no \"traceEvents\", so it is not a trace");
    return status;
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!tch_is_blank(text[i]))
            return false;
    return true;
}

/* Returns whether only blanks follow the byte at which the reader failed. */
static bool is_last_byte(const struct tch_chrome_reader *c, struct tch_trace_source *s)
{
    const struct tch_json_reader *j = &c->json;
    const char *behind = j->data + (c->why.offset - j->before) + 1;
    bool blank = is_blank(behind, (size_t)(j->end - behind));
    char rest[4096];
    ssize_t got = 0;

    while (blank && (got = tch_trace_source_read(s, rest, sizeof rest)) > 0)
        blank = is_blank(rest, (size_t)got);
    return blank && got == 0;
}

/* Records the position of the error in an invalid file, unless no event is lost by it. */
static void judge_failure(struct tch_chrome_reader *c, struct tch_trace_source *s)
{
    const struct tch_json_reader *j = &c->json;
    struct tch_model *m = c->r->m;
    uint64_t at = c->why.offset - j->before;
    bool at_end = c->why.offset < j->before || at >= (uint64_t)(j->end - j->data);

    /* "[{...}," and "[{...},]": an extra comma loses nothing. */
    if (c->between && m->kind != TCH_KIND_CHROME_OBJECT &&
        (at_end ? m->kind == TCH_KIND_JSON_LINES : j->data[at] == ']' && is_last_byte(c, s)))
        return;
    m->cut = true;
    m->why = c->why;
    m->tail_only = at_end && !s->damaged;
    if (s->damaged) {
        tch_fail(&m->why, TACHO_EPARSE, 0, "the gzip data is truncated or damaged");
        m->why.offset = s->given;
    }
    if (s->lines && m->why.offset > 0)
        m->why.offset--;
}

static int read_all(struct tch_chrome_reader *c, struct tch_trace_source *s)
{
    int status = tch_json_open_stream(&c->json, tch_trace_source_read, s, VALUE_LIMIT, &c->why);

    if (status < 0) {
        *c->r->err = c->why;
        return status;
    }
    status = read_top(c);
    if (status != 0 && status == c->json.status) {
        /* Errors that the file did not cause stay errors. */
        if ((status == TACHO_EPARSE || status == TACHO_ELIMIT) &&
            (c->r->m->events > 0 || c->between || s->damaged)) {
            judge_failure(c, s);
            status = 0;
        } else if (c->r->err) {
            *c->r->err = c->why;
        }
    }
    tch_json_close(&c->json);
    return status;
}

int tch_read_chrome(struct tch_trace_reading *r, struct tch_trace_source *s)
{
    struct tch_chrome_reader *c = calloc(1, sizeof *c);
    tacho_error unused;
    int status;

    if (!r->err)
        r->err = &unused;
    if (!c)
        return tch_fail_memory(r->err);
    c->r = r;
    tch_buf_init(&c->text, VALUE_LIMIT);
    s->lines = tch_trace_source_is_lines(s);
    if (s->lines)
        r->m->kind = TCH_KIND_JSON_LINES;
    status = read_all(c, s);
    tch_buf_release(&c->text);
    free(c);
    return status;
}
