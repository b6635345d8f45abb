/* Tests of the option parser that the golden files do not cover: what it returns to a command. */
#include "support/test.h"

#include "cli/core/opt.h"

enum { FORMAT, OUTPUT, STRICT };

static const char *const formats[] = {"csv", "jsonl", NULL};

static const struct opt opts[] = {
    {.id = FORMAT, .name = "format", .letter = 'f', .arg = "F", .help = "", .choices = formats},
    {.id = OUTPUT, .name = "output", .letter = 'o', .arg = "FILE", .help = ""},
    {.id = STRICT, .name = "strict", .letter = 's', .help = ""},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE", .help = "", .many = true, .optional = true},
    {.name = NULL},
};

static int run_nothing(struct args *args)
{
    (void)args;
    return EXIT_OK;
}

static const struct cmd cmd = {.name = "c", .opts = opts, .args = operands, .run = run_nothing};
static const struct cmd runner = {.name = "r",
                                  .opts = opts,
                                  .args = operands,
                                  .run = run_nothing,
                                  .json = true,
                                  .runs_program = true};

/* Parses blank-separated words; text must outlive args. */
static int parse(struct args *args, const struct cmd *which, char *text, char **words)
{
    size_t n = 0;
    char *rest = text;
    char *word;

    while ((word = strsep(&rest, " ")))
        words[n++] = word;
    words[n] = NULL;
    *args = (struct args){.root = which, .cmd = which, .path = "tacho c"};
    return cli_parse_args(args, words);
}

static void gives_options_in_order_with_values(void **state)
{
    char text[] = "-sfcsv a --output x --quiet b --format=jsonl";
    char *words[16];
    struct args args;

    (void)state;
    assert_int_equal(parse(&args, &cmd, text, words), EXIT_OK);
    assert_int_equal(cli_next_opt(&args)->id, STRICT);
    assert_null(args.value);
    assert_int_equal(cli_next_opt(&args)->id, FORMAT);
    assert_string_equal(args.value, "csv");
    assert_int_equal(cli_next_opt(&args)->id, OUTPUT);
    assert_string_equal(args.value, "x");
    assert_int_equal(cli_next_opt(&args)->id, FORMAT);
    assert_string_equal(args.value, "jsonl");
    assert_null(cli_next_opt(&args));
    assert_null(cli_next_opt(&args)); /* the end is final */
    assert_true(args.quiet);
    assert_int_equal(args.count, 2);
    assert_string_equal(args.operands[0], "a");
    assert_string_equal(args.operands[1], "b");
    assert_null(args.operands[2]);
    cli_release_args(&args);
}

static void passes_the_words_of_a_program_unchanged(void **state)
{
    char text[] = "--json -o x -- prog -s --bogus";
    char *words[16];
    struct args args;

    (void)state;
    assert_int_equal(parse(&args, &runner, text, words), EXIT_OK);
    assert_true(args.json);
    assert_int_equal(cli_next_opt(&args)->id, OUTPUT);
    assert_null(cli_next_opt(&args));
    assert_int_equal(args.count, 3);
    assert_string_equal(args.operands[2], "--bogus");
    cli_release_args(&args);
}

static void help_comes_before_missing_arguments(void **state)
{
    static const struct arg needed[] = {{.name = "FILE", .help = ""}, {.name = NULL}};
    const struct cmd needy = {.name = "n", .args = needed, .run = run_nothing};
    char text[] = "--help";
    char *words[16];
    struct args args;

    (void)state;
    assert_int_equal(parse(&args, &needy, text, words), EXIT_OK);
    assert_true(args.help);
    cli_release_args(&args);
}

static void lists_its_own_options_before_the_common_ones(void **state)
{
    struct opt_walk w = {.cmd = &runner};
    struct opt_walk without_json = {.cmd = &cmd};
    const struct opt *opt;
    bool json = false;

    (void)state;
    assert_string_equal(cli_walk_opts(&w)->name, "format");
    assert_string_equal(cli_walk_opts(&w)->name, "output");
    assert_string_equal(cli_walk_opts(&w)->name, "strict");
    assert_string_equal(cli_walk_opts(&w)->name, "json");
    while ((opt = cli_walk_opts(&without_json)))
        json |= strcmp(opt->name, "json") == 0;
    assert_false(json);
}

static void takes_width_and_color_for_both_streams(void **state)
{
    char text[] = "--width 33 --color=always";
    char *words[16];
    struct args args;

    (void)state;
    assert_int_equal(parse(&args, &cmd, text, words), EXIT_OK);
    assert_int_equal(args.out.width, 33);
    assert_int_equal(args.err.width, 33);
    assert_true(args.out.color);
    cli_release_args(&args);
}

static void says_when_memory_runs_out(void **state)
{
    char text[] = "a";
    char *words[16];
    struct args args;
    int status;

    (void)state;
    test_alloc_fail_after(0);
    status = parse(&args, &cmd, text, words);
    test_alloc_fail_after(-1);
    assert_int_equal(status, EXIT_WORK);
    cli_release_args(&args);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_options_in_order_with_values),
        cmocka_unit_test(passes_the_words_of_a_program_unchanged),
        cmocka_unit_test(help_comes_before_missing_arguments),
        cmocka_unit_test(lists_its_own_options_before_the_common_ones),
        cmocka_unit_test(takes_width_and_color_for_both_streams),
        cmocka_unit_test(says_when_memory_runs_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
