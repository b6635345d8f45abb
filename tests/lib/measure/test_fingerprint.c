/* Tests hashes of configurations, JSON documents and tensors, the environment, and the
   comparison of documents. */
#include "support/test.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tacho/fingerprint.h>

#include "base/file.h"
#include "lib/measure/environment.h"
#include "lib/measure/fingerprint_config.h"
#include "support/system.h"
#include "support/vectors.h"

static void expect_text(const char *id, const char *got, size_t got_len, struct test_json expected)
{
    size_t len;
    char *text = test_text(expected, &len);

    if (got_len != len || memcmp(got, text, len) != 0)
        fail_msg("case %s: got %s, expected %s", id, got, text);
    free(text);
}

static void check_fields(const struct test_case *c, void *arg)
{
    static const char *const names[] = {"model_commit", "weights_hash", "compiler_flags"};
    struct tch_config config = {.lambda = test_f32_bits(test_member(c->input, "lambda_bits")),
                                .eps = test_f32_bits(test_member(c->input, "eps_bits")),
                                .tau = test_u64(test_member(c->input, "tau"))};
    char *texts[3];
    struct tch_buf b;
    char hash[TACHO_SHA256_TEXT];

    (void)arg;
    for (int i = 0; i < 3; i++)
        config.text[i] = texts[i] = test_text(test_member(c->input, names[i]), &config.len[i]);
    tch_buf_init(&b, 1 << 20);
    tch_config_write(&b, &config);
    expect_text(c->id, b.data, b.len, test_member(c->expect, "json"));
    tacho_sha256(b.data, b.len, hash);
    expect_text(c->id, hash, 64, test_member(c->expect, "sha256"));
    tch_buf_release(&b);
    for (int i = 0; i < 3; i++)
        free(texts[i]);
}

static void hashes_fields_as_the_reference_does(void **state)
{
    (void)state;
    test_each_case("config_hash_fields.jsonl", 78, check_fields, NULL);
}

static void check_json(const struct test_case *c, void *arg)
{
    size_t len;
    char *text = test_text(test_member(c->input, "text"), &len);
    char *json = NULL;
    size_t json_len = 0;
    tacho_error err = {0};
    int status = tacho_config_canonical(text, len, &json, &json_len, &err);

    (void)arg;
    if (!test_true(test_member(c->expect, "ok"))) {
        assert_int_equal(status, TACHO_EPARSE);
        assert_true(err.message[0] != '\0');
        assert_null(json);
    } else {
        char hash[TACHO_SHA256_TEXT];

        assert_int_equal(status, 0);
        expect_text(c->id, json, json_len, test_member(c->expect, "json"));
        tacho_sha256(json, json_len, hash);
        expect_text(c->id, hash, 64, test_member(c->expect, "sha256"));
    }
    free(json);
    free(text);
}

static void reads_configurations_as_the_reference_does(void **state)
{
    (void)state;
    test_each_case("config_hash_json.jsonl", 25, check_json, NULL);
}

static void the_public_struct_gives_the_same(void **state)
{
    tacho_config config = {"abc", "def", 0.5f, 2, 0.01f, "-O3"};
    char hash[TACHO_SHA256_TEXT];
    char expected[TACHO_SHA256_TEXT];
    char *json;
    static const char text[] = "{\"model_commit\":\"abc\",\"weights_hash\":\"def\",\"lambda\":0.5,"
                               "\"tau\":2,\"eps\":0.01,\"compiler_flags\":\"-O3\"}";

    (void)state;
    assert_int_equal(tacho_config_to_json(&config, &json, NULL, NULL), 0);
    assert_string_equal(json, text);
    free(json);
    assert_int_equal(tacho_config_hash(&config, hash, NULL), 0);
    tacho_sha256(text, sizeof text - 1, expected);
    assert_string_equal(hash, expected);
}

