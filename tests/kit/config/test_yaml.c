/* Tests of YAML settings: accepted values, refused values, and the places that errors name. */
#include "kit/config/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "kit/config/yaml_fields.h"
#include "support/test.h"

struct settings {
    const char *name;
    uint64_t runs;
    uint64_t timeout_ns;
    double tolerance;
    bool required;
    const struct tch_yaml_node *list;
    const struct tch_yaml_node *env;
};

static const struct tch_yaml_field fields[] = {
    TCH_YAML_FIELD("name", tch_yaml_text, struct settings, name),
    TCH_YAML_FIELD("runs", tch_yaml_count, struct settings, runs),
    TCH_YAML_FIELD("timeout", tch_yaml_duration, struct settings, timeout_ns),
    TCH_YAML_FIELD("tolerance", tch_yaml_share, struct settings, tolerance),
    TCH_YAML_FIELD("required", tch_yaml_bool, struct settings, required),
    TCH_YAML_FIELD("list", tch_yaml_list, struct settings, list),
    TCH_YAML_FIELD("env", tch_yaml_map, struct settings, env),
    {.name = "sweep"},
    {.name = NULL},
};

static int take(const char *text, struct tch_yaml *yaml, struct settings *s, tacho_error *err)
{
    int status = tch_yaml_parse(yaml, text, strlen(text), err);

    *s = (struct settings){0};
    return status < 0 ? status : tch_yaml_take(yaml->root, "the file", fields, s, err);
}

static void reads_each_type(void **state)
{
    struct tch_yaml yaml;
    struct settings s;
    tacho_error err = {0};

    (void)state;
    assert_int_equal(take("# settings\n"
                          "name: spin twenty\n"
                          "runs: 20\n"
                          "timeout: 1.5s\n"
                          "tolerance: 5%\n"
                          "required: true\n"
                          "list: [a, 'b c']\n"
                          "env:\n  A: 1\n  B: \"\"\n"
                          "sweep: {anything: at all}\n",
                          &yaml, &s, &err),
                     0);
    assert_string_equal(s.name, "spin twenty");
    assert_int_equal(s.runs, 20);
    assert_int_equal(s.timeout_ns, 1500000000);
    assert_true(s.tolerance == 0.05);
    assert_true(s.required);
    assert_int_equal(s.list->count, 2);
    assert_string_equal(s.list->first->next->text, "b c");
    assert_string_equal(tch_yaml_find(s.env, "A")->text, "1");
    assert_string_equal(tch_yaml_find(s.env, "B")->text, "");
    assert_null(tch_yaml_find(s.env, "C"));
    tch_yaml_release(&yaml);
}

static void an_empty_file_is_an_empty_map(void **state)
{
    struct tch_yaml yaml;
    struct settings s;

    (void)state;
    assert_int_equal(take("# nothing\n", &yaml, &s, NULL), 0);
    assert_int_equal(yaml.root->kind, TCH_YAML_MAP);
    assert_int_equal(yaml.root->count, 0);
    tch_yaml_release(&yaml);
}

static void errors_point_to_line_and_column(void **state)
{
    static const struct {
        const char *text;
        uint64_t line;
        uint64_t column;
        const char *says;
    } cases[] = {
        {"name: a\nrnus: 3\n", 2, 7, "'rnus' is not a key of the file; use name,runs"},
        {"runs: 1.5\n", 1, 7, "'runs' needs a whole number, not '1.5'"},
        {"runs: '15'\n", 1, 7, "a whole number"},
        {"runs:\n", 1, 6, "not nothing"},
        {"name: a\nruns: [1]\n", 2, 7, "not a list"},
        {"required: yes\n", 1, 11, "true or false"},
        {"tolerance: much\n", 1, 12, "a share"},
        {"tolerance: -1%\n", 1, 12, "a share"},
        {"tolerance: 1e999\n", 1, 12, "a share"},
        {"timeout: 5\n", 1, 10, "a duration"},
        {"list: a\n", 1, 7, "a list"},
        {"env: [a]\n", 1, 6, "a map"},
        {"name: {a: b}\n", 1, 7, "a text"},
        {"name: ''\n", 1, 7, "'name' needs a text, not an empty text"},
        {"name: a\nname: b\n", 2, 1, "twice"},
        {"- a\n", 1, 1, "must be a map"},
        {"just text\n", 1, 1, "must be a map"},
        {"name: &x a\n", 1, 7, "anchors"},
        {"name: *x\n", 1, 7, "aliases"},
        {"name: !!str a\n", 1, 7, "tags"},
        {"? [a]\n: b\n", 1, 3, "a key must be"},
        {"name: a\n---\nname: b\n", 2, 1, "one document"},
        {"name: \"a\n", 2, 1, ""},
        {"name: a\n\truns: 3\n", 2, 1, ""},
        {"name: \"a\\0b\"\n", 1, 7, "NUL"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_yaml yaml;
        struct settings s;
        tacho_error err = {0};

        assert_int_equal(take(cases[i].text, &yaml, &s, &err), TACHO_EPARSE);
        if (err.line != cases[i].line || err.column != cases[i].column ||
            !strstr(err.message, cases[i].says))
            fail_msg("%s: line %llu, column %llu: %s", cases[i].text, (unsigned long long)err.line,
                     (unsigned long long)err.column, err.message);
        tch_yaml_release(&yaml);
    }
}

static void limits_hold(void **state)
{
    char deep[2 * TCH_YAML_DEPTH + 2];
    char *large = malloc(TCH_YAML_MAX + 1);
    struct tch_yaml yaml;
    tacho_error err;

    (void)state;
    memset(deep, '[', TCH_YAML_DEPTH + 1);
    memset(deep + TCH_YAML_DEPTH + 1, ']', TCH_YAML_DEPTH + 1);
    assert_int_equal(tch_yaml_parse(&yaml, deep, sizeof deep, &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "too deep"));
    tch_yaml_release(&yaml);

    memset(large, ' ', TCH_YAML_MAX + 1);
    assert_int_equal(tch_yaml_parse(&yaml, large, TCH_YAML_MAX + 1, &err), TACHO_ELIMIT);
    tch_yaml_release(&yaml);

    for (size_t i = 0; i < TCH_YAML_MAX; i += 2)
        memcpy(large + i, "x,", 2);
    memcpy(large, "[ ", 2);
    assert_int_equal(tch_yaml_parse(&yaml, large, TCH_YAML_MAX, &err), TACHO_ELIMIT);
    tch_yaml_release(&yaml);
    free(large);
}

static int parse_once(void *arg)
{
    static const char text[] = "name: a\nlist: [b, {c: d}]\n";
    struct tch_yaml yaml;
    int status = tch_yaml_parse(&yaml, text, sizeof text - 1, NULL);

    (void)arg;
    tch_yaml_release(&yaml);
    return status;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(parse_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_each_type),
        cmocka_unit_test(an_empty_file_is_an_empty_map),
        cmocka_unit_test(errors_point_to_line_and_column),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
