/* Names of threads, tracks and the process in a Chrome trace, and what is not in it. */
#include "chrome_writer.h"

static void metadata(struct tch_chrome *c, const char *what, uint32_t tid, const char *name,
                     size_t len)
{
    tch_buf_clear(&c->text);
    tch_json_begin_object(&c->text);
    tch_json_put_text(&c->text, "name", what);
    tch_json_put_text(&c->text, "ph", "M");
    tch_json_put_u64(&c->text, "pid", c->r->head.pid);
    tch_json_put_u64(&c->text, "tid", tid);
    tch_json_key(&c->text, "args");
    tch_json_begin_object(&c->text);
    tch_json_key(&c->text, "name");
    tch_json_string(&c->text, name, len);
    tch_json_end_object(&c->text);
    tch_chrome_end(c);
}

void tch_chrome_name_thread(struct tch_chrome *c)
{
    const struct tch_rec_name *text;

    if (!c->thread_used)
        return;
    if (c->thread_text != 0) {
        text = tch_rec_text(c->r, c->thread_text);
        metadata(c, "thread_name", c->tid, text->name, text->name_len);
    } else if (c->comm[0]) {
        metadata(c, "thread_name", c->tid, c->comm, strlen(c->comm));
    }
}

void tch_chrome_enter_thread(struct tch_chrome *c, const struct tch_seen_event *e)
{
    tch_chrome_name_thread(c);
    c->thread_used = false;
    c->thread_text = 0;
    c->tid = e->tid;
    memcpy(c->comm, e->fixed + 1, sizeof c->comm - 1);
    c->ids_len = (size_t)snprintf(c->ids, sizeof c->ids, ",\"pid\":%u,\"tid\":%u",
                                  (unsigned)c->r->head.pid, (unsigned)e->tid);
}

void tch_chrome_name_process(struct tch_chrome *c)
{
    const char *program = tch_base_name(c->r->head.program);
    const struct tch_rec_name *text;

    if (c->process_text != 0) {
        text = tch_rec_text(c->r, c->process_text);
        metadata(c, "process_name", c->r->head.pid, text->name, text->name_len);
    } else if (c->process_used) {
        metadata(c, "process_name", c->r->head.pid, program, strlen(program));
    }
}

void tch_chrome_name_rows(struct tch_chrome *c)
{
    for (uint32_t i = 0; i < c->rows.count; i++) {
        const struct tch_row *row = &c->rows.rows[i];
        const struct tch_rec_name *text;

        if (row->kind != TCH_ROW_TRACK)
            continue;
        text = tch_rec_text(c->r, (uint32_t)row->a);
        metadata(c, "thread_name", TCH_CHROME_TRACK_TID + i, text->name, text->name_len);
    }
}

/* What is not in here. */
void tch_chrome_tell_losses(struct tch_chrome *c)
{
    static const struct tch_rec_name what = {
        .name = "records dropped", .category = "tacho", .name_len = 15, .category_len = 5};
    const struct tch_rec_header *head = &c->r->head;
    char mem[64];
    struct tch_buf why;

    if (head->dropped == 0 && head->cut == 0)
        return;
    tch_buf_init_on(&why, mem, sizeof mem, sizeof mem - 1);
    tch_add_reasons(&why, head->reasons);
    tch_chrome_begin(c, &what);
    tch_json_text(&c->text, "i");
    tch_chrome_add_time(c, "ts", tch_chrome_from_start(c, c->r->clock.last.ns));
    tch_json_put_u64(&c->text, "pid", head->pid);
    tch_json_put_u64(&c->text, "tid", head->pid);
    tch_json_put_text(&c->text, "s", "g");
    tch_json_key(&c->text, "args");
    tch_json_begin_object(&c->text);
    tch_json_put_u64(&c->text, "dropped", head->dropped);
    tch_json_put_text(&c->text, "why", why.data);
    tch_json_put_u64(&c->text, "ends_without_begin", c->r->lost_ends);
    tch_json_put_u64(&c->text, "spans_cut", c->r->lost_begins);
    tch_json_put_u64(&c->text, "texts_cut", head->cut);
    tch_json_end_object(&c->text);
    tch_chrome_end(c);
    tch_buf_release(&why);
}
