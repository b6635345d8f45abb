/* Merges the files that programs wrote to the folders of their runs. */
#include "recorded_merge.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/text/human_number.h"
#include "lib/measure/csv_columns.h"
#include "recorded.h"

enum { FILE_MAX_BYTES = TCH_RECORDED_PART_MAX };

/* Files whose name starts with `prefix` and ends with `suffix` are merged into `whole`. With
   `header` their first line is kept once. */
struct kind {
    const char *prefix;
    const char *suffix;
    const char *whole;
    bool header;
};

enum { LATENCY = 1, LATENCY_NS = 2 };

static const struct kind kinds[] = {
    {"profile", ".jsonl", "profile.jsonl", false},
    [LATENCY] = {"latency.", ".csv", "latency.csv", true},
    [LATENCY_NS] = {"latency-ns.", ".csv", "latency-ns.csv", true},
    {"memory.", ".csv", "memory-program.csv", true},
    {"memory-detail.", ".csv", "memory-detail.csv", true},
    {"power.", ".csv", "power-program.csv", true},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct merging {
    const char *folder;
    struct tch_replace out[KINDS];
    char path[KINDS][PATH_MAX];
    bool any[KINDS]; /* a part was found */
    size_t skipped;  /* parts that are not regular files, or too large */
    char first_skipped[64];
};

/* Returns the kind that a file is a part of, or KINDS if it is not a part. */
static size_t kind_of(const char *name)
{
    const char *base = tch_base_name(name);
    size_t k = 0;

    while (k < KINDS && !tch_recorded_part_is(base, kinds[k].prefix, kinds[k].suffix))
        k++;
    return k;
}

/* Appends the complete lines of a part. A header is written once. */
static int append_lines(struct merging *m, size_t k, const struct tch_buf *text, tacho_error *err)
{
    const char *data = text->data;
    const char *end = memrchr(data, '\n', text->len);
    int status = 0;

    if (!end)
        return 0;
    if (m->any[k]) {
        if (kinds[k].header)
            data = (const char *)memchr(data, '\n', text->len) + 1;
    } else {
        if (snprintf(m->path[k], PATH_MAX, "%s/%s", m->folder, kinds[k].whole) >= PATH_MAX)
            return tch_fail(err, TACHO_ELIMIT, 0, "the path of '%s' is too long", kinds[k].whole);
        status = tch_found_replace(&m->out[k], m->folder, kinds[k].whole, m->path[k], err);
        if (status < 0)
            return status;
        m->any[k] = true;
    }
    return tch_replace_write(&m->out[k], data, (size_t)(end + 1 - data), err);
}

static void add_row(struct tch_buf *b, const uint64_t cells[4])
{
    for (int i = 0; i < 4; i++) {
        tch_add_u64(b, cells[i]);
        tch_buf_addc(b, i < 3 ? ',' : '\n');
    }
}

static int add_row_us(const tacho_csv_row *row, void *b, tacho_error *err)
{
    const tacho_csv_latency_ns *r = &row->as.latency_ns;

    (void)err;
    add_row(b, (uint64_t[]){r->sample_id, tch_csv_us(r->wall_ns), tch_csv_us(r->kernel_ns),
                            r->seq_len});
    return 0;
}

static int add_row_ns(const tacho_csv_row *row, void *b, tacho_error *err)
{
    const tacho_csv_latency *r = &row->as.latency;

    (void)err;
    add_row(b, (uint64_t[]){r->sample_id, tch_latency_ns(r->wall_time_us),
                            tch_latency_ns(r->kernel_time_us), r->seq_len});
    return 0;
}

/* Appends the rows of a latency file in the other unit, so that latency.csv and latency-ns.csv have
   the same rows, whichever of them a program wrote. Reads a damaged part up to the damage. */
static int append_converted(struct merging *m, size_t k, const struct tch_buf *text,
                            tacho_error *err)
{
    const char *end = memrchr(text->data, '\n', text->len);
    size_t whole = end ? (size_t)(end + 1 - text->data) : 0;
    enum tacho_csv_kind kind = k == LATENCY ? TACHO_CSV_LATENCY : TACHO_CSV_LATENCY_NS;
    enum tacho_csv_kind other = k == LATENCY ? TACHO_CSV_LATENCY_NS : TACHO_CSV_LATENCY;
    struct tch_buf rows;
    size_t head;
    int status;

    tch_buf_init(&rows, (size_t)4 * FILE_MAX_BYTES); /* nanoseconds are longer */
    tch_buf_adds(&rows, tch_csv_kind(other)->header);
    head = rows.len;
    status = tacho_csv_parse(text->data, whole, kind, k == LATENCY ? add_row_ns : add_row_us, &rows,
                             err);
    if (status == TACHO_EPARSE)
        status = 0;
    if (status == 0 && rows.failed)
        status = tch_fail_memory(err);
    if (status == 0 && rows.len > head)
        status = append_lines(m, k == LATENCY ? LATENCY_NS : LATENCY, &rows, err);
    tch_buf_release(&rows);
    return status;
}

static int merge_part(void *ctx, const char *name, tacho_error *err)
{
    struct merging *m = ctx;
    size_t k = kind_of(name);
    struct tch_buf text;
    int status;

    if (k == KINDS)
        return 0;
    status = tch_found_readable(m->folder, name, TCH_RECORDED_PART_MAX, err);
    if (status < 0)
        return status;
    if (status == 0) {
        if (m->skipped++ == 0)
            snprintf(m->first_skipped, sizeof m->first_skipped, "%.63s", name);
        return 0;
    }
    tch_buf_init(&text, FILE_MAX_BYTES);
    status = tch_found_read(m->folder, name, FILE_MAX_BYTES, &text, err);
    if (status == 0)
        status = append_lines(m, k, &text, err);
    if (status == 0 && (k == LATENCY || k == LATENCY_NS))
        status = append_converted(m, k, &text, err);
    tch_buf_release(&text);
    return status;
}

/* Merges one run. The files are sorted, so the same files give the same result. */
static int merge_iteration(void *ctx, const char *name, tacho_error *err)
{
    struct merging *m = ctx;

    return tch_found_each(m->folder, name, merge_part, m, err);
}

int tch_recorded_merge(const char *folder, struct tch_warnings *warnings, tacho_error *err)
{
    struct merging m = {.folder = folder};
    int status = tch_found_each(folder, "iter", merge_iteration, &m, err);

    for (size_t k = 0; k < KINDS; k++) {
        if (m.any[k] && status == 0)
            status = tch_replace_commit(&m.out[k], err);
        if (m.any[k])
            tch_replace_abort(&m.out[k]);
    }
    if (m.skipped > 0)
        tch_warn(warnings, "not-collected",
                 "let the program write regular files of at most 1 GiB to TACHO_RUN_DIR",
                 "%zu of the program's files could not be collected, such as '%s'; links, FIFOs, "
                 "devices and files above 1 GiB are not read",
                 m.skipped, m.first_skipped);
    return status;
}

/* Removes a part that was merged, or that is not a file. One that was too large stays. */
static int remove_part(void *folder, const char *name, tacho_error *err)
{
    if (kind_of(name) < KINDS &&
        (tch_found_regular(folder, name, err) != 1 ||
         tch_found_readable(folder, name, TCH_RECORDED_PART_MAX, err) == 1))
        tch_found_remove(folder, name);
    return 0;
}

static int remove_iteration(void *folder, const char *name, tacho_error *err)
{
    int status = tch_found_each(folder, name, remove_part, folder, err);

    tch_found_remove(folder, name); /* fails if something is left in it */
    return status;
}

int tch_recorded_remove_parts(const char *folder, tacho_error *err)
{
    int status = tch_found_each(folder, "iter", remove_iteration, (void *)folder, err);

    if (status == 0)
        tch_found_remove(folder, "iter");
    return status;
}
