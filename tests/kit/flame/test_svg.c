/* Tests the SVG text: escaping, truncation, colours, completeness. */
#include "support/test.h"

#include "kit/flame/draw/flame_svg.h"
#include "kit/flame/draw/frame_text.h"
#include "kit/flame/draw/palette.h"
#include "profile.h"

static struct tch_span span(const char *text)
{
    return (struct tch_span){text, strlen(text)};
}

static void cut_is(const char *text, size_t columns, const char *wanted)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    tch_xml_cut(&b, span(text), columns);
    assert_string_equal(b.data, wanted);
    tch_buf_release(&b);
}

static void truncated_text_ends_in_an_ellipsis(void **state)
{
    (void)state;
    cut_is("abcdef", 6, "abcdef");
    cut_is("abcdef", 5, "abcd\xe2\x80\xa6");
    cut_is("a<b", 2, "a\xe2\x80\xa6");
    cut_is("abc", 0, "");
    cut_is("\xe6\xbc\xa2\xe5\xad\x97", 4, "\xe6\xbc\xa2\xe5\xad\x97");
    cut_is("\xe6\xbc\xa2\xe5\xad\x97", 3, "\xe6\xbc\xa2\xe2\x80\xa6");
}

static void name_is(const char *text, size_t columns, const char *wanted)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    tch_plain_name(&b, span(text), columns);
    assert_string_equal(b.data, wanted);
    tch_buf_release(&b);
}

/* First the template arguments are left out, then the middle. */
static void long_names_keep_their_ends(void **state)
{
    (void)state;
    name_is("f<int>::g", 9, "f<int>::g");
    name_is("f<int>::g", 8, "f\xe2\x80\xb9\xe2\x80\xa6\xe2\x80\xba::g");
    name_is("f<a<b>, c>::g<d->e>", 18,
            "f\xe2\x80\xb9\xe2\x80\xa6\xe2\x80\xba::g\xe2\x80\xb9\xe2\x80\xa6\xe2\x80\xba");
    name_is("<T as Trait>::method", 19,
            "<T as \xe2\x80\xa6"
            "ait>::method");
    name_is("operator<(int, long)", 10, "ope\xe2\x80\xa6 long)");
    name_is("a<b::c", 5, "a<b:\xe2\x80\xa6");
    name_is("abcdef", 1, "\xe2\x80\xa6");
    name_is("abcdef", 0, "");
    name_is("\xe6\xbc\xa2\xe5\xad\x97", 3, "\xe6\xbc\xa2\xe2\x80\xa6");
}

/* Frames that are left out are in the file, for the script. */
static void narrow_frames_are_packed(void **state)
{
    struct tch_format_options options = {.least_percent = 1};
    const char text[] = "main;f 999\nmain;tiny 1\n";
    char *svg = test_convert(text, strlen(text), NULL, "svg", &options, NULL);

    (void)state;
    assert_null(strstr(svg, "<title>tiny"));
    assert_non_null(strstr(svg, "<metadata class=\"detail\">H4sI"));
    assert_non_null(strstr(svg, "Search finds them, zoom shows them.</text>"));
    free(svg);
    options.least_percent = 0;
    svg = test_convert(text, strlen(text), NULL, "svg", &options, NULL);
    assert_null(strstr(svg, "<metadata"));
    free(svg);
}

static void library_is(const char *name, const char *wanted)
{
    struct tch_span library = tch_library_of(span(name));

    assert_int_equal(library.len, strlen(wanted));
    assert_memory_equal(library.p, wanted, library.len);
}

static void libraries_are_recognised_by_name(void **state)
{
    (void)state;
    library_is("sys_read_[k]", "kernel");
    library_is("[libc.so.6]", "libc.so.6");
    library_is("[libc.so.6 <7f12>]", "libc.so.6");
    library_is("libc.so.6+0x2a30", "libc.so.6");
    library_is("a+0x2g", "program");
    library_is("a+0", "program");
    library_is("libc`read", "libc");
    library_is("org/netty/Channel:.read_[j]", "org/netty");
    library_is("std::sort", "std");
    library_is("<alloc::vec::Vec<T>>::push", "alloc");
    library_is("main", "program");
}

