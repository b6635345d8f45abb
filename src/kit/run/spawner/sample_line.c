/* Writes a sample's numbers as JSON without the C library, because the spawner does it between two
   runs. spawner_parts.h explains why. */
#include "spawner_parts.h"

#include <errno.h>
#include <math.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEY_TEXT = 24, LINE_TEXT = 2048 };

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

static char keys[TCH_FIELDS][KEY_TEXT];

void tch_spawner_log_init(void)
{
    for (int i = 0; i < TCH_FIELDS; i++)
        snprintf(keys[i], sizeof keys[i], "%.*s", KEY_TEXT - 1,
                 tch_field_metric((enum tch_field)i)->key);
}

/* Writes the members of a run, in the order of tch_result_write_run(). */
static char *put_members(char *at, const struct tch_run_sample *sample)
{
    const struct tch_result_run *run = &sample->run;
    bool signalled = WIFSIGNALED(run->status);

    at = tch_spawner_put_number(tch_spawner_put_text(at, "\"run\":"), run->run, 1);
    at = put_member(at, "pair", run->pair);
    at = put_member(at, "start_ns", run->start_ns);
    for (int i = 0; i < TCH_FIELDS; i++)
        if (!isnan(sample->field[i])) /* never those from the energy on, which tacho itself adds */
            at = put_member(at, keys[i], (uint64_t)sample->field[i]);
    at = put_member(at, "exit_status",
                    signalled ? 128u + WTERMSIG(run->status) : (uint64_t)WEXITSTATUS(run->status));
    if (signalled)
        at = put_member(at, "signal", (uint64_t)WTERMSIG(run->status));
    if (run->timed_out)
        at = tch_spawner_put_text(at, ",\"timed_out\":true");
    if (run->left_running)
        at = tch_spawner_put_text(at, ",\"left_running\":true");
    return at;
}

int tch_spawner_log(int fd, const struct tch_run_sample *sample)
{
    static char line[LINE_TEXT];
    char *at = put_members(tch_spawner_put_text(line, "{"), sample);
    long n;

    at = tch_spawner_put_text(at, "}\n");
    do
        n = syscall(SYS_write, fd, line, at - line);
    while (n < 0 && errno == EINTR);
    if (n >= 0 && n != at - line)
        errno = ENOSPC;
    return n == at - line ? 0 : -1;
}
