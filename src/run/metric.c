/* Numbers in what a program prints. */
#include "metric.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lines.h"
#include "base/number.h"

enum { LINE_LONGEST = 1 << 20 };

static int fail_spec(tacho_error *err, const char *spec, const char *why)
{
    return tch_fail(err, TACHO_EINVAL, 0, "'%.80s' is not NAME=REGEX: %s", spec, why);
}

/* Names go into file formats as they are: kept simple. */
static bool good_name(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!(name[i] == '_' || (name[i] >= 'a' && name[i] <= 'z') ||
              (name[i] >= 'A' && name[i] <= 'Z') || (i > 0 && name[i] >= '0' && name[i] <= '9')))
            return false;
    return len > 0 && len <= 64;
}

int tch_metric_init(struct tch_metric *metric, const char *spec, tacho_error *err)
{
    bool all = strncmp(spec, "all:", 4) == 0;
    const char *name = all ? spec + 4 : spec;
    const char *equals = strchr(name, '=');
    char why[128];
    int number;

    *metric = (struct tch_metric){.id = {.all = all}};
    if (!equals)
        return fail_spec(err, spec, "there is no '='");
    if (!good_name(name, (size_t)(equals - name)))
        return fail_spec(err, spec, "a name is up to 64 letters, digits and '_'");
    if (!equals[1])
        return fail_spec(err, spec, "the expression is empty");
    metric->id.name = strdup(name);
    if (!metric->id.name)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory");
    metric->id.name[equals - name] = '\0';
    metric->text = metric->id.name + (equals - name) + 1;
    number = regcomp(&metric->regex, metric->text, REG_EXTENDED);
    if (number == 0)
        return 0;
    regerror(number, &metric->regex, why, sizeof why);
    free(metric->id.name);
    *metric = (struct tch_metric){0};
    if (number == REG_ESPACE)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory");
    return fail_spec(err, spec, why);
}

void tch_metric_release(struct tch_metric *metric)
{
    if (!metric->id.name)
        return;
    regfree(&metric->regex);
    free(metric->id.name);
    *metric = (struct tch_metric){0};
}

static int take_match(const struct tch_metric *metric, const char *text, const regmatch_t *m,
                      struct tch_values *values, tacho_error *err)
{
    const char *end = text + m->rm_eo;
    double value;

    if (m->rm_so < 0)
        return 0;
    text += m->rm_so;
    if (text < end && *text == '+')
        text++;
    if (tch_parse_f64_n(text, (size_t)(end - text), &value) < 0)
        return 0;
    if (!metric->id.all)
        values->n = 0;
    return tch_values_add(values, value, err);
}

/* line ends with a NUL. */
static int find_in_line(const struct tch_metric *metric, const char *line,
                        struct tch_values *values, tacho_error *err)
{
    regmatch_t m[2];
    int flags = 0;

    while (regexec(&metric->regex, line, 2, m, flags) == 0) {
        const regmatch_t *which = metric->regex.re_nsub > 0 ? &m[1] : &m[0];

        if (take_match(metric, line, which, values, err) < 0)
            return TACHO_ENOMEM;
        if (m[0].rm_eo == 0)
            break; /* it matches nothing at all: there would be no end */
        line += m[0].rm_eo;
        flags = REG_NOTBOL;
    }
    return 0;
}

static int find_in(const struct tch_metric *metrics, size_t count, struct tch_lines *lines,
                   struct tch_buf *copy, struct tch_values *values, tacho_error *err)
{
    struct tch_line line;
    int more;

    while ((more = tch_lines_next(lines, &line, err)) > 0) {
        if (line.too_long)
            continue;
        tch_buf_clear(copy);
        tch_buf_add(copy, line.text, line.len);
        if (copy->failed)
            return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for a line of output");
        for (size_t i = 0; i < count; i++)
            if (find_in_line(&metrics[i], copy->data, &values[i], err) < 0)
                return TACHO_ENOMEM;
    }
    return more;
}

int tch_metrics_find(const struct tch_metric *metrics, size_t count, int fd, off_t from,
                     const char *name, struct tch_values *values, tacho_error *err)
{
    struct tch_lines lines;
    struct tch_buf copy;
    int status;

    if (lseek(fd, from, SEEK_SET) < 0)
        return tch_fail_errno(err, errno, "cannot go back in '%s'", name);
    tch_lines_init_fd(&lines, fd, name, LINE_LONGEST);
    tch_buf_init(&copy, LINE_LONGEST);
    status = find_in(metrics, count, &lines, &copy, values, err);
    tch_buf_release(&copy);
    tch_lines_release(&lines);
    return status;
}
