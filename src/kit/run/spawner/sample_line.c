/* Writes a sample's numbers as JSON without the C library, because the spawner does it between two
   runs. spawner_parts.h explains why. */
#include "spawner_parts.h"

#include <errno.h>
#include <math.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

char *tch_spawner_put_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    *at = '\0';
    return at;
}

char *tch_spawner_put_number(char *at, uint64_t number, int digits)
{
    char reversed[24];
    int n = 0;

    for (; number > 0 || n < digits; number /= 10)
        reversed[n++] = (char)('0' + number % 10);
    while (n > 0)
        *at++ = reversed[--n];
    *at = '\0';
    return at;
}

static char *put_member(char *at, const char *key, uint64_t number)
{
    at = tch_spawner_put_text(tch_spawner_put_text(at, ",\""), key);
    return tch_spawner_put_number(tch_spawner_put_text(at, "\":"), number, 1);
}

char *tch_run_sample_put(char *at, const struct tch_run_sample *sample, const char *energy)
{
    bool signalled = WIFSIGNALED(sample->status);

    at = tch_spawner_put_number(tch_spawner_put_text(at, "\"run\":"), sample->run, 1);
    at = put_member(at, "pair", sample->pair);
    at = put_member(at, "start_ns", sample->start_ns);
    for (int i = 0; i < TCH_FIELDS; i++)
        if (i != TCH_ENERGY && !isnan(sample->field[i]))
            at = put_member(at, tch_fields[i].name, (uint64_t)sample->field[i]);
    at = tch_spawner_put_text(at, energy);
    at = put_member(at, "exit_status",
                    signalled ? 128u + WTERMSIG(sample->status)
                              : (uint64_t)WEXITSTATUS(sample->status));
    if (signalled)
        at = put_member(at, "signal", (uint64_t)WTERMSIG(sample->status));
    if (sample->timed_out)
        at = tch_spawner_put_text(at, ",\"timed_out\":true");
    if (sample->left_running)
        at = tch_spawner_put_text(at, ",\"left_running\":true");
    return at;
}

int tch_spawner_log(int fd, const struct tch_run_sample *sample)
{
    static char line[TCH_RUN_SAMPLE_TEXT];
    char *at = tch_run_sample_put(tch_spawner_put_text(line, "{"), sample, "");
    long n;

    at = tch_spawner_put_text(at, "}\n");
    do
        n = syscall(SYS_write, fd, line, at - line);
    while (n < 0 && errno == EINTR);
    if (n >= 0 && n != at - line)
        errno = ENOSPC;
    return n == at - line ? 0 : -1;
}
