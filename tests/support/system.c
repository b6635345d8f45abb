/* Folders and processes for tests. */
#include "system.h"

#include <dirent.h>
#include <ftw.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "test.h"

enum { NO_SMALL_DISK = 77 };

char test_home[64];

int test_home_make(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(test_home, sizeof test_home, "%s/tacho-test-XXXXXX",
             tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    return mkdtemp(test_home) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

int test_home_remove(void **state)
{
    (void)state;
    return nftw(test_home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *test_at(const char *name)
{
    static char paths[8][PATH_MAX];
    static int turn;
    char *path = paths[turn++ % 8];

    snprintf(path, PATH_MAX, "%s/%s", test_home, name);
    return path;
}

long test_tries(long usual)
{
    const char *text = getenv("TRIES");
    uint64_t wanted;

    return text && tch_parse_u64(text, INT32_MAX, &wanted) == 0 ? (long)wanted : usual;
}

void test_put(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        fail_msg("cannot write '%s'", path);
}

void test_assert_content(const char *path, const char *text)
{
    char got[4096];
    FILE *file = fopen(path, "re");
    size_t len;

    if (!file)
        fail_msg("cannot open '%s'", path);
    len = fread(got, 1, sizeof got - 1, file);
    got[len] = '\0';
    fclose(file);
    assert_string_equal(got, text);
}

int test_folder_count(const char *path)
{
    DIR *dir = opendir(path);
    int count = -2; /* "." and ".." */

    if (!dir)
        return -1;
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

int test_in_child(int (*body)(void *arg), void *arg)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(body(arg));
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        fail_msg("cannot run a child process");
    if (!WIFEXITED(status))
        fail_msg("the child ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

struct small_disk {
    unsigned kib;
    int (*body)(void);
};

static int write_map(const char *path, unsigned id)
{
    FILE *file = fopen(path, "we");

    if (!file)
        return -1;
    fprintf(file, "%u %u 1\n", id, id);
    return fclose(file);
}

/* Makes a mount namespace. An ordinary user may do so in a user namespace that has this user only,
   which gives up setgroups(2). */
static int unshare_mounts(void)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    FILE *file;

    if (uid == 0)
        return unshare(CLONE_NEWNS);
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 || !(file = fopen("/proc/self/setgroups", "we")))
        return -1;
    fputs("deny", file);
    if (fclose(file) < 0 || write_map("/proc/self/uid_map", uid) < 0)
        return -1;
    return write_map("/proc/self/gid_map", gid);
}

/* Runs in a namespace of its own, so that nothing stays mounted. */
static int run_on_small_disk(void *arg)
{
    const struct small_disk *disk = arg;
    char size[32];

    snprintf(size, sizeof size, "size=%uk", disk->kib);
    if (unshare_mounts() < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("tmpfs", test_home, "tmpfs", 0, size) < 0)
        return NO_SMALL_DISK;
    return disk->body();
}

void test_on_small_disk(unsigned kib, int (*body)(void))
{
    int result = test_in_child(run_on_small_disk, &(struct small_disk){kib, body});

    if (result == NO_SMALL_DISK) {
        print_message("skipped: no tmpfs can be mounted here\n");
        skip();
    }
    assert_int_equal(result, 0);
}

void test_become_nobody(void)
{
    enum { NOBODY = 65534 };

    if (geteuid() != 0)
        return;
    if (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
        _exit(99);
}
