/*
 * Helpers for tests of files and processes: a temporary folder, a child process, a small disk.
 */
#ifndef TEST_SUPPORT_SYSTEM_H
#define TEST_SUPPORT_SYSTEM_H

/** The folder of a test that is listed by TEST_IN_HOME. It is empty at first and removed
    afterwards. */
extern char test_home[64];

int test_home_make(void **state);
int test_home_remove(void **state);

#define TEST_IN_HOME(test) cmocka_unit_test_setup_teardown(test, test_home_make, test_home_remove)

/** Returns the path of a name in test_home, valid for the next seven calls. */
const char *test_at(const char *name);

/** Write a file with this text, and return whether a file has this text. */
void test_put(const char *path, const char *text);
void test_assert_content(const char *path, const char *text);

/** Returns how often a test repeats something: the variable TRIES, or the usual number. */
long test_tries(long usual);

/** Returns the number of names in a folder. */
int test_folder_count(const char *path);

/** Runs `body` in a child process and returns its result (0 to 255). It may drop privileges and
    change limits and namespaces, but must not use cmocka. Fails the test when the child does not
    exit normally. */
int test_in_child(int (*body)(void *arg), void *arg);

/** Runs `body` in a child process with test_home on a new file system of `kib` KiB. It must return
    0. Skips the test where a file system cannot be mounted. */
void test_on_small_disk(unsigned kib, int (*body)(void));

/** Makes the process of such a body run as nobody, because root passes every permission check. */
void test_become_nobody(void);

#endif
