/*
 * Counts instructions in user mode with valgrind's tool cachegrind, without its cache simulation.
 * Used if the CPU has no counter that may be used. valgrind runs one thread at a time, so programs
 * with threads are often exact too.
 *
 * Files of a counted run, in a folder of its own:
 *
 *     PID       log, opened when a program starts; an exec replaces the log of its process
 *     PID.out   opened when a process exits, also by a child that was only forked
 *
 * The number of a forked child includes the instructions of its parent up to the fork, and nothing
 * says how many they were. A program with such a child is therefore refused: it is the one that has
 * PID.out, but no PID. A process that has only PID was killed before it could report.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "count_backend.h"
#include "process/spawn.h"

enum { LOG_MAX = 1 << 20, VERSION_NS = 1000000000 };

static const char *const options[] = {
    "--command-line-only=yes", /* ignore .valgrindrc */
    "--tool=cachegrind",
    "--cache-sim=no",
    "--trace-children=yes",
    "--child-silent-after-fork=yes",
    /* Without a debugger's pipe, whose name with the process id would be in /proc/self/maps:
       programs that parse that file, such as those of Rust, would not have equal counts. */
    "--vgdb=no",
};

enum { OPTIONS = sizeof options / sizeof options[0] };

static bool check(const struct tch_count_target *t, char source[TCH_COUNT_TEXT],
                  char why[TCH_COUNT_TEXT])
{
    const char *argv[] = {"valgrind", "--version", NULL};
    struct tch_spawn spawn = {.argv = argv};
    struct tch_buf version;
    bool found;

    (void)t;
    tch_buf_init(&version, 256);
    found =
        tch_spawn_read(&spawn, 10ull * VERSION_NS, &version, NULL, NULL) == 0 && version.len > 0;
    if (found)
        snprintf(source, TCH_COUNT_TEXT, "cachegrind of %.*s", (int)strcspn(version.data, "\n"),
                 version.data);
    else
        snprintf(why, TCH_COUNT_TEXT,
                 "the CPU has no counter that can be used, and valgrind is missing; see 'tacho "
                 "doctor'");
    tch_buf_release(&version);
    return found;
}

/* --- The logs --- */

/* Parses a line such as "==123== I   refs:      3,592,218", or "I refs:" of newer versions. Returns
   false for any other line. */
static bool parse_line(const char *line, size_t len, double *ret)
{
    const char *at = memmem(line, len, "refs:", 5);
    char digits[32];
    size_t n = 0;
    uint64_t value;

    if (!at || !memchr(line, 'I', (size_t)(at - line)))
        return false;
    for (at += 5; at < line + len && n < sizeof digits - 1; at++)
        if (*at >= '0' && *at <= '9')
            digits[n++] = *at;
    if (tch_parse_u64_n(digits, n, UINT64_MAX, &value) < 0)
        return false;
    *ret = (double)value;
    return true;
}

/* Adds the number in one log. The log of a process that was killed has no number. */
static void add_log(const char *path, struct tch_tally *tally)
{
    struct tch_buf b;
    bool found = false;
    double value;

    tch_buf_init(&b, LOG_MAX);
    if (tch_file_read(path, LOG_MAX, &b, NULL) == 0)
        for (const char *line = b.data; *line && !found;) {
            size_t len = strcspn(line, "\n");

            found = parse_line(line, len, &value);
            if (found)
                tally->value[TCH_COUNT_INSTRUCTIONS] += value;
            line += len + (line[len] != '\0');
        }
    if (!found)
        tch_tally_fail(tally, TACHO_EUNSUPPORTED,
                       "valgrind reported no instructions of a process; it may have been killed");
    tch_buf_release(&b);
}

/* Adds the log that is called `name`, or checks that there is one for the ".out" file `name`. */
static void take_file(const char *folder, const char *name, struct tch_tally *tally)
{
    size_t len = strcspn(name, ".");
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%.*s", folder, (int)len, name);
    if (name[len] == '\0')
        add_log(path, tally);
    else if (access(path, F_OK) < 0)
        tch_tally_fail(tally, TACHO_EUNSUPPORTED,
                       "the program forks a child that does not execute another program, and "
                       "cachegrind cannot count such a child");
}

static void empty_folder(DIR *dir)
{
    struct dirent *entry;

    rewinddir(dir);
    while ((entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(dir), entry->d_name, 0);
}

/* Reads all files of a folder and removes them with it. */
static void take_files(const char *folder, struct tch_tally *tally)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    if (!dir)
        return;
    while ((entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            take_file(folder, entry->d_name, tally);
    empty_folder(dir);
    closedir(dir);
    rmdir(folder);
}

/* --- A run --- */

/* Returns the words of valgrind and of the command; NULL if memory runs out. */
static const char **make_argv(const struct tch_count_target *t, const char *log, const char *out)
{
    size_t words = 0;
    const char **argv;

    while (t->argv[words])
        words++;
    argv = calloc(OPTIONS + words + 5, sizeof *argv);
    if (!argv)
        return NULL;
    argv[0] = "valgrind";
    memcpy(argv + 1, options, sizeof options);
    argv[OPTIONS + 1] = log;
    argv[OPTIONS + 2] = out;
    argv[OPTIONS + 3] = "--";
    memcpy(argv + OPTIONS + 4, t->argv, words * sizeof *argv);
    return argv;
}

/* Returns whether processes are still running after the command has exited. The counter has adopted
   them, and kills them before they can report their instructions. */
static bool has_orphans(void)
{
    pid_t got;

    while ((got = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
        ;
    return got == 0;
}

static void count(const struct tch_count_target *t, struct tch_tally *tally)
{
    char folder[] = "/tmp/tacho-count-XXXXXX";
    char log[64];
    char out[64];
    char path[PATH_MAX];
    tacho_error err;
    struct tch_count_start start = {.path = path, .env = t->env};
    pid_t pid;

    if (tch_find_program("valgrind", path, sizeof path, &err) < 0) {
        tch_tally_fail(tally, TACHO_EUNSUPPORTED, "%.190s", err.message);
        return;
    }
    if (!mkdtemp(folder)) {
        tch_tally_fail(tally, TACHO_EIO, "cannot make a folder in /tmp: %s",
                       strerrordesc_np(errno));
        return;
    }
    snprintf(log, sizeof log, "--log-file=%s/%%p", folder);
    snprintf(out, sizeof out, "--cachegrind-out-file=%s/%%p.out", folder);
    start.argv = make_argv(t, log, out);
    pid = start.argv ? tch_count_start(&start, tally) : -1;
    if (pid > 0)
        tch_count_wait(pid, tally);
    take_files(folder, tally);
    if (pid > 0 && has_orphans())
        tch_tally_fail(tally, TACHO_EUNSUPPORTED,
                       "the program leaves a process running, whose instructions are not known");
    if (pid > 0 && tally->code == 0 && tally->value[TCH_COUNT_INSTRUCTIONS] == 0)
        tch_tally_fail(
            tally, TACHO_EUNSUPPORTED,
            "valgrind reported no instructions; run the command by 'valgrind' to see why");
}

const struct tch_count_backend tch_count_cachegrind = {
    .counts = 1u << TCH_COUNT_INSTRUCTIONS,
    .check = check,
    .count = count,
    .by_cpu = true,
};
