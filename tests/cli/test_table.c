/* Tests of tables that fit the terminal. The golden files contain whole tables. */
#include "support/test.h"

#include "cli/core/table.h"

static const struct column wrapping[] = {
    {.fit = FIT_WHOLE},
    {.fit = FIT_WRAP},
    {.right = true},
};

static const char *print(struct table *t)
{
    static char text[1000];
    struct tch_buf b;

    tch_buf_init_on(&b, text, sizeof text, sizeof text - 1);
    cli_table_print(t, &b);
    assert_false(b.failed);
    return text;
}

static void wraps_the_flexible_column(void **state)
{
    const struct term term = {.width = 30};
    struct table t;

    (void)state;
    cli_table_init(&t, &term, wrapping, 3);
    cli_table_add(&t, PLAIN, "first");
    cli_table_add(&t, PLAIN, "a sentence that is too long");
    cli_table_add(&t, PLAIN, "12");
    cli_table_add(&t, PLAIN, "2nd");
    cli_table_add(&t, PLAIN, "short");
    cli_table_addf(&t, PLAIN, "%d", 3);
    assert_string_equal(print(&t), "first  a sentence that is   12\n"
                                   "       too long\n"
                                   "2nd    short                 3\n");
    cli_table_release(&t);
}

static void wraps_nothing_without_a_width(void **state)
{
    const struct term term = {.width = 0};
    struct table t;

    (void)state;
    cli_table_init(&t, &term, wrapping, 3);
    cli_table_add(&t, PLAIN, "x");
    cli_table_add(&t, PLAIN,
                  "a sentence that would be too long for most terminals to show in one line");
    cli_table_add(&t, PLAIN, "1");
    assert_string_equal(
        print(&t),
        "x  a sentence that would be too long for most terminals to show in one line  1\n");
    cli_table_release(&t);
}

/* Columns of KEEP_IF_NAMES_FIT are left out first, then names are wrapped, then other columns are
   left out. */
