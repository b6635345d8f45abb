/*
 * What tests of files and processes need: a folder of their own, a process of their own.
 */
#ifndef TEST_SUPPORT_SYSTEM_H
#define TEST_SUPPORT_SYSTEM_H

enum { TEST_FOLDER = 64 };

/** A new, empty folder; fails the test when there can be none. */
void test_folder_make(char path[TEST_FOLDER]);

/** With all that is in it. */
void test_folder_remove(const char *path);

/** How many names are in a folder. */
int test_folder_count(const char *path);

/** What `body` returns (0 to 255), run in a child process: it may drop rights, change limits and
    namespaces. No cmocka in there. Fails the test when the child ends otherwise. */
int test_in_child(int (*body)(void *arg), void *arg);

/** For such a body: this process is nobody from now on. Root passes every permission check. */
void test_become_nobody(void);

#endif
