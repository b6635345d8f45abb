/* Tests of tables in Markdown and HTML. tests/cli/test_table.c tests them on a terminal. */
#include "support/test.h"

#include "kit/text/table_forms.h"

static const struct tch_table_column columns[] = {
    {.title = "name"},
    {.title = "A < B", .right = true},
    {.title = "only HTML", .in = TCH_IN_HTML, .css = "words"},
};

static void fill(struct tch_buf *b, struct tch_table_form form)
{
    struct tch_table t;

    tch_table_init(&t, b, form, columns, 3);
    t.row = "best";
    tch_table_add(&t, TCH_TONE_BOLD, "a | <b>");
    tch_table_value(&t, TCH_TONE_PLAIN, TCH_NS, 1500);
    tch_buf_adds(tch_table_markup(&t), "<i>x</i>");
    tch_table_add(&t, TCH_TONE_PLAIN, "c");
    tch_table_add(&t, TCH_TONE_PLAIN, "");
    tch_buf_addf(tch_table_attributes(&t), "data-v=\"%d\"", 7);
    tch_table_add(&t, TCH_TONE_PLAIN, "7");
    tch_table_end(&t);
}

static void html_escapes_and_frames_all_cells(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 4096);
    fill(&b, tch_table_html);
    assert_string_equal(b.data,
                        "<div class=\"wide\"><table><tr><th>name</th><th>A &lt; B</th>"
                        "<th class=\"words\">only HTML</th></tr>\n"
                        "<tr class=\"best\"><td>a | &lt;b&gt;</td><td>1.500 us</td>"
                        "<td class=\"words\"><i>x</i></td></tr>\n"
                        "<tr><td>c</td><td></td><td data-v=\"7\">7</td></tr>\n</table></div>\n");
    tch_buf_release(&b);
}

static void markdown_leaves_out_columns_of_other_forms(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 4096);
    fill(&b, tch_table_md);
    assert_string_equal(b.data, "| name | A < B |\n| --- | ---: |\n"
                                "| a \\| \\<b\\> | 1.500 us |\n"
                                "| c |  |\n");
    tch_buf_release(&b);
}

/* A cell that is too large fails the whole output, even in a column that the form does not have. */
static void a_lost_cell_fails_the_output(void **state)
{
    char large[200];
    struct tch_table t;
    struct tch_buf b;

    (void)state;
    memset(large, 'x', sizeof large);
    tch_buf_init(&b, 100);
    tch_table_init(&t, &b, tch_table_md, columns, 3);
    tch_table_add(&t, TCH_TONE_PLAIN, "a");
    tch_table_add(&t, TCH_TONE_PLAIN, "b");
    tch_buf_add(tch_table_cell(&t, TCH_TONE_PLAIN), large, sizeof large);
    assert_true(b.failed);
    tch_table_end(&t);
    assert_true(b.failed);
    tch_buf_release(&b);
}

static int fill_once(void *arg)
{
    const struct tch_table_form *form = arg;
    struct tch_buf b;
    bool failed;

    tch_buf_init(&b, 4096);
    fill(&b, *form);
    failed = b.failed;
    assert_true(failed || b.data[b.len - 1] == '\n');
    tch_buf_release(&b);
    return failed ? -1 : 0;
}

static void survives_every_allocation_failing(void **state)
{
    struct tch_table_form forms[] = {tch_table_md, tch_table_html};

    (void)state;
    for (size_t i = 0; i < 2; i++)
        test_every_allocation_fails(fill_once, &forms[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_escapes_and_frames_all_cells),
        cmocka_unit_test(markdown_leaves_out_columns_of_other_forms),
        cmocka_unit_test(a_lost_cell_fails_the_output),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
