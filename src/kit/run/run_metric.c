/* Finds numbers in the output of a program. */
#include "run_plan.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "base/number.h"

enum { LINE_LONGEST = 1 << 20 };

static int fail_spec(tacho_error *err, const char *spec, const char *why)
{
    return tch_fail(err, TACHO_EINVAL, 0, "'%.80s' is not NAME=REGEX: %s", spec, why);
}

/* Names are written to files as they are, so they are simple. */
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
        return tch_fail_memory(err);
    metric->id.name[equals - name] = '\0';
    metric->text = metric->id.name + (equals - name) + 1;
    number = regcomp(&metric->regex, metric->text, REG_EXTENDED);
    if (number == 0)
        return 0;
    regerror(number, &metric->regex, why, sizeof why);
    free(metric->id.name);
    *metric = (struct tch_metric){0};
    if (number == REG_ESPACE)
        return tch_fail_memory(err);
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

/* Parses the number of a match. False when it is not a number. */
static bool number_of(const struct tch_metric *metric, const char *line, const regmatch_t m[2],
                      double *ret)
{
    const regmatch_t *which = metric->regex.re_nsub > 0 ? &m[1] : &m[0];
    const char *text = line + which->rm_so;
    const char *end = line + which->rm_eo;

    if (which->rm_so < 0)
        return false;
    if (text < end && *text == '+')
        text++;
    return tch_parse_f64_n(text, (size_t)(end - text), ret) == 0;
}

/* Adds every number of a line, or the last one. 1 when there was one. Ignores a line that is too
   long. */
static int find_in_line(const struct tch_metric *metric, const char *text, size_t len,
                        struct tch_buf *copy, struct tch_values *values, tacho_error *err)
{
    const char *line;
    regmatch_t m[2];
    double last = 0;
    bool found = false;

    if (len > LINE_LONGEST)
        return 0;
    tch_buf_clear(copy);
    tch_buf_add(copy, text, len); /* regexec() needs a NUL after the line */
    if (copy->failed)
        return tch_fail_memory(err);
    line = copy->data;
    for (int flags = 0; regexec(&metric->regex, line, 2, m, flags) == 0; flags = REG_NOTBOL) {
        double value;

        if (number_of(metric, line, m, &value)) {
            if (metric->id.all && tch_values_add(values, value, err) < 0)
                return TACHO_ENOMEM;
            last = value;
            found = true;
        }
        if (m[0].rm_eo == 0)
            break; /* an empty match would repeat for ever */
        line += m[0].rm_eo;
    }
    if (found && !metric->id.all) {
        values->n = 0;
        if (tch_values_add(values, last, err) < 0)
            return TACHO_ENOMEM;
    }
    return found;
}

static int find_every(const struct tch_metric *metric, const char *data, size_t len,
                      struct tch_buf *copy, struct tch_values *values, tacho_error *err)
{
    const char *end = data + len;
    int status = 0;

    while (data < end && status >= 0) {
        const char *feed = memchr(data, '\n', (size_t)(end - data));
        const char *stop = feed ? feed : end;

        status = find_in_line(metric, data, (size_t)(stop - data), copy, values, err);
        data = stop + 1;
    }
    return status < 0 ? status : 0;
}

/* Searches from the end, so that a long output costs no more than a short one. */
static int find_last(const struct tch_metric *metric, const char *data, size_t len,
                     struct tch_buf *copy, struct tch_values *values, tacho_error *err)
{
    int status = 0;

    while (len > 0 && status == 0) {
        const char *feed;
        size_t start;

        if (data[len - 1] == '\n')
            len--;
        feed = memrchr(data, '\n', len);
        start = feed ? (size_t)(feed + 1 - data) : 0;
        status = find_in_line(metric, data + start, len - start, copy, values, err);
        len = start;
    }
    return status < 0 ? status : 0;
}

int tch_metrics_find(const struct tch_metric *metrics, size_t count, int fd, off_t from,
                     const char *name, struct tch_values *values, tacho_error *err)
{
    struct tch_buf copy;
    struct stat st;
    char *map;
    int status = 0;

    if (fstat(fd, &st) < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", name);
    if (st.st_size <= from)
        return 0;
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return tch_fail_errno(err, errno, "cannot read '%s'", name);
    tch_buf_init(&copy, LINE_LONGEST);
    for (size_t i = 0; i < count && status == 0; i++)
        status = (metrics[i].id.all ? find_every : find_last)(
            &metrics[i], map + from, (size_t)(st.st_size - from), &copy, &values[i], err);
    tch_buf_release(&copy);
    munmap(map, (size_t)st.st_size);
    return status;
}

void tch_metrics_write(struct tch_buf *b, const struct tch_metric *metrics, size_t count)
{
    tch_json_begin_array(b);
    for (size_t i = 0; i < count; i++) {
        tch_json_begin_object(b);
        tch_json_put_text(b, "name", metrics[i].id.name);
        tch_json_put_text(b, "regex", metrics[i].text);
        tch_json_put_bool(b, "all", metrics[i].id.all);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}
