/* Runs the public JSON parsing test suite and the float cases, if the reference data is
   available. */
#include "support/test.h"

#include <dirent.h>

#include "base/file.h"
#include "base/float_text.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "support/json_plain.h"
#include "support/json_ways.h"
#include "support/reference.h"

enum { FILE_LIMIT = 16 << 20 };

/* y_: must be accepted; n_: must be rejected; i_: either, but the same in all ways of reading. */
static void check_one(const char *folder, const char *name)
{
    char path[1024];
    struct tch_buf text;
    tacho_error err;
    bool agree;
    int status;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    tch_buf_init(&text, FILE_LIMIT);
    assert_int_equal(tch_file_read(path, FILE_LIMIT, &text, &err), 0);
    status = test_json_every_way(text.data, text.len, &err, &agree);
    if (!agree)
        fail_msg("%s: not read the same in every way", name);
    if (name[0] == 'y' && status < 0)
        fail_msg("%s: rejected: %s", name, err.message);
    if (name[0] == 'n' && status == 0)
        fail_msg("%s: accepted", name);
    assert_int_equal(status == 0, test_json_plain(text.data, text.len, TCH_JSON_DEPTH));
    tch_buf_release(&text);
}

static void passes_the_parsing_suite(void **state)
{
    const char *folder = test_reference("corpus/json");
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int files = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.') {
            check_one(folder, entry->d_name);
            files++;
        }
    closedir(dir);
    assert_true(files > 100);
}

/* Returns a member of an object; TCH_JSON_NULL if it is missing. */
static struct tch_json_value member(struct tch_json_value object, const char *name)
{
    struct tch_json_value found = {.type = TCH_JSON_NULL};
    struct tch_json_value key;
    struct tch_json_reader r;

    tch_json_open(&r, object.text, object.len, NULL);
    assert_int_equal(tch_json_read(&r, &key), 0);
    while (tch_json_member(&r, &key) > 0)
        if (tch_json_is(&key, name))
            assert_int_equal(tch_json_read_raw(&r, &found), 0);
        else
            assert_int_equal(tch_json_skip(&r), 0);
    assert_int_equal(tch_json_finish(&r), 0);
    return found;
}

static void assert_quoted(struct tch_json_value wanted, const char *text, size_t len)
{
    assert_int_equal(wanted.type, TCH_JSON_STRING);
    assert_int_equal(wanted.len, len + 2);
    assert_memory_equal(wanted.text + 1, text, len);
}

static void check_double(struct tch_json_value input, struct tch_json_value expect)
{
    struct tch_json_value bits = member(input, "f64_bits");
    char text[TCH_PLAIN_TEXT];
    uint64_t number = 0;
    double value;

    assert_int_equal(bits.len, 18);
    assert_int_equal(sscanf(bits.text + 1, "%16lx", &number), 1);
    memcpy(&value, &number, sizeof value);
    assert_quoted(member(expect, "json_serde_json_145"), text, tch_f64_json(text, value));
    assert_quoted(member(expect, "display"), text, tch_f64_plain(text, value));
}

static void check_float(struct tch_json_value input, struct tch_json_value expect)
{
    struct tch_json_value bits = member(input, "f32_bits");
    char text[TCH_PLAIN_TEXT];
    uint32_t number = 0;
    float value;

    assert_int_equal(bits.len, 10);
    assert_int_equal(sscanf(bits.text + 1, "%8x", &number), 1);
    memcpy(&value, &number, sizeof value);
    assert_quoted(member(expect, "json_serde_json_145"), text, tch_f32_json(text, value));
}

static int for_each_case(const char *name,
                         void (*check)(struct tch_json_value input, struct tch_json_value expect))
{
    struct tch_buf text;
    tacho_error err;
    char *line;
    int cases = 0;

    tch_buf_init(&text, FILE_LIMIT);
    assert_int_equal(tch_file_read(test_reference(name), FILE_LIMIT, &text, &err), 0);
    line = text.data;
    while (*line) {
        size_t len = strcspn(line, "\n");
        struct tch_json_value whole = {.type = TCH_JSON_OBJECT, .text = line, .len = len};

        check(member(whole, "input"), member(whole, "expect"));
        cases++;
        line += len + (line[len] == '\n');
    }
    tch_buf_release(&text);
    return cases;
}

static void writes_doubles_as_the_cases_have_them(void **state)
{
    (void)state;
    assert_int_equal(for_each_case("vectors/float_f64.jsonl", check_double), 127);
}

static void writes_floats_as_the_cases_have_them(void **state)
{
    (void)state;
    assert_int_equal(for_each_case("vectors/float_f32.jsonl", check_float), 125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_the_parsing_suite),
        cmocka_unit_test(writes_doubles_as_the_cases_have_them),
        cmocka_unit_test(writes_floats_as_the_cases_have_them),
    };

    return test_reference_result(cmocka_run_group_tests(tests, NULL, NULL));
}
