/* Tests secrets: which names look like one, and how values, words and lines are masked. */
#include "base/secret.h"

#include <stdlib.h>
#include <string.h>

#include "base/shell_quote.h"
#include "support/test.h"

/* SHA-256 of "s3cr3t" starts with 4e738ca5, that of "two words" with a03f1d61. */
#define MASKED "masked:4e738ca5"
#define TWO    "masked:a03f1d61"

static bool looks_secret(const char *name)
{
    return tch_secret_name(name, strlen(name), NULL);
}

static void names_of_secrets_are_recognised(void **state)
{
    static const char *const names[] = {
        "TOKEN",          "TACHO_API_TOKEN", "HF_TOKEN",       "HUGGING_FACE_HUB_TOKEN",
        "--token",        "github-token",    "API_TOKEN_2",    "accessToken",
        "AUTHTOKEN",      "API_TOKENS",      "SECRET",         "CLIENT_SECRET",
        "clientsecret",   "FERRUM_SECRETS",  "PASSWORD",       "PGPASSWORD",
        "db.password",    "--password",      "MYSQL_PASSWD",   "KEY_PASSPHRASE",
        "AWS_CREDENTIAL", "CREDENTIALS",     "OPENAI_API_KEY", "apiKey",
        "X-Api-Key",      "APIKEY",          "private_key",    "AWS_SECRET_ACCESS_KEY",
        "AUTH",           "http-auth",       "FERRUM_AUTH",    "Authorization",
        "SIGNING_KEY",    "--license-key",   "PASSWORD1",      NULL};

    (void)state;
    for (const char *const *name = names; *name; name++)
        if (!looks_secret(*name))
            fail_msg("'%s' is a secret", *name);
}

static void other_names_are_left_alone(void **state)
{
    static const char *const names[] = {"",
                                        "1",
                                        "--",
                                        "PATH",
                                        "MAX_TOKENS",
                                        "--max-token",
                                        "max_tokens",
                                        "tokens_per_s",
                                        "TOKENS",
                                        "n_tokens",
                                        "TOKENIZER",
                                        "TOKENIZER_PATH",
                                        "token_budget",
                                        "EOS_TOKEN",
                                        "pad_token",
                                        "pad_token_id",
                                        "ms_per_token",
                                        "FIRST_TOKEN",
                                        "--stop-token",
                                        "tokenize",
                                        "KEY",
                                        "--key",
                                        "KEYS",
                                        "CACHE_KEY",
                                        "sort-key",
                                        "PUBLIC_KEY",
                                        "MONKEY",
                                        "KEYBOARD",
                                        "AUTHOR",
                                        "authors",
                                        "GIT_AUTHOR_NAME",
                                        "SSH_AUTH_SOCK",
                                        "AUTH_TYPE",
                                        "--no-auth",
                                        "SECRET_FILE",
                                        "PASSWORD_LENGTH",
                                        "token_path",
                                        "SECRETARY",
                                        "PASS",
                                        "passes",
                                        "TOKEN_LIMIT",
                                        "HF_HOME",
                                        NULL};

    (void)state;
    for (const char *const *name = names; *name; name++)
        if (looks_secret(*name))
            fail_msg("'%s' is not a secret", *name);
}

static void names_on_the_keep_list_are_not_secrets(void **state)
{
    const char *const keep[] = {"A_TOKEN", "api-key", NULL};

    (void)state;
    assert_false(tch_secret_name("A_TOKEN", 7, keep));
    assert_false(tch_secret_name("--api-key", 9, keep));
    assert_true(tch_secret_name("B_TOKEN", 7, keep));
    assert_true(tch_secret_name("A_TOKEN2", 8, keep));
}

static void long_names_are_judged_by_their_end(void **state)
{
    char name[5000];

    (void)state;
    memset(name, 'a', sizeof name);
    assert_false(tch_secret_name(name, sizeof name, NULL));
    memcpy(name + sizeof name - 6, "_TOKEN", 6);
    assert_true(tch_secret_name(name, sizeof name, NULL));
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = i % 2 ? 'A' : 'a';
    assert_false(tch_secret_name(name, sizeof name, NULL));
}

