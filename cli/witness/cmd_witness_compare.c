/* tacho witness compare: checks whether two runs made the same decisions. */
#include "kit/witness/witness_json.h"

#include "cli/core/table.h"
#include "cli/core/term.h"
#include "cmd_witness_parts.h"

enum { OUT_MAX = 1 << 20 };

static void add_text(struct tch_buf *b, const struct term *term,
                     const struct tch_witness_comparison *c, char *const *paths)
{
    static const struct column columns[] = {{.title = "entries that differ in"},
                                            {.title = "", .right = true},
                                            {.title = "of", .right = true}};
    const struct {
        const char *name;
        uint64_t count;
    } rows[] = {{"inputs (q_hash, k_hash)", c->inputs},
                {"settings (lambda, tau, eps)", c->settings},
                {"decisions (keep_mask)", c->masks},
                {"decisions (cut_cost)", c->costs}};
    struct table t;

    tch_buf_addf(b, "A: %s, %llu entries\nB: %s, %llu entries\n\n", paths[0],
                 (unsigned long long)c->entries[0], paths[1], (unsigned long long)c->entries[1]);
    cli_table_init(&t, term, columns, 3);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cli_table_add(&t, PLAIN, rows[i].name);
        cli_table_addf(&t, rows[i].count > 0 ? RED : GREEN, "%llu",
                       (unsigned long long)rows[i].count);
        cli_table_addf(&t, PLAIN, "%llu", (unsigned long long)c->compared);
    }
    cli_table_print(&t, b);
    cli_table_release(&t);
    if (c->first_line[0] > 0)
        tch_buf_addf(b, "\nthe first difference is in line %llu of %s%sA and line %llu of %s%sB\n",
                     (unsigned long long)c->first_line[0], c->first_log[0],
                     c->first_log[0][0] ? " in " : "", (unsigned long long)c->first_line[1],
                     c->first_log[1], c->first_log[1][0] ? " in " : "");
    else if (tch_witness_same(c))
        tch_buf_adds(b, "\nthe same inputs led to the same decisions\n");
    else
        tch_buf_adds(b, "\none has more entries than the other\n");
}

static int run_compare(struct args *args)
{
    struct tch_witness_comparison c;
    struct tch_buf b;
    tacho_error err;

    (void)cli_next_opt(args);
    if (tch_witness_compare(args->operands[0], args->operands[1], &c, &err) < 0) {
        cli_complain(&err, "cannot compare '%s'", args->operands[c.bad]);
        return err.code == TACHO_EPARSE ? EXIT_CHECK : EXIT_WORK;
    }
    for (int i = 0; i < 2; i++)
        if (!c.closed[i])
            cli_warn("'%s' was not closed; entries at its end may be missing", args->operands[i]);
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        tch_witness_comparison_json(&b, &c, args->operands);
    else if (!args->quiet)
        add_text(&b, &args->out, &c, args->operands);
    if (cli_print(&b) != EXIT_OK)
        return EXIT_WORK;
    return tch_witness_same(&c) ? EXIT_OK : EXIT_CHECK;
}

static const struct arg operands[] = {
    {.name = "A", .help = "a log or a bundle", .complete = COMPLETE_FILE},
    {.name = "B", .help = "another log or bundle", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "they differ, or one of them is invalid"},
    {0, NULL},
};

static const struct example examples[] = {
    {"tacho witness compare here.jsonl there.jsonl",
     "Check whether the same inputs led to the same decisions on two machines."},
    {NULL, NULL},
};

const struct cmd cmd_witness_compare = {
    .name = "compare",
    .summary = "check whether the same inputs led to the same decisions",
    .usage = "tacho witness compare [--json] A B",
    .about = "Checks two logs or bundles, then compares them entry by entry, in order. Ignores "
             "timestamps, and the hashes of the chain, which depend on them.",
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_compare,
};
