/* Compares two JSON documents field by field: flattens both to paths and values, then sorts and
   merges the two lists. */
#include "base/fail.h"
#include "base/json_read.h"
#include "fingerprint_config.h"

/* A value that is not an object or an array. Its path and its value are offsets into `text`,
   each terminated by NUL. */
struct leaf {
    size_t path;
    size_t value;
};

struct flat {
    struct tch_json_reader r;
    struct tch_buf text;
    struct tch_buf leaves;
    struct tch_buf path;
    char *canonical;
};

static int flatten(struct flat *f);

static void add_leaf(struct flat *f, const char *value, size_t len)
{
    struct leaf leaf = {.path = f->text.len, .value = f->text.len + f->path.len + 1};

    tch_buf_add(&f->text, f->path.data, f->path.len);
    tch_buf_addc(&f->text, '\0');
    tch_buf_add(&f->text, value, len);
    tch_buf_addc(&f->text, '\0');
    tch_buf_add(&f->leaves, &leaf, sizeof leaf);
}

/* Adds a name to a path. Quotes a name that has escapes or could be read as several names, such
   as "a.b". */
static void add_name(struct flat *f, const struct tch_json_value *name)
{
    bool plain = name->len > 0 && !name->escaped;

    for (size_t i = 0; i < name->len; i++)
        plain = plain && !strchr(".[]", name->text[i]);
    if (plain)
        tch_buf_add(&f->path, name->text, name->len);
    else
        tch_buf_add(&f->path, name->text - 1, name->len + 2);
}

static int flatten_object(struct flat *f)
{
    size_t stem = f->path.len;
    struct tch_json_value name;
    int members = 0;
    int status = 0;

    while (status == 0 && tch_json_member(&f->r, &name) > 0) {
        if (stem > 0)
            tch_buf_addc(&f->path, '.');
        add_name(f, &name);
        status = flatten(f);
        f->path.len = stem;
        members++;
    }
    if (members == 0)
        add_leaf(f, "{}", 2);
    return status;
}

static int flatten_array(struct flat *f)
{
    size_t stem = f->path.len;
    size_t i = 0;
    int status = 0;

    for (; status == 0 && tch_json_element(&f->r) > 0; i++) {
        tch_buf_addf(&f->path, "[%zu]", i);
        status = flatten(f);
        f->path.len = stem;
    }
    if (i == 0)
        add_leaf(f, "[]", 2);
    return status;
}

static int flatten(struct flat *f)
{
    static const char *const names[] = {
        [TCH_JSON_NULL] = "null", [TCH_JSON_FALSE] = "false", [TCH_JSON_TRUE] = "true"};
    struct tch_json_value value;

    if (f->path.failed || f->text.failed || f->leaves.failed)
        return TACHO_ENOMEM;
    if (tch_json_read(&f->r, &value) < 0)
        return TACHO_EPARSE;
    if (value.type == TCH_JSON_OBJECT)
        return flatten_object(f);
    if (value.type == TCH_JSON_ARRAY)
        return flatten_array(f);
    if (value.type == TCH_JSON_STRING) /* keep its quotes, as in the document */
        add_leaf(f, value.text - 1, value.len + 2);
    else if (value.type == TCH_JSON_NUMBER)
        add_leaf(f, value.text, value.len);
    else
        add_leaf(f, names[value.type], strlen(names[value.type]));
    return 0;
}

static int by_path(const void *a, const void *b, void *text)
{
    const struct leaf *x = a;
    const struct leaf *y = b;

    return strcmp((char *)text + x->path, (char *)text + y->path);
}

static void flat_release(struct flat *f)
{
    tch_buf_release(&f->text);
    tch_buf_release(&f->leaves);
    tch_buf_release(&f->path);
    free(f->canonical);
}

static void flat_init(struct flat *f)
{
    f->canonical = NULL;
    tch_buf_init(&f->text, 4 * (size_t)TCH_FINGERPRINT_LIMIT);
    tch_buf_init(&f->leaves, 4 * (size_t)TCH_FINGERPRINT_LIMIT);
    tch_buf_init(&f->path, TCH_FINGERPRINT_LIMIT);
}

static int flat_fill(struct flat *f, const char *data, size_t data_len, tacho_error *err)
{
    size_t len;
    int status;

    status = tacho_json_canonical(data, data_len, &f->canonical, &len, err);
    if (status < 0)
        return status;
    tch_json_open(&f->r, f->canonical, len, err);
    status = flatten(f);
    if (status < 0 || f->text.failed || f->leaves.failed)
        return tch_fail_memory(err);
    qsort_r(f->leaves.data, f->leaves.len / sizeof(struct leaf), sizeof(struct leaf), by_path,
            f->text.data);
    return 0;
}

static int report_differences(const struct flat *a, const struct flat *b, tacho_diff_fn *each,
                              void *ctx)
{
    const struct leaf *x = (const struct leaf *)(const void *)a->leaves.data;
    const struct leaf *y = (const struct leaf *)(const void *)b->leaves.data;
    const struct leaf *x_end = x + a->leaves.len / sizeof *x;
    const struct leaf *y_end = y + b->leaves.len / sizeof *y;

    while (x < x_end || y < y_end) {
        int order = x == x_end   ? 1
                    : y == y_end ? -1
                                 : strcmp(a->text.data + x->path, b->text.data + y->path);
        const char *path = order <= 0 ? a->text.data + x->path : b->text.data + y->path;
        const char *left = order <= 0 ? a->text.data + x++->value : NULL;
        const char *right = order >= 0 ? b->text.data + y++->value : NULL;
        int status = 0;

        if (!left || !right || strcmp(left, right) != 0)
            status = each(path, left, right, ctx);
        if (status != 0)
            return status;
    }
    return 0;
}

int tacho_json_diff(const char *a, size_t a_len, const char *b, size_t b_len, tacho_diff_fn *each,
                    void *ctx, tacho_error *err)
{
    struct flat *both = calloc(2, sizeof *both); /* readers are large */
    int status;

    if (!both)
        return tch_fail_memory(err);
    flat_init(&both[0]);
    flat_init(&both[1]);
    status = flat_fill(&both[0], a, a_len, err);
    if (status == 0)
        status = flat_fill(&both[1], b, b_len, err);
    if (status == 0)
        status = report_differences(&both[0], &both[1], each, ctx);
    flat_release(&both[0]);
    flat_release(&both[1]);
    free(both);
    return status;
}