static void leaves_out_columns_without_room(void **state)
{
    static const struct column columns[] = {
        {.title = "name", .fit = FIT_WRAP},          {.title = "value", .right = true},
        {.title = "interval", .keep = KEEP_IF_ROOM}, {.title = "min", .keep = KEEP_IF_NAMES_FIT},
        {.title = "max", .keep = KEEP_IF_NAMES_FIT},
    };
    static const struct {
        size_t width;
        const char *text;
    } cases[] = {
        {0, "name            value  interval  min  max\nsome long name      5  4 .. 6    1    9\n"},
        {41,
         "name            value  interval  min  max\nsome long name      5  4 .. 6    1    9\n"},
        {40, "name            value  interval  min\nsome long name      5  4 .. 6    1\n"},
        {35, "name            value  interval\nsome long name      5  4 .. 6\n"},
        {28, "name         value  interval\nsome long        5  4 .. 6\nname\n"},
        {18, "name        value\nsome long       5\nname\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct term term = {.width = cases[i].width};
        struct table t;

        cli_table_init(&t, &term, columns, 5);
        cli_table_add(&t, PLAIN, "some long name");
        cli_table_add(&t, PLAIN, "5");
        cli_table_add(&t, PLAIN, "4 .. 6");
        cli_table_add(&t, PLAIN, "1");
        cli_table_add(&t, PLAIN, "9");
        assert_string_equal(print(&t), cases[i].text);
        cli_table_release(&t);
    }
}

static void lines_begin_at_their_column_and_stay_whole(void **state)
{
    const struct term term = {.width = 20};
    struct table t;

    (void)state;
    cli_table_init(&t, &term, wrapping, 2);
    t.indent = 2;
    cli_table_line(&t, 0, PLAIN, "Group");
    cli_table_add(&t, PLAIN, "ab");
    cli_table_add(&t, PLAIN, "cd");
    cli_table_line(&t, 1, PLAIN, "a command that can be copied whole");
    cli_table_line(&t, 0, PLAIN, "");
    cli_table_add(&t, PLAIN, "ef");
    cli_table_add(&t, PLAIN, "gh");
    assert_string_equal(print(&t), "Group\n"
                                   "  ab  cd\n"
                                   "      a command that can be copied whole\n"
                                   "\n"
                                   "  ef  gh\n");
    cli_table_release(&t);
}

static void an_empty_table_prints_nothing(void **state)
{
    const struct term term = {.width = 20};
    struct table t;

    (void)state;
    cli_table_init(&t, &term, wrapping, 3);
    assert_string_equal(print(&t), "");
    cli_table_release(&t);
}

static void an_empty_cell_keeps_its_place(void **state)
{
    const struct term term = {.width = 40};
    struct table t;

    (void)state;
    cli_table_init(&t, &term, wrapping, 3);
    cli_table_add(&t, PLAIN, "");
    cli_table_add(&t, PLAIN, "");
    cli_table_add(&t, PLAIN, "1");
    cli_table_add(&t, PLAIN, "ab");
    cli_table_add(&t, PLAIN, "");
    cli_table_add(&t, PLAIN, "");
    assert_string_equal(print(&t), "      1\nab\n");
    cli_table_release(&t);
}

static void paints_words_and_not_blanks(void **state)
{
    const struct term term = {.width = 40, .color = true};
    struct table t;

    (void)state;
    cli_table_init(&t, &term, wrapping, 2);
    cli_table_add(&t, RED, "a");
    cli_table_add(&t, PLAIN, "b");
    cli_table_add(&t, BOLD, "ccc");
    cli_table_add(&t, GREEN, "");
    assert_string_equal(print(&t), "\033[31ma\033[0m    b\n\033[1mccc\033[0m\n");
    cli_table_release(&t);
}

static bool prints(struct table *t)
{
    struct tch_buf b;
    bool failed;

    tch_buf_init(&b, 1000);
    cli_table_print(t, &b);
    failed = b.failed;
    assert_true(!failed || b.len == 0);
    tch_buf_release(&b);
    return !failed;
}

static void prints_nothing_if_a_part_was_lost(void **state)
{
    const struct term term = {.width = 40};
    struct table t;

    (void)state;
    cli_table_init(&t, &term, wrapping, 2);
    cli_table_add(&t, PLAIN, "a");
    cli_table_add(&t, PLAIN, "b");
    assert_true(prints(&t));
    t.text.failed = true;
    assert_false(prints(&t));
    t.text.failed = false;
    t.cells.failed = true;
    assert_false(prints(&t));
    cli_table_release(&t);
}

static void shows_tables_of_the_kit(void **state)
{
    static const struct tch_table_column columns[] = {
        {.title = "name", .wrap = true},
        {.title = "mean", .in = TCH_IN_HTML},
        {.title = "max", .right = true, .keep = TCH_KEEP_IF_NAMES_FIT},
    };
    const struct term wide = {.width = 40, .color = true, .utf8 = true};
    const struct term narrow = {.width = 12};
    struct cli_text_table text;
    struct tch_table t;
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 1000);
    tch_table_init(&t, &b, cli_text_form(&text, &wide, 2), columns, 3);
    tch_table_add(&t, TCH_TONE_GREEN, "a");
    tch_table_add(&t, TCH_TONE_PLAIN, "1");
    tch_table_add(&t, TCH_TONE_PLAIN, "2");
    tch_table_end(&t);
    assert_string_equal(b.data, "  \033[1mname\033[0m  \033[1mmax\033[0m\n"
                                "  \033[32ma\033[0m       2\n");
    tch_buf_clear(&b);
    tch_table_init(&t, &b, cli_text_form(&text, &narrow, 0), columns, 3);
    tch_table_add(&t, TCH_TONE_GREEN, "two long words");
    tch_table_add(&t, TCH_TONE_PLAIN, "1");
    tch_table_add(&t, TCH_TONE_PLAIN, "2");
    tch_table_end(&t);
    assert_string_equal(b.data, "name\ntwo long\nwords\n");
    tch_buf_release(&b);
}

static int print_one(void *arg)
{
    const struct term term = {.width = 40};
    struct table t;
    struct tch_buf b;
    bool failed;

    (void)arg;
    cli_table_init(&t, &term, wrapping, 3);
    for (int i = 0; i < 100; i++)
        cli_table_addf(&t, PLAIN, "cell %d with some text that is long enough to be wrapped", i);
    tch_buf_init(&b, 1 << 20);
    cli_table_print(&t, &b);
    failed = b.failed;
    cli_table_release(&t);
    tch_buf_release(&b);
    return failed ? -1 : 0;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(print_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wraps_the_flexible_column),
        cmocka_unit_test(wraps_nothing_without_a_width),
        cmocka_unit_test(leaves_out_columns_without_room),
        cmocka_unit_test(lines_begin_at_their_column_and_stay_whole),
        cmocka_unit_test(an_empty_table_prints_nothing),
        cmocka_unit_test(an_empty_cell_keeps_its_place),
        cmocka_unit_test(paints_words_and_not_blanks),
        cmocka_unit_test(prints_nothing_if_a_part_was_lost),
        cmocka_unit_test(shows_tables_of_the_kit),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
