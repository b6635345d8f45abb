/* Tests that a signal handler finds the temporary files of this process, and of no other. */
#include "support/test.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temp_files.h"
#include "support/system.h"

/* Returns the number of files in the folder of the test. */
static size_t count_files(void)
{
    DIR *dir = opendir(test_home);
    struct dirent *entry;
    size_t count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)))
        count += entry->d_type == DT_REG;
    closedir(dir);
    return count;
}

static void open_temps_are_removed(void **state)
{
    struct tch_replace done, open;

    (void)state;
    assert_int_equal(tch_replace_open(&done, test_at("done"), NULL), 0);
    assert_int_equal(tch_replace_commit(&done, NULL), 0);
    assert_int_equal(tch_replace_open(&open, test_at("open"), NULL), 0);
    assert_int_equal(count_files(), 2);
    tch_temp_files_remove();
    assert_int_equal(count_files(), 1);
    assert_int_equal(access(test_at("done"), F_OK), 0);
    tch_replace_abort(&open);
}

static void a_child_removes_nothing(void **state)
{
    struct tch_replace open;
    int status;
    pid_t pid;

    (void)state;
    assert_int_equal(tch_replace_open(&open, test_at("open"), NULL), 0);
    pid = fork();
    if (pid == 0) {
        tch_temp_files_remove();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(count_files(), 1);
    assert_int_equal(tch_replace_commit(&open, NULL), 0);
}

/* More than the table holds are possible, but are not all removed. */
static void many_can_be_open(void **state)
{
    enum { MANY = 40 };
    static struct tch_replace open[MANY];

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++)
            assert_int_equal(tch_replace_open(&open[i], test_at("open"), NULL), 0);
        for (int i = 0; i < MANY; i++)
            tch_replace_abort(&open[i]);
    }
    assert_int_equal(count_files(), 0);
    assert_int_equal(tch_replace_open(&open[0], test_at("open"), NULL), 0);
    tch_temp_files_remove(); /* the rows are free again */
    assert_int_equal(count_files(), 0);
    tch_replace_abort(&open[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(open_temps_are_removed),
        TEST_IN_HOME(a_child_removes_nothing),
        TEST_IN_HOME(many_can_be_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