static void a_configuration_with_a_wrong_field_is_refused(void **state)
{
    static const char *const cases[][2] = {
        {"{\"lambda\":\"x\"}", "'lambda' must be a number"},
        {"{\"tau\":\"x\"}", "'tau' must be a whole number"},
        {"{\"tau\":-1}", "'tau' must be a whole number from 0 to 2^64 - 1"},
        {"{\"model_commit\":1}", "'model_commit' must be a string"},
        {"{\"eps\":1,\"eps\":1}", "'eps' occurs twice"},
        {"{\"eps\":1e400}", "'eps' must be a number that a 32-bit float can hold"},
        {"{\"lambda\":-1e39}", "'lambda' must be a number that a 32-bit float can hold"},
        {"{\"eps\":", NULL},
        {"{\"eps\":1,", NULL},
        {"[]", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *json = NULL;
        tacho_error err;

        assert_int_equal(
            tacho_config_canonical(cases[i][0], strlen(cases[i][0]), &json, NULL, &err),
            TACHO_EPARSE);
        if (cases[i][1])
            assert_string_equal(err.message, cases[i][1]);
        assert_null(json);
    }
}

static void check_tensor(const struct test_case *c, void *arg)
{
    struct test_json bits = test_member(c->input, "f32_bits");
    size_t n = test_count(bits);
    float *values = calloc(n + 1, sizeof *values);
    char hash[TACHO_SHA256_TEXT];

    (void)arg;
    for (size_t i = 0; i < n; i++)
        values[i] = test_f32_bits(test_element(bits, i));
    tacho_tensor_hash(values, n, hash);
    expect_text(c->id, hash, 64, test_member(c->expect, "sha256"));
    free(values);
}

static void hashes_tensors_as_the_reference_does(void **state)
{
    (void)state;
    test_each_case("hash_tensor.jsonl", 8, check_tensor, NULL);
}

/* sha256sum of the bytes 00 00 80 3f, 00 00 20 c0, and of no bytes. */
static void a_tensor_is_hashed_as_little_endian_bytes(void **state)
{
    char hash[TACHO_SHA256_TEXT];

    (void)state;
    tacho_tensor_hash((const float[]){1, -2.5f}, 2, hash);
    assert_string_equal(hash, "48943f7a0ea247f8e3c9386d0c5822fe181d323a9289980426638cc4e72a43e1");
    tacho_tensor_hash(NULL, 0, hash);
    assert_string_equal(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void canonical_json_keeps_order_and_drops_blanks(void **state)
{
    static const char text[] = " { \"b\" : [ 1 , 2.50, 1e2, -0, 18446744073709551616 ] ,"
                               " \"a\\u0041\":{\"x\":null,\"y\":[]},\"c\":\"\\u00e9\\/\"} ";
    char *json;
    size_t len;

    (void)state;
    assert_int_equal(tacho_json_canonical(text, sizeof text - 1, &json, &len, NULL), 0);
    assert_string_equal(json, "{\"b\":[1,2.5,100.0,-0.0,18446744073709551616],"
                              "\"aA\":{\"x\":null,\"y\":[]},\"c\":\"\xc3\xa9/\"}");
    free(json);
}

static char *canonical(const char *text)
{
    char *json = NULL;

    if (tacho_json_canonical(text, strlen(text), &json, NULL, NULL) < 0)
        fail_msg("cannot write %s in canonical form", text);
    return json;
}

static void documents_that_differ_never_share_a_fingerprint(void **state)
{
    static const char *const texts[] = {
        "null", "0", "-0", "0.0", "1", "1.0", "-1.0", "10.0", "0.1", "true", "\"1\"", "[]", "{}",
        /* beyond all doubles, and below the smallest */
        "1e400", "-1e400", "1e401", "-1e999", "1e999999999999999999999", "1e-400", "-1e-400",
        "4e-324", "5e-324", "1e-999999999999999999999",
        /* whole numbers beyond 2^53 and 2^64, as integers and as floats */
        "9007199254740992", "9007199254740993", "9007199254740992.0", "9007199254740993.0",
        "18446744073709551615", "18446744073709551616", "18446744073709551617",
        "-9223372036854775808", "-9223372036854775809", "1e23", "99999999999999991611392",
        /* digits that a double cannot distinguish */
        "0.10000000000000000001", "0.1000000000000000055511151231257827", "1.00000000000000000001",
        "\"\\u0000\"", "\"\"", "\"a\"", "\"\\ud83d\\ude00\"", "{\"a.b\":1}", "{\"a\":{\"b\":1}}"};
    enum { COUNT = sizeof texts / sizeof texts[0] };
    char *forms[COUNT];

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        forms[i] = canonical(texts[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(forms[i], forms[j]) == 0)
                fail_msg("%s and %s are both %s", texts[i], texts[j], forms[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        free(forms[i]);
}

static void the_notation_of_a_number_does_not_matter(void **state)
{
    static const char *const same[][2] = {
        {"1.0", "100.0e-2"},      {"1.0", "0.001e+3"},    {"0.001", "0.00100"},
        {"1500.0", "1.5E3"},      {"1.25", "12.50e-1"},   {"0.0", "0e7"},
        {"-0.0", "-0"},           {"1e23", "10.0e22"},    {"1e20", "100000000000000000000"},
        {"\"a\"", "\"\\u0061\""}, {"5e-324", "0.5e-323"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        char *form = canonical(same[i][1]);

        assert_string_equal(form, same[i][0]);
        free(form);
    }
}

static void an_invalid_document_has_no_fingerprint(void **state)
{
    static const char *const texts[] = {"\"\\ud800\"",  "\"\\udc00\"", "\"\xff\"",
                                        "\"\xc0\x80\"", "01",          "1.",
                                        "NaN",          "Infinity",    "{\"a\":1,\"\\u0061\":1}"};
    char deep[2 * 128 + 1];
    char *json = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(tacho_json_canonical(texts[i], strlen(texts[i]), &json, NULL, NULL),
                         TACHO_EPARSE);
    memset(deep, '[', 128);
    memset(deep + 128, ']', 128);
    assert_int_equal(tacho_json_canonical(deep, 256, &json, NULL, NULL), TACHO_EPARSE);
    assert_int_equal(tacho_json_canonical(deep + 1, 254, &json, NULL, NULL), 0);
    free(json);
}

static void a_key_that_occurs_twice_is_refused(void **state)
{
    static const char twice[] = "{\"a\":1,\"b\":{\"a\":1,\"c\":1},\"\\u0061\":2}";
    static const char nested[] = "{\"a\":{\"a\":1},\"b\":{\"a\":1}}";
    char *json = NULL;
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_json_canonical(twice, sizeof twice - 1, &json, NULL, &err),
                     TACHO_EPARSE);
    assert_string_equal(err.message, "the key \"a\" comes twice in an object");
    assert_null(json);
    assert_int_equal(tacho_json_canonical(nested, sizeof nested - 1, &json, NULL, &err), 0);
    free(json);
    assert_int_equal(tacho_json_canonical("{", 1, &json, NULL, &err), TACHO_EPARSE);
}

static void put(const char *name, const char *text)
{
    char path[256];
    char *slash;

    snprintf(path, sizeof path, "%s/%s", test_home, name);
    slash = strrchr(path, '/');
    *slash = '\0';
    assert_int_equal(tch_mkdirs(path, NULL), 0);
    *slash = '/';
    assert_int_equal(tch_file_replace(path, text, strlen(text), false, NULL), 0);
}

static void make_machine(void)
{
    put("proc/cpuinfo", "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) W-2245 CPU @ 3.90GHz\n"
                        "cpu MHz\t\t: 1200.0\nbogomips\t: 7800\n\nprocessor\t: 1\n"
                        "model name\t: Intel(R) Xeon(R) W-2245 CPU @ 3.90GHz\n");
    put("proc/meminfo", "MemTotal:       65712345 kB\nMemFree: 1 kB\n");
    put("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    put("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    put("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  "
                                      "Tue Jun  6 22:20:39 UTC 2023\n");
    put("proc/driver/nvidia/gpus/0000:65:00.0/information", "Model: \t\t NVIDIA A100-PCIE-40GB\n");
    put("sys/class/drm/card0/device/vendor", "0x1002\n");
    put("sys/class/drm/card0/device/device", "0x740f\n");
    put("sys/module/amdgpu/version", "6.2.4\n");
    put("proc/1/cgroup", "0::/kubepods/besteffort\n");
}

static char *environment(void)
{
    char *text = NULL;

    assert_int_equal(tch_environment(test_home, "gcc 12.2.0", NULL, &text, NULL, NULL), 0);
    return text;
}

static void describes_a_machine(void **state)
{
    char *text;
    char *class;

    (void)state;
    make_machine();
    clearenv();
    setenv("TACHO_THREADS", "4", 1);
    setenv("FERRUM_GRAPH", "1", 1);
    setenv("TACHO_RUN_DIR", "/tmp/x", 1);
    setenv("TACHO_PROFILE_JSONL", "/tmp/x", 1);
    setenv("FERRUM_TRACE_OUT", "/tmp/x", 1);
    setenv("TACHO_PROFILE_ENV_HASH", "sha256:0", 1);
    setenv("OTHER", "1", 1);
    text = environment();
    assert_non_null(strstr(text, "{\"schema\":\"tacho.env.v1\","
                                 "\"cpu_model\":\"Intel(R) Xeon(R) W-2245 CPU @ 3.90GHz\","
                                 "\"cpu_count\":2,\"memory_gib\":63,"));
    assert_non_null(strstr(text, "\"kernel\":\"6.1.0-18-amd64\","
                                 "\"os\":\"Debian GNU/Linux 12 (bookworm)\","));
    assert_non_null(strstr(
        text, "\"compiler\":\"gcc 12.2.0\",\"governor\":\"performance\",\"gpus\":["
              "{\"name\":\"NVIDIA A100-PCIE-40GB\",\"driver\":\"535.54.03\"},"
              "{\"name\":\"amdgpu 0x740f\",\"driver\":\"6.2.4\"}],\"container\":\"kubernetes\","
              "\"variables\":{\"FERRUM_GRAPH\":\"1\",\"TACHO_THREADS\":\"4\"}}"));
    assert_null(strstr(text, "7800"));
    assert_int_equal(tacho_machine_class(text, strlen(text), &class, NULL), 0);
    assert_true(strncmp(class, "intel-r-xeon-r-w-2245-cpu-3-90ghz-2cpu-63gib-", 45) == 0);
    assert_non_null(strstr(class, "-linux6"));
    free(class);
    free(text);
}

static void masked_secrets_still_distinguish_machines(void **state)
{
    const char *const keep[] = {"TACHO_API_TOKEN", NULL};
    char *text[3];
    char *kept;

    (void)state;
    make_machine();
    clearenv();
    setenv("FERRUM_MAX_TOKENS", "128", 1);
    for (int i = 0; i < 3; i++) {
        setenv("TACHO_API_TOKEN", i == 1 ? "another" : "s3cr3t", 1);
        text[i] = environment();
        assert_null(strstr(text[i], "s3cr3t"));
        assert_null(strstr(text[i], "another"));
    }
    assert_non_null(strstr(text[0], "\"variables\":{\"FERRUM_MAX_TOKENS\":\"128\","
                                    "\"TACHO_API_TOKEN\":\"masked:4e738ca5\"}"));
    assert_string_not_equal(text[0], text[1]);
    assert_string_equal(text[0], text[2]);
    assert_int_equal(tch_environment(test_home, NULL, keep, &kept, NULL, NULL), 0);
    assert_non_null(strstr(kept, "\"TACHO_API_TOKEN\":\"s3cr3t\""));
    for (int i = 0; i < 3; i++)
        free(text[i]);
    free(kept);
}

static void unknown_members_of_a_machine_are_null(void **state)
{
    char *text = NULL;
    char *class;

    (void)state;
    clearenv();
    text = environment();
    assert_non_null(strstr(text, "\"cpu_model\":null,\"cpu_count\":null,\"memory_gib\":null,"));
    assert_non_null(strstr(text, "\"governor\":null,\"gpus\":[],\"container\":null,"
                                 "\"variables\":{}}"));
    assert_int_equal(tacho_machine_class(text, strlen(text), &class, NULL), 0);
    assert_string_equal(class, "unknown");
    free(class);
    free(text);
}

static void governors_that_differ_are_mixed(void **state)
{
    char *text;

    (void)state;
    make_machine();
    put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
    text = environment();
    assert_non_null(strstr(text, "\"governor\":\"mixed\""));
    free(text);
}

static void this_machine_has_the_same_hash_twice(void **state)
{
    char hash[2][TACHO_ENV_HASH_TEXT];

    (void)state;
    for (int i = 0; i < 2; i++) {
        char *text;
        size_t len;

        assert_int_equal(tacho_environment(TACHO_COMPILER, &text, &len, NULL), 0);
        tacho_environment_hash(text, len, hash[i]);
        free(text);
        usleep(50000);
    }
    assert_true(strncmp(hash[0], "sha256:", 7) == 0 && strlen(hash[0]) == 71);
    assert_string_equal(hash[0], hash[1]);
}

struct diffs {
    char text[512];
};

static int add_diff(const char *path, const char *a, const char *b, void *ctx)
{
    struct diffs *d = ctx;
    size_t len = strlen(d->text);

    snprintf(d->text + len, sizeof d->text - len, "%s:%s>%s ", path, a ? a : "-", b ? b : "-");
    return 0;
}

static int stop(const char *path, const char *a, const char *b, void *ctx)
{
    (void)path;
    (void)a;
    (void)b;
    (void)ctx;
    return 7;
}

static void lists_fields_that_differ(void **state)
{
    static const char a[] = "{\"cpu\":\"x\",\"gpus\":[{\"n\":1},{\"n\":2}],\"v\":{},\"same\":1.0}";
    static const char b[] = "{\"same\":1.0,\"cpu\":\"y\",\"gpus\":[{\"n\":1}],\"v\":{\"K\":null}}";
    struct diffs d = {""};
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_json_diff(a, sizeof a - 1, b, sizeof b - 1, add_diff, &d, NULL), 0);
    assert_string_equal(d.text, "cpu:\"x\">\"y\" gpus[1].n:2>- v:{}>- v.K:->null ");
    assert_int_equal(tacho_json_diff(a, sizeof a - 1, b, sizeof b - 1, stop, NULL, NULL), 7);
    assert_int_equal(tacho_json_diff(a, sizeof a - 1, a, sizeof a - 1, stop, NULL, NULL), 0);
    assert_int_equal(tacho_json_diff(a, sizeof a - 1, "{", 1, add_diff, &d, &err), TACHO_EPARSE);
    assert_int_equal(tacho_json_diff("nope", 4, a, sizeof a - 1, add_diff, &d, &err), TACHO_EPARSE);
}

static void names_with_dots_are_not_mistaken_for_paths(void **state)
{
    static const char a[] = "{\"a.b\":1,\"c\":[2],\"d\\u0000e\":3,\"\":4}";
    static const char b[] = "{\"a\":{\"b\":1},\"c[0]\":2,\"d\\u0000f\":3}";
    struct diffs d = {""};

    (void)state;
    assert_int_equal(tacho_json_diff(a, sizeof a - 1, b, sizeof b - 1, add_diff, &d, NULL), 0);
    assert_string_equal(d.text, "\"\":4>- \"a.b\":1>- \"c[0]\":->2 \"d\\u0000e\":3>- "
                                "\"d\\u0000f\":->3 a.b:->1 c[0]:2>- ");
}

static int all_once(void *arg)
{
    static const char json[] = "{\"a\":[1,\"x\\n\"],\"b\":{}}";
    static const char config[] = "[\"abc\",\"def\",0.5,2,0.01,\"-O3\"]";
    char *a = NULL;
    char *b = NULL;
    char *c = NULL;
    char *d = NULL;
    struct diffs diffs = {""};
    size_t len = 0;
    int status = -1;

    (void)arg;
    if (tacho_json_canonical(json, sizeof json - 1, &a, NULL, NULL) == 0 &&
        tacho_config_canonical(config, sizeof config - 1, &b, NULL, NULL) == 0 &&
        tch_environment(test_home, NULL, NULL, &c, &len, NULL) == 0 &&
        tacho_machine_class(c, len, &d, NULL) == 0 &&
        tacho_json_diff(a, strlen(a), b, strlen(b), add_diff, &diffs, NULL) == 0)
        status = 0;
    free(a);
    free(b);
    free(c);
    free(d);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    make_machine();
    test_every_allocation_fails(all_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_fields_as_the_reference_does),
        cmocka_unit_test(reads_configurations_as_the_reference_does),
        cmocka_unit_test(a_configuration_with_a_wrong_field_is_refused),
        cmocka_unit_test(the_public_struct_gives_the_same),
        cmocka_unit_test(hashes_tensors_as_the_reference_does),
        cmocka_unit_test(a_tensor_is_hashed_as_little_endian_bytes),
        cmocka_unit_test(canonical_json_keeps_order_and_drops_blanks),
        cmocka_unit_test(documents_that_differ_never_share_a_fingerprint),
        cmocka_unit_test(the_notation_of_a_number_does_not_matter),
        cmocka_unit_test(an_invalid_document_has_no_fingerprint),
        cmocka_unit_test(a_key_that_occurs_twice_is_refused),
        TEST_IN_HOME(describes_a_machine),
        TEST_IN_HOME(masked_secrets_still_distinguish_machines),
        TEST_IN_HOME(unknown_members_of_a_machine_are_null),
        TEST_IN_HOME(governors_that_differ_are_mixed),
        cmocka_unit_test(this_machine_has_the_same_hash_twice),
        cmocka_unit_test(lists_fields_that_differ),
        cmocka_unit_test(names_with_dots_are_not_mistaken_for_paths),
        TEST_IN_HOME(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
