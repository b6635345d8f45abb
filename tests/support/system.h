/*
 * What tests of files and processes need: a folder of their own, a process of their own.
 */
#ifndef TEST_SUPPORT_SYSTEM_H
#define TEST_SUPPORT_SYSTEM_H

/** The folder of a test that is listed by TEST_IN_HOME: new and empty, removed afterwards. */
extern char test_home[64];

int test_home_make(void **state);
int test_home_remove(void **state);

#define TEST_IN_HOME(test) cmocka_unit_test_setup_teardown(test, test_home_make, test_home_remove)

/** The path of a name in test_home, valid for the next seven calls. */
const char *test_at(const char *name);

/** A file with this text, and whether it has this text. */
void test_put(const char *path, const char *text);
void test_assert_content(const char *path, const char *text);

/** How many names are in a folder. */
int test_folder_count(const char *path);

/** What `body` returns (0 to 255), run in a child process: it may drop rights, change limits and
    namespaces. No cmocka in there. Fails the test when the child ends otherwise. */
int test_in_child(int (*body)(void *arg), void *arg);

/** Runs `body` so, with test_home a new file system of `kib` KiB; it must return 0. Skips the test
    where none can be mounted. */
void test_on_small_disk(unsigned kib, int (*body)(void));

/** For such a body: this process is nobody from now on. Root passes every permission check. */
void test_become_nobody(void);

#endif
