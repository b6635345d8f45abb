/*
 * Finds metrics in a child process, because regexec() has no limits. Back references take
 * exponential time. Without them, the time is quadratic in the length of a line ("a+b"), and
 * counted repetitions make large automata: "(a|b)*a(a|b){200}c" takes 6 s and 560 MB for a line of
 * 1,000 letters. So no limit on the expression or on the line is enough.
 *
 * The child writes a head for each metric, followed by its numbers. If the child dies, the number
 * of heads shows at which metric.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "metric_rule.h"
#include "process/limited_child.h"

enum {
    SECONDS_BASE = 5,           /* limit of CPU time, plus one second */
    BYTES_PER_SECOND = 8 << 20, /* per this many bytes searched for one metric; usually ten times as
                                   many are searched per second */
    MEMORY = 256 << 20,
    ANSWER_MAX = 1 << 30,
};

struct search {
    const struct tch_metric_rule *metrics;
    size_t count;
    const struct tch_run_outputs *outputs;
};

struct head {
    tacho_error err; /* code 0: success */
    size_t numbers;
    char refused[TCH_REFUSED_TEXT]; /* as in struct tch_column */
};

static void search_one(int fd, const struct tch_metric_rule *metric,
                       const struct tch_run_outputs *out)
{
    static const char *const names[] = {"standard output", "standard error"};
    struct tch_found_numbers found = {0};
    struct head head = {.err = {.code = 0}};
    int status = 0;

    for (int i = 0; i < 2 && status == 0; i++)
        if (out->fd[i] >= 0 && metric->source == TCH_FROM_OUTPUT)
            status = tch_metric_rule_find(metric, out->fd[i], i == 0 ? out->from : 0, names[i],
                                          &found, &head.err);
    head.numbers = status == 0 ? found.values.n : 0;
    memcpy(head.refused, found.refused, sizeof head.refused);
    if (status == TACHO_ENOMEM ||
        tch_write_all(fd, "a pipe", (const char *)&head, sizeof head, NULL) < 0 ||
        tch_write_all(fd, "a pipe", (const char *)found.values.v,
                      head.numbers * sizeof *found.values.v, NULL) < 0)
        _exit(1);
    tch_values_release(&found.values);
}

static void search_all(int fd, void *ctx)
{
    const struct search *s = ctx;

    for (size_t i = 0; i < s->count; i++)
        search_one(fd, &s->metrics[i], s->outputs);
}

/* Returns the number of bytes of both outputs that are not holes. */
static uint64_t output_bytes(const struct tch_run_outputs *outputs)
{
    uint64_t sum = 0;

    for (int i = 0; i < 2; i++) {
        struct stat st;

        if (outputs->fd[i] >= 0 && fstat(outputs->fd[i], &st) == 0)
            sum += (uint64_t)st.st_blocks * 512;
    }
    return sum;
}

/* Parses the answer into the numbers of all metrics. Returns the index of the first metric without
   numbers because the child failed, with the reason if the child sent it. Returns `count` if all
   are complete. */
static size_t read_answer(const struct tch_buf *answer, size_t count,
                          struct tch_found_numbers *found, tacho_error *why)
{
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        struct head head;

        if (answer->len - at < sizeof head)
            return i;
        memcpy(&head, answer->data + at, sizeof head);
        at += sizeof head;
        memcpy(found[i].refused, head.refused, sizeof head.refused);
        if (head.err.code < 0)
            *why = head.err;
        if (head.err.code < 0 || head.numbers > (answer->len - at) / sizeof(double))
            return i;
        for (size_t j = 0; j < head.numbers; j++, at += sizeof(double)) {
            double value;

            memcpy(&value, answer->data + at, sizeof value);
            if (tch_values_add(&found[i].values, value, why) < 0)
                return i;
        }
    }
    return count;
}

int tch_metric_rules_find(const struct tch_metric_rule *metrics, size_t count,
                          const struct tch_run_outputs *outputs, const volatile sig_atomic_t *stop,
                          struct tch_found_numbers *found, tacho_error *err)
{
    struct search search = {metrics, count, outputs};
    struct tch_child_limits limits = {
        .cpu_seconds = SECONDS_BASE + output_bytes(outputs) * count / BYTES_PER_SECOND,
        .memory_bytes = MEMORY,
        .stop = stop,
    };
    tacho_error why = {.code = 0};
    struct tch_buf answer;
    size_t complete;

    if (count == 0)
        return 0;
    tch_buf_init(&answer, ANSWER_MAX);
    (void)tch_child_call(&limits, search_all, &search, &answer, &why);
    complete = read_answer(&answer, count, found, &why);
    tch_buf_release(&answer);
    if (complete == count)
        return 0;
    if (why.code == TACHO_ELIMIT)
        return tch_fail(
            err, TACHO_ELIMIT, 0,
            "metric '%s': searching the output with '%.60s' failed: %s; write a simpler "
            "expression, with fewer repetitions and without \\1",
            metrics[complete].name, metrics[complete].text, why.message);
    if (err)
        *err = why;
    return why.code;
}
