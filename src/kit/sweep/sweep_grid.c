/* Parameters, values and cells. */
#include "sweep_grid.h"

#include <ctype.h>
#include <math.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/sha256.h"

enum {
    NUMBER_TEXT = 32,
    FILLED_MAX = 16 << 20,
    STEPS_MOST = 100000, /* steps of a range, including those that round to the same number */
};

void tch_grid_release(struct tch_grid *grid)
{
    for (size_t i = 0; i < grid->count; i++) {
        for (size_t j = 0; j < grid->param[i].count; j++)
            free(grid->param[i].text[j]);
        free(grid->param[i].text);
        free(grid->param[i].number);
    }
    grid->count = 0;
}

/* Returns whether results.csv has a column of this name beside the parameters. */
static bool is_reserved(const char *name, size_t len)
{
    static const char *const names[] = {"cell", "state", "runs", "pareto"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return true;
    return false;
}

static bool is_name(const char *name, size_t len)
{
    bool fine = len > 0 && len < TCH_GRID_NAME && (isalpha((unsigned char)*name) || *name == '_');

    for (size_t i = 0; i < len && fine; i++)
        fine = isalnum((unsigned char)name[i]) || name[i] == '_' || name[i] == '-';
    return fine;
}

static int find_param(const struct tch_grid *grid, const char *name, size_t len)
{
    for (size_t i = 0; i < grid->count; i++)
        if (strlen(grid->param[i].name) == len && memcmp(grid->param[i].name, name, len) == 0)
            return (int)i;
    return -1;
}

static int new_param(struct tch_grid *grid, const char *name, size_t len, tacho_error *err)
{
    struct tch_param *p = &grid->param[grid->count];

    if (!is_name(name, len))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "'%.*s' cannot be a parameter; use letters, digits, '_' and '-', beginning "
                        "with a letter",
                        (int)(len < 80 ? len : 80), name);
    if (is_reserved(name, len))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "a parameter cannot be called '%.*s', because results.csv has a column of "
                        "this name",
                        (int)len, name);
    if (find_param(grid, name, len) >= 0)
        return tch_fail(err, TACHO_EINVAL, 0, "parameter '%.*s' is given twice", (int)len, name);
    if (grid->count == TCH_GRID_PARAMS)
        return tch_fail(err, TACHO_ELIMIT, 0, "a grid has at most %d parameters", TCH_GRID_PARAMS);
    *p = (struct tch_param){.numeric = true};
    memcpy(p->name, name, len);
    grid->count++;
    return 0;
}

static int add_value(struct tch_grid *grid, struct tch_param *p, const char *value, size_t len,
                     tacho_error *err)
{
    size_t others = 1; /* number of cells without this parameter */

    for (size_t i = 0; i < grid->count; i++)
        if (&grid->param[i] != p)
            others *= grid->param[i].count > 0 ? grid->param[i].count : 1;
    if ((p->count + 1) * others > TCH_GRID_CELLS)
        return tch_fail(err, TACHO_ELIMIT, 0,
                        "a grid has at most %d cells; '%s' has too many values", TCH_GRID_CELLS,
                        p->name);
    if (len == 0)
        return tch_fail(err, TACHO_EINVAL, 0, "parameter '%s' has an empty value", p->name);
    if (len > TCH_GRID_VALUE)
        return tch_fail(err, TACHO_ELIMIT, 0, "a value of parameter '%s' has more than %d bytes",
                        p->name, TCH_GRID_VALUE);
    if (tch_array_extend(&p->text, p->count) < 0 || tch_array_extend(&p->number, p->count) < 0 ||
        !(p->text[p->count] = malloc(len + 1)))
        return tch_fail_memory(err);
    memcpy(p->text[p->count], value, len);
    p->text[p->count][len] = '\0';
    p->number[p->count] = NAN;
    if (tch_parse_f64_n(value, len, &p->number[p->count]) < 0 || isinf(p->number[p->count]))
        p->numeric = false;
    p->count++;
    return 0;
}

/* Adds a value that a user typed; one given twice is an error. The values of a range always
   differ. */
static int add_new_value(struct tch_grid *grid, struct tch_param *p, const char *value, size_t len,
                         tacho_error *err)
{
    for (size_t i = 0; i < p->count; i++)
        if (strlen(p->text[i]) == len && memcmp(p->text[i], value, len) == 0)
            return tch_fail(err, TACHO_EINVAL, 0, "parameter '%s' has the value '%.*s' twice",
                            p->name, (int)(len < 80 ? len : 80), value);
    return add_value(grid, p, value, len, err);
}