static void languages_are_recognised_by_name(void **state)
{
    static const char *const cases[][2] = {
        {"sys_read_[k]", "kernel"},
        {"main", "C"},
        {"std::sort<int*>", "C++"},
        {"<alloc::vec::Vec<T> as core::ops::Drop>::drop", "Rust"},
        {"net/http.(*Client).Do", "Go"},
        {"org/netty/Channel:.read", "Java"},
        {"Interpreter_[j]", "JIT"},
        {"run.py:12", "Python"},
        {"LazyCompile:~f x.js:3", "JavaScript"},
        {"[libc.so.6]", "unknown"},
        {"gzip+0x5a30", "unknown"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(tch_language_of(span(cases[i][0])), cases[i][1]);
}

static void a_name_keeps_its_colour(void **state)
{
    struct tch_color a = tch_palette_color(TCH_PALETTE_HASH, span("main"));
    struct tch_color b = tch_palette_color(TCH_PALETTE_HASH, span("main_[i]"));
    struct tch_color kernel = tch_palette_color(TCH_PALETTE_HASH, span("main_[k]"));
    struct tch_color more = tch_palette_change(1);
    struct tch_color less = tch_palette_change(-1);

    (void)state;
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.r > a.b && kernel.b > kernel.r);
    assert_true(more.r > more.b && less.b > less.r);
}

/* A frame is coloured by its time including its callees; one that differs by less than sampling
   explains is grey. */
static void changes_are_coloured_by_total(void **state)
{
    const char text[] = "p;words 30 31\np;words;letter 184 487\np;lines 330 321\np;gone 99 0\n";
    char *svg = test_convert(text, strlen(text), NULL, "svg", NULL, NULL);
    const char *words = strstr(svg, "<title>words (214 -> 518 samples, +304 [+216 .. +395])");
    const char *lines = strstr(svg, "<title>lines (330 -> 321 samples, -9 [");

    (void)state;
    assert_non_null(words);
    assert_memory_equal(strstr(words, "class="), "class=\"more\"", 12);
    assert_non_null(lines);
    assert_memory_equal(strstr(lines, "class="), "class=\"same\"", 12);
    assert_non_null(strstr(svg, ">letter, called by words</text>"));
    assert_non_null(strstr(svg, ">gone</text>")); /* only the table can show it */
    free(svg);
}

/* Colours that have a meaning are explained. */
static void the_kernel_has_a_legend(void **state)
{
    const char *const texts[] = {"p;f;sys_read_[k] 5\n", "p;f 5\n", "p;f;sys_read_[k] 5 6\n"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        char *svg = test_convert(texts[i], strlen(texts[i]), NULL, "svg", NULL, NULL);

        assert_int_equal(strstr(svg, ">kernel</text>") != NULL, i == 0);
        free(svg);
    }
}

static void a_picture_is_whole(void **state)
{
    struct tch_format_options options = {
        .least_percent = 1,
        .svg = {.title = "<T>",
                .subtitle = "S&",
                .notes = "N\"",
                .label = "a<b",
                .count_name = "'s",
                .inverted = true,
                .palette = TCH_PALETTE_LANGUAGE,
                .theme = TCH_THEME_DARK},
    };
    const char text[] = "main;f 999\nmain;tiny 1\n";
    char *svg = test_convert(text, strlen(text), NULL, "svg", &options, NULL);

    (void)state;
    assert_memory_equal(svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ", 44);
    assert_non_null(strstr(svg, " data-label=\"a&lt;b\""));
    assert_non_null(strstr(svg, " data-theme=\"dark\""));
    assert_non_null(strstr(svg, " data-inverted=\"1\""));
    assert_non_null(strstr(svg, ">&lt;T&gt;</text>"));
    assert_non_null(strstr(svg, ">S&amp;</text>"));
    assert_non_null(strstr(svg, "<desc>N&quot;</desc>"));
    assert_non_null(strstr(svg, "<title>f (999 &#39;s, 99.90%)</title>"));
    assert_non_null(
        strstr(svg, "1 frames of fewer than 10 &#39;s are not shown; 0.10% of all end"));
    assert_non_null(strstr(svg, ">JavaScript</text>")); /* the legend */
    assert_null(strstr(svg, "tiny"));
    assert_null(strstr(svg, "http://") == strstr(svg, "http://www.w3.org/") ? NULL : svg);
    free(svg);
}

static void an_empty_profile_is_a_picture_too(void **state)
{
    char *svg = test_convert("", 0, NULL, "svg", NULL, NULL);

    (void)state;
    assert_non_null(strstr(svg, "the profile is empty"));
    free(svg);
}

static void a_long_name_is_truncated(void **state)
{
    enum { LONG = 100000 };
    char *text = malloc(LONG + 4);
    char *svg;

    (void)state;
    memset(text, 'x', LONG);
    memcpy(text + LONG, " 1\n", 4);
    svg = test_convert(text, LONG + 3, NULL, "svg", NULL, NULL);
    assert_true(strlen(svg) < 30000);
    free(svg);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_names_keep_their_ends),
        cmocka_unit_test(narrow_frames_are_packed),
        cmocka_unit_test(truncated_text_ends_in_an_ellipsis),
        cmocka_unit_test(libraries_are_recognised_by_name),
        cmocka_unit_test(languages_are_recognised_by_name),
        cmocka_unit_test(a_name_keeps_its_colour),
        cmocka_unit_test(changes_are_coloured_by_total),
        cmocka_unit_test(the_kernel_has_a_legend),
        cmocka_unit_test(a_picture_is_whole),
        cmocka_unit_test(an_empty_profile_is_a_picture_too),
        cmocka_unit_test(a_long_name_is_truncated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
