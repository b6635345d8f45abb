/* Finds the members of a case. */
#include "vectors.h"

#include "support/test.h"

#include "base/number.h"

/* Finds the member or element that one part of a path names, as a raw value. */
static bool step(const struct tch_json_value *in, const char *part, struct tch_json_value *ret)
{
    struct tch_json_reader r;
    struct tch_json_value key;
    bool found = false;
    uint64_t index;

    tch_json_open(&r, in->text, in->len, NULL);
    if (tch_json_read(&r, &key) < 0)
        return false;
    if (key.type == TCH_JSON_OBJECT) {
        while (!found && tch_json_member(&r, &key) > 0) {
            found = tch_json_is(&key, part);
            assert_int_equal(tch_json_read_raw(&r, ret), 0);
        }
        return found;
    }
    if (key.type != TCH_JSON_ARRAY || tch_parse_u64(part, UINT64_MAX, &index) < 0)
        return false;
    for (; !found && tch_json_element(&r) > 0; index--) {
        assert_int_equal(tch_json_read_raw(&r, ret), 0);
        found = index == 0;
    }
    return found;
}

bool vector_find(const char *json, size_t len, const char *path, struct tch_json_value *ret)
{
    struct tch_json_value at = {.text = json, .len = len};
    char part[64];

    while (*path) {
        size_t n = strcspn(path, ".");

        assert_true(n < sizeof part);
        memcpy(part, path, n);
        part[n] = '\0';
        if (!step(&at, part, &at))
            return false;
        path += n + (path[n] == '.');
    }
    *ret = at;
    return true;
}

struct tch_json_value vector_value(const char *json, size_t len, const char *path)
{
    struct tch_json_value value = {0};

    if (!vector_find(json, len, path, &value))
        fail_msg("no '%s' in %.*s", path, (int)(len < 200 ? len : 200), json);
    return value;
}

char *vector_unescape(const struct tch_json_value *raw, size_t *ret_len)
{
    struct tch_json_value string = {.text = raw->text + 1, .len = raw->len - 2, .escaped = true};
    struct tch_buf b;

    assert_int_equal(raw->type, TCH_JSON_STRING);
    tch_buf_init(&b, raw->len);
    tch_json_unescape(&string, &b);
    assert_false(b.failed);
    if (ret_len)
        *ret_len = b.len;
    return tch_buf_take(&b);
}

char *vector_text(const char *json, size_t len, const char *path, size_t *ret_len)
{
    struct tch_json_value value = vector_value(json, len, path);

    return vector_unescape(&value, ret_len);
}

const char *vector_expect(const char *json, size_t len)
{
    static const char *const names[] = {"expect_preserve_order", "expect_serde_json_145"};
    struct tch_json_value value;

    for (size_t i = 0; i < 2; i++)
        if (vector_find(json, len, names[i], &value))
            return names[i];
    return "expect";
}