int tch_grid_add_value(struct tch_grid *grid, const char *name, const char *value, tacho_error *err)
{
    size_t len = strlen(name);
    int at = find_param(grid, name, len);
    int status = at < 0 ? new_param(grid, name, len, err) : 0;

    if (status < 0)
        return status;
    return add_new_value(grid, &grid->param[at < 0 ? grid->count - 1 : (size_t)at], value,
                         strlen(value), err);
}

/* Parses the name before '='. Sets *rest to the text after it. */
static int begin_spec(struct tch_grid *grid, const char *spec, const char *wants, const char **rest,
                      tacho_error *err)
{
    const char *equals = strchr(spec, '=');

    if (!equals)
        return tch_fail(err, TACHO_EINVAL, 0, "'%.80s' is not NAME=%s", spec, wants);
    *rest = equals + 1;
    return new_param(grid, spec, (size_t)(equals - spec), err);
}

int tch_grid_add(struct tch_grid *grid, const char *spec, tacho_error *err)
{
    const char *at = spec;
    int status = begin_spec(grid, spec, "VALUE,VALUE...", &at, err);

    while (status == 0) {
        size_t len = strcspn(at, ",");

        status = add_new_value(grid, &grid->param[grid->count - 1], at, len, err);
        if (at[len] == '\0')
            break;
        at += len + 1;
    }
    return status;
}

/* A parsed "START:END[:STEP|:logBASE]". */
struct range {
    double start, end, step;
    bool log; /* logarithmic: step is a factor */
};

static int parse_range(const char *text, struct range *r, tacho_error *err)
{
    size_t first = strcspn(text, ":");
    const char *second = text[first] ? text + first + 1 : "";
    size_t len = strcspn(second, ":");
    const char *how = second[len] ? second + len + 1 : "1";
    bool fine =
        tch_parse_f64_n(text, first, &r->start) == 0 && tch_parse_f64_n(second, len, &r->end) == 0;

    r->log = strncmp(how, "log", 3) == 0;
    fine = fine && tch_parse_f64(how + (r->log ? 3 : 0), &r->step) == 0;
    if (!fine || !isfinite(r->start) || !isfinite(r->end) || !isfinite(r->step))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "'%.80s' is not a range; use START:END, START:END:STEP or START:END:log10",
                        text);
    if (r->end < r->start)
        return tch_fail(err, TACHO_EINVAL, 0, "the range '%.80s' ends before it starts", text);
    if (r->log && (r->step <= 1 || r->start <= 0))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "the range '%.80s' needs a start above 0 and a base above 1", text);
    if (!r->log && r->step <= 0)
        return tch_fail(err, TACHO_EINVAL, 0, "the range '%.80s' needs a step above 0", text);
    return 0;
}

int tch_grid_add_range(struct tch_grid *grid, const char *spec, tacho_error *err)
{
    const char *rest = spec;
    struct range r = {0};
    char last[NUMBER_TEXT] = "";
    int status = begin_spec(grid, spec, "START:END:STEP", &rest, err);

    if (status == 0)
        status = parse_range(rest, &r, err);
    for (size_t i = 0; status == 0; i++) {
        double value = r.log ? r.start * pow(r.step, (double)i) : r.start + r.step * (double)i;
        char text[NUMBER_TEXT];

        if (value > r.end + 1e-9 * fabs(r.end))
            break;
        if (i > STEPS_MOST)
            return tch_fail(err, TACHO_ELIMIT, 0, "the range '%.80s' has too many steps", rest);
        if (r.log && r.start == floor(r.start) && r.end == floor(r.end))
            value = round(value);
        if (value == floor(value) && fabs(value) < 1e15)
            snprintf(text, sizeof text, "%.0f", value);
        else
            snprintf(text, sizeof text, "%.12g",
                     value); /* 12 digits hide the rounding errors of steps such as 0.1 */
        if (strcmp(text, last) != 0)
            status = add_value(grid, &grid->param[grid->count - 1], text, strlen(text), err);
        memcpy(last, text, sizeof last);
    }
    return status;
}

