/*
 * Runs the cases of a reference system, each in a process and an empty folder of its own, and
 * prints "NAME ok" or "NAME FAILED". This header does not depend on tacho: a case uses the public
 * headers.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <stdbool.h>
#include <stddef.h>

struct conformance_case {
    const char *name;
    void (*run)(void);
};

/** A case. Its name is that of its function, which is named like the reference's test. */
#define CASE(function)       \
    {                        \
#function, function, \
    }

/** Runs all cases, or those that argv names. Returns the exit status for main(). The current folder
    of a case is new, empty, and removed afterwards. */
int conformance_main(const struct conformance_case *cases, size_t count, char **argv);

#define CONFORMANCE_MAIN(cases)                                                   \
    int main(int argc, char **argv)                                               \
    {                                                                             \
        (void)argc;                                                               \
        return conformance_main(cases, sizeof(cases) / sizeof((cases)[0]), argv); \
    }

/** Checks. Each fails the case, with the place and both values, when its condition does not
    hold. */
#define CHECK(condition) check_true(condition, #condition, __FILE__, __LINE__)
#define CHECK_INT(got, expected) \
    check_int((long long)(got), (long long)(expected), #got, __FILE__, __LINE__)
#define CHECK_TEXT(got, expected)     check_text(got, expected, #got, __FILE__, __LINE__)
#define CHECK_CONTAINS(got, expected) check_contains(got, expected, #got, __FILE__, __LINE__)

void check_true(bool condition, const char *what, const char *file, int line);
void check_int(long long got, long long expected, const char *what, const char *file, int line);
/** Compares two texts. NULL is equal to NULL only. */
void check_text(const char *got, const char *expected, const char *what, const char *file,
                int line);
void check_contains(const char *got, const char *expected, const char *what, const char *file,
                    int line);

/** Returns the content of a file, terminated by NUL; the caller frees it. Fails the case when it
   cannot be read. */
char *read_whole(const char *path, size_t *ret_len);

/** Makes a file with this text. */
void write_whole(const char *path, const char *text);

#endif
