/*
 * Counts page faults, minor and major, as the kernel adds them up for a process and the children
 * that it waited for. Whether a fault is major depends on whether the page is already in memory, so
 * only the sum is a property of the program.
 *
 * Faults before the exec belong to the counter. The child asks to be traced, so it stops after the
 * exec. Its faults up to then are read and subtracted, and tracing ends.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "count_backend.h"

static void ask_to_be_traced(void *ctx)
{
    struct tch_tally *tally = ctx;

    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) {
        tch_tally_fail(tally, TACHO_EUNSUPPORTED,
                       "ptrace is not permitted, which is needed to see the exec: %s",
                       strerrordesc_np(errno));
        _exit(127);
    }
}

/* Returns the faults of a process so far, fields 10 and 12 of its stat; -1 if they cannot be
   read. */
static double faults_so_far(pid_t pid)
{
    enum { MINOR = 10, MAJOR = 12 };
    char path[64];
    struct tch_buf b;
    double sum = -1;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    tch_buf_init(&b, 4096);
    if (tch_file_read(path, 4096, &b, NULL) == 0 && strrchr(b.data, ')')) {
        const char *at = strrchr(b.data, ')') + 1; /* the name may contain blanks */
        uint64_t value;

        sum = 0;
        for (int field = 3; field <= MAJOR && *at; field++) {
            size_t len;

            at += strspn(at, " ");
            len = strcspn(at, " \n");
            if ((field == MINOR || field == MAJOR) &&
                tch_parse_u64_n(at, len, UINT64_MAX, &value) == 0)
                sum += (double)value;
            at += len;
        }
    }
    tch_buf_release(&b);
    return sum;
}

static void count(const struct tch_count_target *t, struct tch_tally *tally)
{
    struct tch_count_start start = {.path = t->path,
                                    .argv = t->argv,
                                    .env = t->env,
                                    .before_exec = ask_to_be_traced,
                                    .ctx = tally};
    pid_t pid = tch_count_start(&start, tally);
    struct rusage usage = {0};
    double before = 0;

    if (pid < 0)
        return;
    tch_count_wait(pid, tally);
    if (WIFSTOPPED(tally->status)) {
        before = faults_so_far(pid);
        if (before < 0)
            tch_tally_fail(tally, TACHO_EUNSUPPORTED, "/proc cannot be read");
        ptrace(PTRACE_DETACH, pid, NULL, NULL);
        while (wait4(pid, &tally->status, 0, &usage) < 0 && errno == EINTR)
            ;
    }
    tally->value[TCH_COUNT_FAULTS] = (double)usage.ru_minflt + (double)usage.ru_majflt - before;
}

const struct tch_count_backend tch_count_faults = {
    .counts = 1u << TCH_COUNT_FAULTS,
    .source = "the kernel, from exec on, with descendants that were waited for",
    .count = count,
};
