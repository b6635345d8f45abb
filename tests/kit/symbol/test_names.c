/* Tests the names of frames with the table names.tsv, and with hostile names. */
#include "support/test.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/lines.h"
#include "kit/symbol/frame_name.h"
#include "kit/symbol/symbol_demangle.h"

enum { TABLE_MAX = 1 << 20, NAME_MAX_BYTES = 4 << 20 };

/* Returns the name of a frame, which the caller frees. */
static char *frame_name(struct tch_span symbol)
{
    struct tch_buf b;
    char *name;

    tch_buf_init(&b, NAME_MAX_BYTES);
    tch_add_symbol(&b, symbol);
    assert_false(b.failed);
    name = tch_buf_take(&b);
    tch_buf_release(&b);
    return name;
}

static size_t check_name(struct tch_span symbol, struct tch_span wanted, size_t line)
{
    char *name = frame_name(symbol);
    bool same = tch_span_is(wanted, name);

    if (!same)
        print_error("names.tsv:%zu: '%.*s'\n  is named  '%s'\n  should be '%.*s'\n", line,
                    (int)symbol.len, symbol.p, name, (int)wanted.len, wanted.p);
    free(name);
    return !same;
}

/* Demangles a symbol of Rust's v0 form. C++ is demangled by a library, whose text may differ
   between versions. */
static size_t check_rust(struct tch_span mangled, struct tch_span wanted, size_t line)
{
    char *symbol = strndup(mangled.p, mangled.len);
    char *text = tch_demangle(symbol);
    bool same = text && tch_span_is(wanted, text);

    if (!same)
        print_error("names.tsv:%zu: '%s'\n  is        '%s'\n  should be '%.*s'\n", line, symbol,
                    text ? text : "", (int)wanted.len, wanted.p);
    free(symbol);
    free(text);
    return !same;
}

static struct tch_span next_field(struct tch_span *row)
{
    const char *tab = memchr(row->p, '\t', row->len);
    struct tch_span field = {row->p, tab ? (size_t)(tab - row->p) : row->len};
    size_t used = field.len + (tab ? 1 : 0);

    *row = (struct tch_span){row->p + used, row->len - used};
    return field;
}

static void names_as_in_the_table(void **state)
{
    struct tch_buf text;
    struct tch_lines lines;
    struct tch_line line;
    size_t rows = 0;
    size_t wrong = 0;

    (void)state;
    tch_buf_init(&text, TABLE_MAX);
    assert_int_equal(tch_file_read(NAMES_TABLE, TABLE_MAX, &text, NULL), 0);
    tch_lines_init_mem(&lines, text.data, text.len, 0);
    while (tch_lines_next(&lines, &line, NULL) > 0) {
        struct tch_span row = {line.text, line.len};
        struct tch_span mangled = next_field(&row);
        struct tch_span demangled = next_field(&row);

        if (tch_span_starts(mangled, "#"))
            continue;
        rows++;
        if (tch_span_starts(mangled, "_R"))
            wrong += check_rust(mangled, demangled, line.number);
        wrong += check_name(demangled, row, line.number);
        /* perf prints names without arguments. */
        wrong += check_name(row, row, line.number);
    }
    tch_lines_release(&lines);
    tch_buf_release(&text);
    assert_true(rows > 400);
    assert_int_equal(wrong, 0);
}

/* Repeats a text, names it, and returns the length of the name. Time that grows with the square of
   the length would last minutes. */
static size_t length_of_many(const char *text)
{
    size_t len = strlen(text);
    size_t size = 1 << 20;
    char *many = malloc(size);
    char *name;

    assert_non_null(many);
    for (size_t i = 0; i < size; i++)
        many[i] = text[i % len];
    name = frame_name((struct tch_span){many, size});
    len = strlen(name);
    free(name);
    free(many);
    return len;
}

static void hostile_names_take_linear_time(void **state)
{
    static const char *const texts[] = {
        "(",          "<",       "{",        "[",        ")",         ">",         "f(",
        "f()::",      "f<",      "->",       "operator", "operator<", "operator ", " (*f(",
        " (*(",       "((((x)(", "'('",      " const",   "f() &",     "()",        "operator x()(",
        "decltype (", "$u7b$",   " [clone ", "for ",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(length_of_many(texts[i]) <= 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_as_in_the_table),
        cmocka_unit_test(hostile_names_take_linear_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
