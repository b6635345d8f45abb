/* Writes the documents tacho.witness.*.v1: the contents of a log or bundle, and comparisons. */
#include "witness_json.h"

#include "base/json_write.h"

bool tch_witness_same(const struct tch_witness_comparison *c)
{
    return c->first_line[0] == 0 && c->entries[0] == c->entries[1];
}

void tch_witness_comparison_json(struct tch_buf *b, const struct tch_witness_comparison *c,
                                 char *const *paths)
{
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {{"entries_a", c->entries[0]},     {"entries_b", c->entries[1]},
                  {"compared", c->compared},        {"inputs_differ", c->inputs},
                  {"settings_differ", c->settings}, {"masks_differ", c->masks},
                  {"costs_differ", c->costs}};

    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.witness.compare.v1");
    tch_json_put_text(b, "a", paths[0]);
    tch_json_put_text(b, "b", paths[1]);
    tch_json_put_bool(b, "same", tch_witness_same(c));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        tch_json_put_u64(b, counts[i].name, counts[i].count);
    }
    tch_json_put_u64(b, "first_line_a", c->first_line[0]);
    tch_json_put_u64(b, "first_line_b", c->first_line[1]);
    tch_json_put_text(b, "first_log_a", c->first_log[0][0] ? c->first_log[0] : NULL);
    tch_json_put_text(b, "first_log_b", c->first_log[1][0] ? c->first_log[1] : NULL);
    tch_json_end_object(b);
    tch_json_line_end(b);
}

size_t tch_witness_kept(const tacho_witness_entry *e)
{
    size_t n = 0;

    for (size_t i = 0; i < e->keep_count; i++)
        n += e->keep_mask[i];
    return n;
}

const char *tch_witness_kind_name(enum tacho_witness_kind kind)
{
    return kind == TACHO_WITNESS_RVF ? "rvf" : kind == TACHO_WITNESS_BUNDLE ? "bundle" : "log";
}

void tch_witness_entry_json(struct tch_buf *b, const tacho_witness_entry *e,
                            const tacho_witness_reader *r)
{
    tch_json_begin_object(b);
    tch_json_put_u64(b, "line", tacho_witness_reader_line(r));
    if (tacho_witness_reader_segment(r) > 0) {
        tch_json_put_text(b, "log", tacho_witness_reader_log_name(r));
        tch_json_put_u64(b, "segment", tacho_witness_reader_segment(r));
    }
    tch_json_put_text(b, "q_hash", e->q_hash);
    tch_json_put_text(b, "k_hash", e->k_hash);
    tch_json_put_u64(b, "edges_kept", tch_witness_kept(e));
    tch_json_put_u64(b, "edges_total", e->keep_count);
    tch_json_key(b, "cut_cost");
    tch_json_f32(b, e->cut_cost);
    tch_json_key(b, "lambda");
    tch_json_f32(b, e->lambda);
    tch_json_put_u64(b, "tau", e->tau);
    tch_json_key(b, "eps");
    tch_json_f32(b, e->eps);
    tch_json_put_u64(b, "timestamp", e->timestamp);
    tch_json_end_object(b);
}

static void put_raw(struct tch_buf *b, const char *key, const char *json)
{
    tch_json_key(b, key);
    if (json)
        tch_json_raw(b, json, strlen(json));
    else
        tch_json_null(b);
}

void tch_witness_show_json(struct tch_buf *b, const char *path, const tacho_witness_reader *r,
                           const struct tch_buf *entries)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.witness.show.v1");
    tch_json_put_text(b, "file", path);
    tch_json_put_text(b, "kind", tch_witness_kind_name(tacho_witness_reader_kind(r)));
    tch_json_put_bool(b, "closed", tacho_witness_reader_is_closed(r));
    tch_json_put_u64(b, "logs", tacho_witness_reader_log_count(r));
    if (tacho_witness_reader_segment(r) > 0)
        tch_json_put_u64(b, "segments", tacho_witness_reader_segment(r));
    tch_json_put_u64(b, "entry_count", tacho_witness_reader_entry_count(r));
    tch_json_put_text(b, "hash", tacho_witness_reader_hash(r));
    put_raw(b, "config", tacho_witness_reader_config(r));
    tch_json_put_text(b, "config_hash", tacho_witness_reader_config_hash(r));
    put_raw(b, "environment", tacho_witness_reader_environment(r));
    tch_json_put_text(b, "environment_hash", tacho_witness_reader_environment_hash(r));
    tch_json_key(b, "entries");
    tch_json_raw(b, entries->data, entries->len);
    tch_json_end_object(b);
    tch_json_line_end(b);
    b->failed = b->failed || entries->failed;
}

void tch_witness_verify_json_begin(struct tch_buf *b)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.witness.verify.v1");
    tch_json_key(b, "files");
    tch_json_begin_array(b);
}

void tch_witness_finding_json(struct tch_buf *b, const struct tch_witness_finding *f)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "file", f->path);
    tch_json_put_text(b, "kind", f->kind);
    tch_json_put_bool(b, "ok", !f->why);
    tch_json_put_u64(b, strcmp(f->kind, "seal") == 0 ? "files" : "entries", f->entries);
    tch_json_put_bool(b, "closed", f->closed);
    tch_json_put_text(b, "hash", f->hash);
    if (f->segments > 0) {
        tch_json_put_u64(b, f->why ? "segment" : "segments", f->segments);
        tch_json_put_u64(b, "unchecked_segments", f->unchecked);
    }
    if (f->why) {
        tch_json_key(b, "line");
        if (f->line > 0)
            tch_json_u64(b, f->line);
        else
            tch_json_null(b);
        tch_json_put_text(b, "reason", f->why);
    }
    tch_json_end_object(b);
}

void tch_witness_verify_json_end(struct tch_buf *b, uint64_t bad)
{
    tch_json_end_array(b);
    tch_json_put_u64(b, "bad", bad);
    tch_json_end_object(b);
    tch_json_line_end(b);
}
