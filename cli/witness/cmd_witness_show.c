/* tacho witness show: shows the contents of a log, a bundle or a seal. */
#include <math.h>
#include <stdlib.h>

#include "base/float_text.h"
#include "base/json_write.h"
#include "cli/core/table.h"
#include "cli/core/term.h"
#include "cmd_witness_parts.h"
#include "kit/file/found_file.h"
#include "kit/result/run_folder.h"
#include "kit/text/human_number.h"
#include "kit/witness/folder_seal.h"
#include "kit/witness/witness_json.h"

enum { OUT_MAX = 1 << 30, SEAL_MAX = 1 << 30, TOP_DEFAULT = 20, SHORT_HASH = 12 };

static void add_f32(struct table *t, float value)
{
    char text[TCH_FLOAT_TEXT];

    cli_table_addf(t, PLAIN, "%.*s", (int)tch_f32_json(text, value), text);
}

static void add_row(struct table *t, const tacho_witness_entry *e, const tacho_witness_reader *r)
{
    size_t n = tch_witness_kept(e);

    cli_table_addf(t, PLAIN, "%llu", (unsigned long long)tacho_witness_reader_line(r));
    cli_table_addf(t, PLAIN, "%.*s", SHORT_HASH, e->q_hash);
    cli_table_addf(t, PLAIN, "%.*s", SHORT_HASH, e->k_hash);
    cli_table_addf(t, PLAIN, "%zu/%zu", n, e->keep_count);
    cli_table_addf(t, PLAIN, "%.1f %%",
                   e->keep_count > 0 ? 100 * (double)n / (double)e->keep_count : 0.0);
    add_f32(t, e->cut_cost);
    add_f32(t, e->lambda);
    cli_table_addf(t, PLAIN, "%llu", (unsigned long long)e->tau);
    add_f32(t, e->eps);
    cli_table_addf(t, PLAIN, "%llu", (unsigned long long)e->timestamp);
}

/* Adds a line with the name of the log before its first entry that is shown. */
static void add_log_name(struct table *t, const tacho_witness_reader *r, uint64_t *segment)
{
    if (tacho_witness_reader_segment(r) != *segment)
        cli_table_line(t, 0, BOLD, tacho_witness_reader_log_name(r));
    *segment = tacho_witness_reader_segment(r);
}

static void add_head(struct tch_buf *b, const char *path, const tacho_witness_reader *r)
{
    unsigned long long logs = tacho_witness_reader_log_count(r);
    unsigned long long entries = tacho_witness_reader_entry_count(r);

    switch (tacho_witness_reader_kind(r)) {
    case TACHO_WITNESS_RVF:
        tch_buf_addf(b,
                     "%s: RVF of another program, %llu segments, %llu with %llu witness entries\n",
                     path, (unsigned long long)tacho_witness_reader_segment(r), logs, entries);
        break;
    case TACHO_WITNESS_BUNDLE:
        tch_buf_addf(b, "%s: bundle of %llu logs, %llu entries\n", path, logs, entries);
        tch_buf_addf(b, "config       %s\n             %s\n", tacho_witness_reader_config_hash(r),
                     tacho_witness_reader_config(r));
        tch_buf_addf(b, "environment  %s\n             %s\n",
                     tacho_witness_reader_environment_hash(r), tacho_witness_reader_environment(r));
        break;
    default:
        tch_buf_addf(b, "%s: log of %llu entries%s\n", path, entries,
                     tacho_witness_reader_is_closed(r) ? "" : ", not closed");
    }
    tch_buf_addf(b, "last hash    %s\n", tacho_witness_reader_hash(r));
}

static int print_log(const struct args *args, const char *path, const tacho_witness_reader *r,
                     struct table *t, const struct tch_buf *json, uint64_t top)
{
    uint64_t entries = tacho_witness_reader_entry_count(r);
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    if (args->json) {
        tch_witness_show_json(&b, path, r, json);
        return cli_print(&b);
    }
    add_head(&b, path, r);
    if (tacho_witness_reader_kind(r) == TACHO_WITNESS_RVF)
        return cli_print(&b);
    tch_buf_addc(&b, '\n');
    cli_table_print(t, &b);
    if (entries > top)
        tch_buf_addf(&b, "... and %llu more; --top %llu shows all\n",
                     (unsigned long long)(entries - top), (unsigned long long)entries);
    return cli_print(&b);
}