static void values_are_masked_by_name(void **state)
{
    static const char *const cases[][3] = {
        {"A_TOKEN", "s3cr3t", MASKED},
        {"A_TOKEN", "", ""},
        {"A_TOKEN", MASKED, MASKED},
        {"A_TOKEN", "two words", TWO},
        {"THREADS", "4", "4"},
        {"ARGS", "-n 4 --token s3cr3t -v", "-n 4 --token " MASKED " -v"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tch_buf b;

        tch_buf_init(&b, 1000);
        tch_secret_mask_value(&b, cases[i][0], strlen(cases[i][0]), cases[i][1], NULL);
        assert_string_equal(b.data, cases[i][2]);
        tch_buf_release(&b);
    }
}

static void words_of_a_command_are_masked(void **state)
{
    static const char *const cases[][3] = {
        {NULL, "A_TOKEN=s3cr3t", "A_TOKEN=" MASKED},
        {"env", "A_TOKEN=two words", "A_TOKEN=" TWO},
        {"x", "--token=s3cr3t", "--token=" MASKED},
        {"--token", "s3cr3t", MASKED},
        {"--token", "two words", TWO},
        {"--token", "$s3cr3t; x", "masked:1dff01e4"},
        {"-token", "s3cr3t", MASKED},
        {"--token", "--verbose", "--verbose"},
        {"token", "s3cr3t", "s3cr3t"},
        {"--max-tokens", "128", "128"},
        {"-H", "X-Api-Key: s3cr3t", "X-Api-Key: " MASKED},
        {"x", "https://host/?n=1&api_key=s3cr3t&m=2", "https://host/?n=1&api_key=" MASKED "&m=2"},
        {"x", "--set=n=1,password=s3cr3t", "--set=n=1,password=" MASKED},
        {"-c", "A_TOKEN=s3cr3t ./x", "A_TOKEN=" MASKED " ./x"},
        {"-ec", "A_TOKEN=s3cr3t ./x", "A_TOKEN=" MASKED " ./x"},
        {"x", "a 'b' \"c", "a 'b' \"c"},
        {"x", "", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tch_buf b;

        tch_buf_init(&b, 1000);
        tch_secret_mask_word(&b, cases[i][0], cases[i][1], NULL);
        assert_string_equal(b.data, cases[i][2]);
        tch_buf_release(&b);
    }
}

static void secrets_in_lines_are_masked_once(void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"  ./x  -n 4\t'a b' \"$c\" \\d | y>z ", "  ./x  -n 4\t'a b' \"$c\" \\d | y>z "},
        {"A_TOKEN=s3cr3t ./x --max-tokens 9", "A_TOKEN=" MASKED " ./x --max-tokens 9"},
        {"A_TOKEN='s3cr3t' ./x", "A_TOKEN=" MASKED " ./x"},
        {"A_TOKEN=s3'cr'3\\t ./x", "A_TOKEN=" MASKED " ./x"},
        {"./x --token s3cr3t; y", "./x --token " MASKED "; y"},
        {"./x --token; y", "./x --token; y"},
        {"./x --token \"two words\" y", "./x --token " TWO " y"},
        {"./x '--token=two words' y", "./x --token=" TWO " y"},
        {"curl -H 'Authorization: s3cr3t' y", "curl -H 'Authorization: " MASKED "' y"},
        {"sh -c 'cd a; A_TOKEN=s3cr3t ./x'", "sh -c 'cd a; A_TOKEN=" MASKED " ./x'"},
        {"sh -c 'A_TOKEN=s3cr3t ./x'", "sh -c 'A_TOKEN=" MASKED " ./x'"},
        {"sh -c 'sh -c \"A_TOKEN=s3cr3t x\"'", "sh -c 'sh -c '\\''A_TOKEN=" MASKED " x'\\'''"},
        {"(cd a&&A_TOKEN=s3cr3t ./x)", "(cd a&&A_TOKEN=" MASKED " ./x)"},
        {"./x --token $T --token ${T} --token \"$T\"",
         "./x --token $T --token ${T} --token \"$T\""},
        {"A_TOKEN=$(cat file) ./x", "A_TOKEN=$(cat file) ./x"},
        {"./x --token '$T'", "./x --token masked:37556a76"},
        {"./x --token ${T:-s3cr3t}", "./x --token masked:6cec17f5"},
        {"./x --token 's3cr3t", "./x --token " MASKED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *once = tch_secret_masked_line(cases[i][0], NULL);
        char *twice = tch_secret_masked_line(once, NULL);

        assert_string_equal(once, cases[i][1]);
        assert_string_equal(twice, once);
        free(once);
        free(twice);
    }
}

static void deeply_nested_scripts_terminate(void **state)
{
    char line[20000];
    char *masked;

    (void)state;
    memset(line, '\\', sizeof line);
    line[sizeof line - 1] = '\0';
    masked = tch_secret_masked_line(line, NULL);
    assert_string_equal(masked, line);
    free(masked);
}

static int put(void *arg)
{
    const char *const words[] = {"x", "--token", "s3cr3t", "-c", "y A_TOKEN=s3cr3t", NULL};
    struct tch_buf b;
    bool failed;

    (void)arg;
    tch_buf_init(&b, 1000);
    tch_buf_addc(&b, '{');
    tch_secret_put_words(&b, "argv", words, NULL);
    tch_secret_put_line(&b, "line", "x --token 's3cr3t'", NULL);
    tch_secret_put_line(&b, "none", NULL, NULL);
    failed = b.failed;
    if (!failed)
        assert_string_equal(b.data,
                            "{\"argv\":[\"x\",\"--token\",\"" MASKED "\",\"-c\",\"y A_TOKEN=" MASKED
                            "\"],\"line\":\"x --token " MASKED "\",\"none\":null");
    tch_buf_release(&b);
    return failed ? -1 : 0;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(put, NULL);
}

static void words_are_quoted_for_a_shell(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 1000);
    tch_shell_quote(&b, "plain");
    tch_shell_quote(&b, "");
    tch_shell_quote(&b, "it's");
    assert_string_equal(b.data, "plain'''it'\\''s'");
    tch_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_secrets_are_recognised),
        cmocka_unit_test(other_names_are_left_alone),
        cmocka_unit_test(names_on_the_keep_list_are_not_secrets),
        cmocka_unit_test(long_names_are_judged_by_their_end),
        cmocka_unit_test(values_are_masked_by_name),
        cmocka_unit_test(words_of_a_command_are_masked),
        cmocka_unit_test(secrets_in_lines_are_masked_once),
        cmocka_unit_test(deeply_nested_scripts_terminate),
        cmocka_unit_test(survives_every_allocation_failing),
        cmocka_unit_test(words_are_quoted_for_a_shell),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