size_t tch_grid_cells(const struct tch_grid *grid)
{
    size_t cells = grid->count > 0 ? 1 : 0;

    for (size_t i = 0; i < grid->count; i++)
        cells *= grid->param[i].count;
    return cells;
}

size_t tch_grid_step(const struct tch_grid *grid, size_t param)
{
    size_t step = 1;

    for (size_t i = param + 1; i < grid->count; i++)
        step *= grid->param[i].count;
    return step;
}

size_t tch_grid_index(const struct tch_grid *grid, size_t cell, size_t param)
{
    return cell / tch_grid_step(grid, param) % grid->param[param].count;
}

const char *tch_grid_text(const struct tch_grid *grid, size_t cell, size_t param)
{
    return grid->param[param].text[tch_grid_index(grid, cell, param)];
}

tch_params tch_grid_all(const struct tch_grid *grid)
{
    return (1u << grid->count) - 1;
}

/* Names a cell by a hash of its values. Its number would change when values are added. */
static void name_by_hash(const struct tch_grid *grid, size_t cell, tch_params which,
                         const char *prefix, char name[TCH_CELL_NAME])
{
    uint8_t digest[TCH_SHA256_SIZE];
    char hash[TCH_SHA256_HEX];
    struct tch_sha256 sha;

    tch_sha256_init(&sha);
    for (size_t i = 0; i < grid->count; i++) {
        const char *text = tch_grid_text(grid, cell, i);

        if (which >> i & 1)
            tch_sha256_update(&sha, text, strlen(text) + 1);
    }
    tch_sha256_final(&sha, digest);
    tch_sha256_digest_hex(hash, digest);
    snprintf(name, TCH_CELL_NAME, "%s-%.12s", prefix, hash);
}

void tch_grid_name(const struct tch_grid *grid, size_t cell, tch_params which, const char *prefix,
                   char name[TCH_CELL_NAME])
{
    bool bare = strcmp(prefix, "cell") == 0;
    struct tch_buf b;
    bool fine;

    tch_buf_init_on(&b, name, TCH_CELL_NAME, TCH_CELL_NAME - 1);
    tch_buf_adds(&b, bare ? "" : prefix);
    for (size_t i = 0; i < grid->count; i++)
        if (which >> i & 1)
            tch_buf_addf(&b, "%s%s=%s", b.len > 0 ? "_" : "", grid->param[i].name,
                         tch_grid_text(grid, cell, i));
    fine = !b.failed;
    tch_buf_release(&b);
    for (size_t i = 0; fine && name[i]; i++)
        fine = isalnum((unsigned char)name[i]) || strchr("._-+=", name[i]);
    if (!fine)
        name_by_hash(grid, cell, which, prefix, name);
}

void tch_grid_json(const struct tch_grid *grid, size_t cell, tch_params which, struct tch_buf *b)
{
    tch_json_begin_object(b);
    for (size_t i = 0; i < grid->count; i++) {
        const struct tch_param *p = &grid->param[i];

        if (!(which >> i & 1))
            continue;
        tch_json_key(b, p->name);
        if (p->numeric)
            tch_json_f64(b, p->number[tch_grid_index(grid, cell, i)]);
        else
            tch_json_text(b, tch_grid_text(grid, cell, i));
    }
    tch_json_end_object(b);
}

/* Returns the parameter whose "{name}" is at text, or -1. */
static int placeholder(const struct tch_grid *grid, const char *text)
{
    size_t len = strcspn(text + 1, "}");

    return text[0] == '{' && text[len + 1] == '}' ? find_param(grid, text + 1, len) : -1;
}

tch_params tch_grid_used(const struct tch_grid *grid, const char *text)
{
    tch_params used = 0;

    for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
        int param = placeholder(grid, at);

        if (param >= 0)
            used |= 1u << param;
    }
    return used;
}

char *tch_grid_fill(const struct tch_grid *grid, size_t cell, tch_params which, const char *text)
{
    struct tch_buf b;

    tch_buf_init(&b, FILLED_MAX);
    while (*text) {
        int param = *text == '{' ? placeholder(grid, text) : -1;

        if (param >= 0) {
            tch_buf_adds(&b, which >> param & 1 ? tch_grid_text(grid, cell, (size_t)param)
                                                : "baseline");
            text += strlen(grid->param[param].name) + 2;
        } else {
            tch_buf_addc(&b, *text++);
        }
    }
    return tch_buf_take(&b);
}
