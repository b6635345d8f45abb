/* Lines of samples.jsonl as tch_run_sample_write() makes them, but by system calls alone. */
#include "spawner_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEY_ROOM = 32, LINE_ROOM = 2048 };

static char keys[TCH_FIELDS][KEY_ROOM]; /* ,"wall_ns": and so on, near to each other */
static char line[LINE_ROOM];

char *tch_put_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    *at = '\0';
    return at;
}

char *tch_put_number(char *at, uint64_t number, int digits)
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
    return tch_put_number(tch_put_text(at, key), number, 1);
}

void tch_spawner_log_init(void)
{
    for (int i = 0; i < TCH_FIELDS; i++)
        snprintf(keys[i], sizeof keys[i], ",\"%s\":", tch_fields[i].name);
}

int tch_spawner_log(int fd, const struct tch_run_sample *sample)
{
    char *at = put_member(line, "{\"run\":", sample->run);
    long n;

    at = put_member(at, ",\"pair\":", sample->pair);
    at = put_member(at, ",\"start_ns\":", sample->start_ns);
    for (int i = 0; i < TCH_FIELDS; i++)
        if (!isnan(sample->field[i]))
            at = put_member(at, keys[i], (uint64_t)sample->field[i]);
    at = put_member(at, ",\"exit_status\":",
                    WIFSIGNALED(sample->status) ? 128u + WTERMSIG(sample->status)
                                                : (uint64_t)WEXITSTATUS(sample->status));
    if (WIFSIGNALED(sample->status))
        at = put_member(at, ",\"signal\":", (uint64_t)WTERMSIG(sample->status));
    if (sample->timed_out)
        at = tch_put_text(at, ",\"timed_out\":true");
    if (sample->left_running)
        at = tch_put_text(at, ",\"left_running\":true");
    at = tch_put_text(at, "}\n");
    do
        n = syscall(SYS_write, fd, line, at - line);
    while (n < 0 && errno == EINTR);
    if (n >= 0 && n != at - line)
        errno = ENOSPC;
    return n == at - line ? 0 : -1;
}
