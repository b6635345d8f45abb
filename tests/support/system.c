/* Folders and processes for tests. */
#include "support/system.h"

#include <dirent.h>
#include <ftw.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

void test_folder_make(char path[TEST_FOLDER])
{
    const char *tmp = getenv("TMPDIR");

    snprintf(path, TEST_FOLDER, "%s/tacho-test-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    if (!mkdtemp(path))
        fail_msg("cannot make a folder such as '%s'", path);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

void test_folder_remove(const char *path)
{
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        fail_msg("cannot remove '%s'", path);
}

int test_folder_count(const char *path)
{
    DIR *dir = opendir(path);
    int count = -2; /* "." and ".." */

    if (!dir)
        fail_msg("cannot open folder '%s'", path);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

int test_in_child(int (*body)(void *arg), void *arg)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(body(arg));
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        fail_msg("cannot run a child process");
    if (!WIFEXITED(status))
        fail_msg("the child ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

void test_become_nobody(void)
{
    enum { NOBODY = 65534 };

    if (geteuid() != 0)
        return;
    if (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
        _exit(99);
}
