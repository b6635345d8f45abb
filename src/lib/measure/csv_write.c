/* Writes CSV: rows are added to a buffer, which is written in pieces of 64 KB. */
#include "csv_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv_field.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/float_text.h"
#include "base/no_cancel.h"
#include "csv_columns.h"

enum {
    CHUNK = 64 * 1024,     /* bytes written at once */
    TEXT_MAX = CHUNK,      /* limit of one field, in bytes */
    ROW_NUMBERS = 7 * 345, /* bytes that the numbers of a row can need, with their commas */
    ROOM = CHUNK + 2 * TEXT_MAX + 2 + ROW_NUMBERS,
};

struct tacho_csv {
    const struct tch_csv_kind *kind;
    unsigned count;    /* columns of this file */
    int failed;        /* 0, or the code that all later calls return */
    int failed_number; /* errno of the write that failed */
    bool whole;
    struct tch_replace file; /* unless `whole` is set, only its descriptor is used */
    size_t len;
    char path[PATH_MAX];
    char absolute[PATH_MAX];
    char text[ROOM];
};

static int fail_again(const tacho_csv *csv, tacho_error *err)
{
    return tch_fail_errno(err, csv->failed_number, "cannot add to '%s': an earlier write failed",
                          csv->path);
}

/* Opens the file again if the program has closed its descriptor, and continues at its end. */
static bool hold(tacho_csv *csv)
{
    return tch_owned_holds(&csv->file.file) ||
           (tch_owned_regain(&csv->file.file, AT_FDCWD, csv->absolute, O_WRONLY | O_APPEND) &&
            lseek(csv->file.file.fd, 0, SEEK_END) >= 0);
}

/* Writes whole chunks, or everything when `least` is 0, and moves the rest to the front. */
static int write_chunks(tacho_csv *csv, size_t least, tacho_error *err)
{
    TCH_NO_CANCEL;
    size_t done = least == 0 ? csv->len : csv->len / CHUNK * CHUNK;
    int status;

    if (done == 0)
        return 0;
    if (csv->whole)
        status = tch_replace_write(&csv->file, csv->text, done, err);
    else if (!hold(csv))
        status = tch_owned_fail(csv->path, err);
    else
        status = tch_write_all(csv->file.file.fd, csv->path, csv->text, done, err);
    if (status < 0) {
        csv->failed = status;
        csv->failed_number = errno;
        return status;
    }
    csv->len -= done;
    memmove(csv->text, csv->text + done, csv->len);
    return 0;
}

/* Takes the columns of a file that exists. An unknown header counts as the whole one. */
static void keep_columns(tacho_csv *csv, int fd)
{
    const char *shorter = csv->kind->short_header;
    char head[64];

    csv->count = csv->kind->count;
    if (shorter && strlen(shorter) <= sizeof head &&
        pread(fd, head, strlen(shorter), 0) == (ssize_t)strlen(shorter) &&
        memcmp(head, shorter, strlen(shorter)) == 0)
        csv->count = csv->kind->short_count;
}

