/* Runs tests as cmocka does: see cmocka.h. */
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PASSED, FAILED, SKIPPED };

static jmp_buf back;

void print_message(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stdout, format, args);
    va_end(args);
    fflush(stdout);
}

void cm_fail(const char *file, int line, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%d: ", file, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    longjmp(back, FAILED);
}

void cm_skip(void)
{
    longjmp(back, SKIPPED);
}

void cm_true(bool holds, const char *text, const char *file, int line)
{
    if (!holds)
        cm_fail(file, line, "%s is false", text);
}

void cm_ints(bool wanted, uintmax_t a, uintmax_t b, const char *file, int line)
{
    if ((a == b) != wanted)
        cm_fail(file, line, "%#" PRIxMAX " %s %#" PRIxMAX, a, wanted ? "is not" : "is", b);
}

void cm_strings(bool wanted, const char *a, const char *b, const char *file, int line)
{
    if ((strcmp(a, b) == 0) != wanted)
        cm_fail(file, line, "\"%s\" %s \"%s\"", a, wanted ? "is not" : "is", b);
}

void cm_bytes(const void *a, const void *b, size_t len, const char *file, int line)
{
    if (memcmp(a, b, len) != 0)
        cm_fail(file, line, "%zu bytes differ", len);
}

void cm_range(uintmax_t value, uintmax_t low, uintmax_t high, const char *file, int line)
{
    if (value < low || value > high)
        cm_fail(file, line, "%" PRIuMAX " is not in %" PRIuMAX " to %" PRIuMAX, value, low, high);
}

void cm_return_code(long code, int error, const char *file, int line)
{
    if (code < 0)
        cm_fail(file, line, "%ld: error %d", code, error);
}

static int run_one(const struct CMUnitTest *test, void **state)
{
    volatile int how = PASSED;

    if (test->setup && test->setup(state) != 0)
        return FAILED;
    how = setjmp(back);
    if (how == PASSED)
        test->test(state);
    if (test->teardown && test->teardown(state) != 0)
        how = FAILED;
    return how;
}

int cm_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
           CMFixtureFunction teardown)
{
    static const char *const words[] = {"ok", "FAILED", "skipped"};
    void *state = NULL;
    int failed = 0;

    if (setup && setup(&state) != 0)
        return 1;
    for (size_t i = 0; i < count; i++) {
        void *own = state;
        int how = run_one(&tests[i], &own);

        print_message("%s: %s\n", tests[i].name, words[how]);
        failed += how == FAILED;
    }
    if (teardown && teardown(&state) != 0)
        failed++;
    return failed;
}
