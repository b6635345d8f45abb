/* Writes spans as CSV: one per line, in order of track and time. */
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/fail.h"
#include "base/number.h"
#include "trace_csv.h"
#include "trace_write.h"

/* Writing. */

static void add_text(struct tch_trace_writer *w, uint32_t text)
{
    tch_buf_addc(&w->text, ',');
    if (tch_intern_len(&w->m->texts, text) > 0)
        tch_csv_add_name(&w->text, tch_intern_text(&w->m->texts, text),
                         tch_intern_len(&w->m->texts, text), w->options.raw);
}

static int begin(struct tch_trace_writer *w)
{
    return tch_trace_writer_put(w, TCH_CSV_HEAD, sizeof TCH_CSV_HEAD - 1);
}

static int add(struct tch_trace_writer *w, const struct tch_ev *ev)
{
    const struct tch_trace_track *t = &w->m->tracks[ev->track];
    const struct tch_trace_process *p = &w->m->processes[t->process];

    tch_buf_clear(&w->text);
    tch_buf_addf(&w->text, "%llu,%llu", (unsigned long long)p->pid, (unsigned long long)t->tid);
    add_text(w, p->name);
    add_text(w, t->name);
    add_text(w, ev->name);
    add_text(w, ev->category);
    tch_buf_addf(&w->text, ",%lld,%lld,", (long long)ev->ts, (long long)ev->dur);
    if (ev->args_len > 0)
        tch_csv_add(&w->text, ev->args, ev->args_len);
    tch_buf_addc(&w->text, '\n');
    return w->text.failed ? tch_trace_writer_no_memory(w)
                          : tch_trace_writer_put(w, w->text.data, w->text.len);
}

const struct tch_write_format tch_trace_as_csv = {
    .extension = ".csv", .name = "CSV of spans", .spans_only = true, .begin = begin, .add = add};