/* Opens the file to append rows. Adds a line end after a truncated last row. */
static int open_append(tacho_csv *csv, tacho_error *err)
{
    struct stat st;
    char last = '\n';
    int fd = tch_owned_take(&csv->file.file,
                            open(csv->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));

    if (fd < 0 || fstat(fd, &st) < 0)
        return tch_fail_errno(err, errno, "cannot open '%s'", csv->path);
    if (st.st_size == 0)
        return 0;
    if (S_ISREG(st.st_mode) && pread(fd, &last, 1, st.st_size - 1) < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", csv->path);
    keep_columns(csv, fd);
    csv->len = 0; /* the file has its header already */
    if (last != '\n')
        csv->text[csv->len++] = '\n';
    return 0;
}

static int open_file(tacho_csv *csv, enum tacho_csv_mode mode, tacho_error *err)
{
    if (mode == TACHO_CSV_WHOLE)
        return tch_replace_open(&csv->file, csv->path, err);
    if (mode == TACHO_CSV_APPEND)
        return open_append(csv, err);
    if (tch_owned_take(&csv->file.file,
                       open(csv->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
        return tch_fail_errno(err, errno, "cannot write '%s'", csv->path);
    return 0;
}

static void release(tacho_csv *csv)
{
    if (csv->whole)
        tch_replace_abort(&csv->file);
    else
        tch_owned_close(&csv->file.file);
    free(csv);
}

static int open_csv(const char *path, enum tacho_csv_kind kind, bool shorter,
                    enum tacho_csv_mode mode, tacho_csv **ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    const struct tch_csv_kind *k = tch_csv_kind(kind);
    const char *header;
    tacho_csv *csv;
    int status;

    if (!k || mode < TACHO_CSV_WHOLE || mode > TACHO_CSV_APPEND)
        return tch_fail(err, TACHO_EINVAL, 0, "there is no CSV file of kind %d, or no mode %d",
                        kind, mode);
    if (strlen(path) >= sizeof csv->path)
        return tch_fail(err, TACHO_EINVAL, 0, "the path of a CSV file is too long");
    csv = malloc(sizeof *csv);
    if (!csv)
        return tch_fail_memory(err);
    csv->kind = k;
    csv->failed = 0;
    csv->whole = false;
    csv->file.file = TCH_OWNED_NONE;
    csv->count = shorter ? k->short_count : k->count;
    header = shorter ? k->short_header : k->header;
    csv->len = strlen(header);
    memcpy(csv->text, header, csv->len);
    memcpy(csv->path, path, strlen(path) + 1);
    status = tch_absolute_path(csv->absolute, path) < 0
                 ? tch_fail_errno(err, errno, "cannot write '%s'", path)
                 : tch_mkdirs_above(csv->path, err);
    if (status == 0)
        status = open_file(csv, mode, err);
    csv->whole = status == 0 && mode == TACHO_CSV_WHOLE;
    if (status < 0)
        release(csv);
    else
        *ret = csv;
    return status;
}

int tacho_csv_open(const char *path, enum tacho_csv_kind kind, enum tacho_csv_mode mode,
                   tacho_csv **ret, tacho_error *err)
{
    return open_csv(path, kind, false, mode, ret, err);
}

const char *const tch_csv_columns_names[] = {
    [TCH_CSV_SHORT] = "short", [TCH_CSV_REFERENCE] = "reference", NULL};

int tch_csv_open_memory(const char *path, enum tch_csv_columns columns, enum tacho_csv_mode mode,
                        tacho_csv **ret, tacho_error *err)
{
    return open_csv(path, TACHO_CSV_MEMORY, columns == TCH_CSV_SHORT, mode, ret, err);
}

static void add_u64(tacho_csv *csv, uint64_t value)
{
    csv->len += tch_u64_text(csv->text + csv->len, value);
}

/* Checks that a row of that kind can be added. */
static int check_row(tacho_csv *csv, enum tacho_csv_kind kind, size_t text_len, tacho_error *err)
{
    if (csv->failed)
        return fail_again(csv, err);
    if (csv->kind != tch_csv_kind(kind))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "'%s' has rows of %s.csv; rows of another kind cannot be added", csv->path,
                        csv->kind->file);
    if (text_len > TEXT_MAX)
        return tch_fail(err, TACHO_ELIMIT, 0,
                        "a text of %zu bytes is too long for a row of '%s' (limit: %d bytes)",
                        text_len, csv->path, TEXT_MAX);
    return 0;
}

static int end_row(tacho_csv *csv, tacho_error *err)
{
    csv->text[csv->len++] = '\n';
    return csv->len >= CHUNK ? write_chunks(csv, CHUNK, err) : 0;
}

/* Adds a row of any kind, by its columns. */
static int add_row(tacho_csv *csv, enum tacho_csv_kind kind, const void *row, size_t text_len,
                   tacho_error *err)
{
    int status = check_row(csv, kind, text_len, err);

    if (status < 0)
        return status;
    for (unsigned c = 0; c < csv->count; c++) {
        const struct tch_csv_column *column = &csv->kind->columns[c];
        const char *field = (const char *)row + column->offset;

        if (c > 0)
            csv->text[csv->len++] = ',';
        if (column->type == TCH_CSV_U64)
            add_u64(csv, *(const uint64_t *)(const void *)field);
        else if (column->type == TCH_CSV_F64)
            csv->len += tch_f64_plain(csv->text + csv->len, *(const double *)(const void *)field);
        else
            csv->len += tch_csv_put(csv->text + csv->len, *(const char *const *)(const void *)field,
                                    text_len);
    }
    return end_row(csv, err);
}

/* Returns the length of a text whose caller may have left it out. */
static size_t text_length(const char *text, size_t len)
{
    return len == 0 && text ? strnlen(text, TEXT_MAX + 1) : len;
}

int tacho_csv_add_result(tacho_csv *csv, const tacho_csv_result *row, tacho_error *err)
{
    return add_row(csv, TACHO_CSV_RESULTS, row, text_length(row->setting, row->setting_len), err);
}

/* Adds a row of latency.csv. There may be millions of these, so this function does without the
   table of columns. */
static int add_latency(tacho_csv *csv, enum tacho_csv_kind kind, const uint64_t cells[4],
                       tacho_error *err)
{
    int status = check_row(csv, kind, 0, err);

    if (status < 0)
        return status;
    for (int i = 0; i < 4; i++) {
        if (i > 0)
            csv->text[csv->len++] = ',';
        add_u64(csv, cells[i]);
    }
    return end_row(csv, err);
}

int tacho_csv_add_latency(tacho_csv *csv, const tacho_csv_latency *row, tacho_error *err)
{
    return add_latency(
        csv, TACHO_CSV_LATENCY,
        (uint64_t[]){row->sample_id, row->wall_time_us, row->kernel_time_us, row->seq_len}, err);
}

int tacho_csv_add_latency_ns(tacho_csv *csv, const tacho_csv_latency_ns *row, tacho_error *err)
{
    return add_latency(csv, TACHO_CSV_LATENCY_NS,
                       (uint64_t[]){row->sample_id, row->wall_ns, row->kernel_ns, row->seq_len},
                       err);
}

int tacho_csv_add_memory(tacho_csv *csv, const tacho_csv_memory *row, tacho_error *err)
{
    return add_row(csv, TACHO_CSV_MEMORY, row, 0, err);
}

int tacho_csv_add_power(tacho_csv *csv, const tacho_csv_power *row, tacho_error *err)
{
    return add_row(csv, TACHO_CSV_POWER, row, text_length(row->source, row->source_len), err);
}

int tacho_csv_add_memory_detail(tacho_csv *csv, const tacho_csv_memory_detail *row,
                                tacho_error *err)
{
    return add_row(csv, TACHO_CSV_MEMORY_DETAIL, row, text_length(row->key, row->key_len), err);
}

_Static_assert((int)TACHO_CSV_FLOAT == (int)TCH_PLAIN_TEXT + 1, "the text and a NUL");

const char *tacho_csv_float(char ret[TACHO_CSV_FLOAT], double value)
{
    ret[tch_f64_plain(ret, value)] = '\0';
    return ret;
}

int tacho_csv_flush(tacho_csv *csv, tacho_error *err)
{
    return csv->failed ? fail_again(csv, err) : write_chunks(csv, 0, err);
}

int tacho_csv_close(tacho_csv *csv, tacho_error *err)
{
    TCH_NO_CANCEL;
    int status = tacho_csv_flush(csv, err);

    if (status == 0 && csv->whole) {
        status = tch_replace_commit(&csv->file, err);
        csv->whole = false;
    } else if (status == 0) {
        /* Some file systems report a full disk only now. */
        if (tch_owned_close(&csv->file.file) < 0)
            status = tch_fail_errno(err, errno, "cannot write '%s'", csv->path);
    }
    release(csv);
    return status;
}

void tacho_csv_discard(tacho_csv *csv)
{
    TCH_NO_CANCEL;

    if (csv)
        release(csv);
}

int tch_csv_open_in_run(enum tacho_csv_kind kind, tacho_csv **ret, tacho_error *err)
{
    static atomic_uint opened[TCH_CSV_KINDS];
    const char *folder = secure_getenv("TACHO_RUN_DIR");
    unsigned number;
    struct tch_buf path;
    int status;

    *ret = NULL;
    if (!folder || !folder[0])
        return 0;
    number = atomic_fetch_add(&opened[kind], 1) + 1;
    tch_buf_init(&path, PATH_MAX);
    tch_buf_addf(&path, "%s/%s.%ld", folder, tch_csv_kind(kind)->file, (long)getpid());
    if (number > 1)
        tch_buf_addf(&path, ".%u", number);
    tch_buf_adds(&path, ".csv");
    if (path.failed)
        status = tch_fail(err, TACHO_EINVAL, 0, "TACHO_RUN_DIR is too long");
    else
        status = tacho_csv_open(path.data, kind, TACHO_CSV_STREAM, ret, err);
    tch_buf_release(&path);
    return status;
}
