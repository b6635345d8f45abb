/* A literal implementation of RFC 8259: one function per rule, one byte at a time. */
#include "json_plain.h"

#include "base/utf8.h"

struct text {
    const char *p;
    const char *end;
    unsigned depth_left;
};

static bool value(struct text *t);

static int look(const struct text *t)
{
    return t->p < t->end ? (unsigned char)*t->p : -1;
}

static bool eat(struct text *t, int c)
{
    if (look(t) != c)
        return false;
    t->p++;
    return true;
}

static void blanks(struct text *t)
{
    while (look(t) == ' ' || look(t) == '\t' || look(t) == '\n' || look(t) == '\r')
        t->p++;
}

static bool word(struct text *t, const char *word)
{
    for (; *word; word++)
        if (!eat(t, *word))
            return false;
    return true;
}

static bool digits(struct text *t)
{
    const char *start = t->p;

    while (look(t) >= '0' && look(t) <= '9')
        t->p++;
    return t->p > start;
}

static bool number(struct text *t)
{
    eat(t, '-');
    if (!eat(t, '0') && !digits(t))
        return false;
    if (eat(t, '.') && !digits(t))
        return false;
    if (eat(t, 'e') || eat(t, 'E')) {
        if (!eat(t, '+'))
            eat(t, '-');
        return digits(t);
    }
    return true;
}

static bool hex4(struct text *t, unsigned *ret)
{
    *ret = 0;
    for (int i = 0; i < 4; i++, t->p++) {
        int c = look(t);

        if (c >= '0' && c <= '9')
            *ret = *ret * 16 + (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            *ret = *ret * 16 + (unsigned)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            *ret = *ret * 16 + (unsigned)(c - 'A') + 10;
        else
            return false;
    }
    return true;
}

static bool escape(struct text *t)
{
    unsigned unit;

    if (!eat(t, 'u')) {
        if (look(t) <= 0 || !strchr("\"\\/bfnrt", look(t)))
            return false;
        t->p++;
        return true;
    }
    if (!hex4(t, &unit))
        return false;
    if (unit >= 0xD800 && unit <= 0xDBFF)
        return eat(t, '\\') && eat(t, 'u') && hex4(t, &unit) && unit >= 0xDC00 && unit <= 0xDFFF;
    return unit < 0xD800 || unit > 0xDFFF;
}

static bool string(struct text *t)
{
    if (!eat(t, '"'))
        return false;
    while (!eat(t, '"')) {
        size_t step;

        if (look(t) < 0x20)
            return false;
        if (eat(t, '\\')) {
            if (!escape(t))
                return false;
            continue;
        }
        step = tch_utf8_step(t->p, (size_t)(t->end - t->p));
        if (step == 0)
            return false;
        t->p += step;
    }
    return true;
}

static bool container(struct text *t, int close)
{
    if (t->depth_left == 0)
        return false;
    t->depth_left--;
    t->p++;
    blanks(t);
    if (!eat(t, close)) {
        do {
            if (close == '}') {
                blanks(t);
                if (!string(t))
                    return false;
                blanks(t);
                if (!eat(t, ':'))
                    return false;
            }
            if (!value(t))
                return false;
        } while (eat(t, ','));
        if (!eat(t, close))
            return false;
    }
    t->depth_left++;
    return true;
}

static bool value(struct text *t)
{
    bool ok;

    blanks(t);
    switch (look(t)) {
    case '{':
        ok = container(t, '}');
        break;
    case '[':
        ok = container(t, ']');
        break;
    case '"':
        ok = string(t);
        break;
    case 't':
        ok = word(t, "true");
        break;
    case 'f':
        ok = word(t, "false");
        break;
    case 'n':
        ok = word(t, "null");
        break;
    default:
        ok = number(t);
    }
    blanks(t);
    return ok;
}

bool test_json_plain(const char *data, size_t len, unsigned max_depth)
{
    struct text t = {data, data + len, max_depth};

    return value(&t) && t.p == t.end;
}
