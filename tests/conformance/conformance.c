/* Runs the cases and implements their checks. A failed check exits from the process of its case. */
#include "conformance.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail_case(const char *file, int line)
{
    fprintf(stderr, "  at %s:%d\n", file, line);
    exit(1);
}

void check_true(bool condition, const char *what, const char *file, int line)
{
    if (condition)
        return;
    fprintf(stderr, "  does not hold: %s\n", what);
    fail_case(file, line);
}

void check_int(long long got, long long expected, const char *what, const char *file, int line)
{
    if (got == expected)
        return;
    fprintf(stderr, "  %s is %lld instead of %lld\n", what, got, expected);
    fail_case(file, line);
}

void check_text(const char *got, const char *expected, const char *what, const char *file, int line)
{
    if (got && expected ? strcmp(got, expected) == 0 : got == expected)
        return;
    fprintf(stderr, "  %s is\n%s\n  instead of\n%s\n", what, got ? got : "NULL",
            expected ? expected : "NULL");
    fail_case(file, line);
}

void check_contains(const char *got, const char *expected, const char *what, const char *file,
                    int line)
{
    if (got && strstr(got, expected))
        return;
    fprintf(stderr, "  %s does not contain '%s':\n%s\n", what, expected, got ? got : "NULL");
    fail_case(file, line);
}

char *read_whole(const char *path, size_t *ret_len)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    long len = -1;

    if (in && fseek(in, 0, SEEK_END) == 0 && (len = ftell(in)) >= 0)
        text = calloc((size_t)len + 1, 1);
    if (!text || fseek(in, 0, SEEK_SET) < 0 || fread(text, 1, (size_t)len, in) != (size_t)len) {
        perror(path);
        exit(1);
    }
    fclose(in);
    if (ret_len)
        *ret_len = (size_t)len;
    return text;
}

void write_whole(const char *path, const char *text)
{
    FILE *out = fopen(path, "wb");

    if (!out || fputs(text, out) < 0 || fclose(out) != 0) {
        perror(path);
        exit(1);
    }
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

/* Removes the variables of the reference and of tacho, which a case sets itself. */
static void clear_environment(void)
{
    for (char **at = environ; *at;) {
        size_t len = strcspn(*at, "=");
        char name[256];

        if ((strncmp(*at, "FERRUM_", 7) == 0 || strncmp(*at, "TACHO_", 6) == 0) &&
            len < sizeof name) {
            memcpy(name, *at, len);
            name[len] = '\0';
            unsetenv(name);
            at = environ;
        } else {
            at++;
        }
    }
}

/* Runs a case in a child process. Returns whether it passed. */
static bool run_case(const struct conformance_case *c)
{
    char folder[] = "/tmp/tacho-conformance-XXXXXX";
    int status = -1;
    pid_t child;

    if (!mkdtemp(folder)) {
        perror(folder);
        return false;
    }
    fflush(NULL);
    child = fork();
    if (child == 0) {
        if (chdir(folder) < 0)
            _exit(1);
        c->run();
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        perror(c->name);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    printf("%s %s\n", c->name, status == 0 ? "ok" : "FAILED");
    return status == 0;
}

static bool is_named(const char *name, char **names)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

int conformance_main(const struct conformance_case *cases, size_t count, char **argv)
{
    size_t failed = 0;
    size_t run = 0;

    clear_environment();
    for (size_t i = 0; i < count; i++) {
        if (argv[1] && !is_named(cases[i].name, argv + 1))
            continue;
        run++;
        failed += !run_case(&cases[i]);
    }
    printf("%zu of %zu cases passed\n", run - failed, run);
    return failed > 0 || run == 0;
}
