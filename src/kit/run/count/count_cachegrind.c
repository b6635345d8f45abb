/*
 * Counts instructions in user mode with valgrind's tool cachegrind, without its cache simulation.
 * Used if the CPU has no counter that may be used. valgrind runs one thread at a time, so programs
 * with threads are often exact too.
 *
 * Each executed program writes a log with its number of instructions. A child that is only forked
 * starts with the number of its parent. It could not be added, so such children write no log.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "base/spawn.h"
#include "count_backend.h"

enum { LOG_MAX = 1 << 20, VERSION_NS = 1000000000 };

static const char *const options[] = {
    "--command-line-only=yes", /* ignore .valgrindrc */
    "--tool=cachegrind",       "--cache-sim=no",
    "--trace-children=yes",    "--child-silent-after-fork=yes",
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

/* Adds the number in one log. A program that executed another one wrote no number. */
static void add_log(const char *path, struct tch_tally *tally)
{
    struct tch_buf b;
    double value;

    tch_buf_init(&b, LOG_MAX);
    if (tch_file_read(path, LOG_MAX, &b, NULL) == 0)
        for (const char *line = b.data; *line;) {
            size_t len = strcspn(line, "\n");

            if (parse_line(line, len, &value)) {
                tally->value[TCH_COUNT_INSTRUCTIONS] += value;
                break;
            }
            line += len + (line[len] != '\0');
        }
    tch_buf_release(&b);
}

/* Reads all logs of a folder and removes them with it. */
static void take_logs(const char *folder, struct tch_tally *tally)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char path[PATH_MAX];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        add_log(path, tally);
        unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

/* --- A run --- */

/* Returns the words of valgrind and of the command; NULL if memory runs out. */
static const char **make_argv(const struct tch_count_target *t, const char *log)
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
    argv[OPTIONS + 2] = "--cachegrind-out-file=/dev/null";
    argv[OPTIONS + 3] = "--";
    memcpy(argv + OPTIONS + 4, t->argv, words * sizeof *argv);
    return argv;
}

static void count(const struct tch_count_target *t, struct tch_tally *tally)
{
    char folder[] = "/tmp/tacho-count-XXXXXX";
    char log[64];
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
    start.argv = make_argv(t, log);
    pid = start.argv ? tch_count_start(&start, tally) : -1;
    if (pid > 0)
        tch_count_wait(pid, tally);
    take_logs(folder, tally);
    if (pid > 0 && tally->value[TCH_COUNT_INSTRUCTIONS] == 0)
        tch_tally_fail(tally, TACHO_EUNSUPPORTED, "valgrind reported no instructions");
}

const struct tch_count_backend tch_count_cachegrind = {
    .counts = 1u << TCH_COUNT_INSTRUCTIONS,
    .check = check,
    .count = count,
    .by_cpu = true,
};