static const struct column entry_columns[] = {
    {.title = "line", .right = true},
    {.title = "q_hash"},
    {.title = "k_hash"},
    {.title = "kept", .right = true},
    {.title = "", .right = true},
    {.title = "cut_cost", .right = true},
    {.title = "lambda", .right = true},
    {.title = "tau", .right = true},
    {.title = "eps", .right = true},
    {.title = "timestamp", .right = true},
};

static int show_file(struct args *args, const char *path, uint64_t top)
{
    tacho_witness_reader *r = NULL;
    tacho_witness_entry entry;
    struct tch_buf json;
    struct table t;
    uint64_t segment = 0;
    tacho_error err;
    int status;
    int more = tacho_witness_reader_open(path, &r, &err);

    tch_buf_init(&json, OUT_MAX);
    cli_table_init(&t, &args->out, entry_columns, sizeof entry_columns / sizeof entry_columns[0]);
    tch_json_begin_array(&json);
    for (uint64_t n = 0; more >= 0; n++) {
        more = tacho_witness_next(r, &entry, &err);
        if (more <= 0)
            break;
        if (n < top && args->json) {
            tch_witness_entry_json(&json, &entry, r);
        } else if (n < top) {
            add_log_name(&t, r, &segment);
            add_row(&t, &entry, r);
        }
    }
    tch_json_end_array(&json);
    if (more < 0) {
        cli_complain(&err, "cannot show '%s'", path);
        status = err.code == TACHO_EPARSE ? EXIT_CHECK : EXIT_WORK;
    } else {
        status = print_log(args, path, r, &t, &json, top);
    }
    cli_table_release(&t);
    tch_buf_release(&json);
    tacho_witness_reader_close(r);
    return status;
}

/* Shows a seal as a table of its files; it is short enough. */
static int show_seal(struct args *args, const char *folder)
{
    static const struct column columns[] = {
        {.title = "file"}, {.title = "size", .right = true}, {.title = "sha256"}};
    struct tch_seal_line *lines = NULL;
    size_t count = 0;
    char hash[TCH_SHA256_HEX];
    struct tch_buf b;
    struct table t;
    tacho_error err;

    tch_buf_init(&b, SEAL_MAX);
    if (tch_found_read(folder, TCH_SEAL_FILE, SEAL_MAX, &b, &err) < 0 ||
        tch_seal_parse(b.data, b.len, &lines, &count, hash, &err) < 0) {
        cli_complain(&err, "cannot show the seal of '%s'", folder);
        tch_buf_release(&b);
        return err.code == TACHO_EPARSE ? EXIT_CHECK : EXIT_WORK;
    }
    if (args->json)
        return cli_print(&b); /* the seal is JSON already, one line per file */
    tch_buf_clear(&b);
    tch_buf_addf(&b, "%s: sealed, %zu files\nlast hash    %s\n\n", folder, count, hash);
    cli_table_init(&t, &args->out, columns, 3);
    for (size_t i = 0; i < count; i++) {
        cli_table_add(&t, PLAIN, lines[i].file);
        tch_add_value(cli_table_cell(&t, PLAIN), TCH_BYTES, (double)lines[i].bytes);
        cli_table_add(&t, PLAIN, lines[i].sha256);
    }
    cli_table_print(&t, &b);
    cli_table_release(&t);
    tch_seal_free(lines, count);
    return cli_print(&b);
}

static int run_show(struct args *args)
{
    uint64_t top = TOP_DEFAULT;
    int status = cli_set_opts(args, &top, NULL);

    if (status != EXIT_OK)
        return status;
    if (cli_witness_kind_at(args->operands[0]) == WITNESS_SEALED)
        return show_seal(args, args->operands[0]);
    return show_file(args, args->operands[0], top);
}

static const struct opt opts[] = {
    {.name = "top",
     .letter = 'n',
     .arg = "N",
     .help = "show the first N entries (default 20)",
     .set = &(const struct tch_setting){.kind = TCH_SET_U64, .most = 1000000000},
     .rule = "--top needs a number of entries"},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "PATH", .help = "a log, a bundle or a sealed folder", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "the log, bundle or seal is invalid"},
    {0, NULL},
};

static const struct example examples[] = {
    {"tacho witness show witness.rvf",
     "Show the configuration, the machine and the first decisions."},
    {NULL, NULL},
};

const struct cmd cmd_witness_show = {
    .name = "show",
    .summary = "show the contents of a log, a bundle or a seal",
    .usage = "tacho witness show [--top N] [--json] PATH",
    .about = "Reads and checks everything, then shows the entries. For each keep_mask it shows the "
             "share that is kept; the masks themselves are in the file. With --json, a seal is "
             "printed as it is.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_show,
};
