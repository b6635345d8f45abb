/* A recursive descent parser of Rust's v0 symbols (RFC 2603) that writes while it reads. The input
   is not trusted: depth, work and length are limited. */
#include "symbol_rust.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

enum {
    TEXT_MAX = 64 << 10,
    DEPTH_MAX = 200,
    STEPS_MAX = 20000, /* back references may expand without end */
};

struct rust {
    const char *text; /* the symbol after "_R" */
    size_t len;
    size_t at;
    struct tch_buf out;
    unsigned mute; /* while not 0, read without writing */
    unsigned depth;
    unsigned steps;
    bool bad;
};

static void read_path(struct rust *r, bool in_value);
static void read_type(struct rust *r);

static char peek(const struct rust *r)
{
    return r->at < r->len ? r->text[r->at] : '\0';
}

static char next(struct rust *r)
{
    char c = peek(r);

    if (c == '\0')
        r->bad = true;
    else
        r->at++;
    return c;
}

static bool eat(struct rust *r, char c)
{
    if (r->bad || peek(r) != c)
        return false;
    r->at++;
    return true;
}

static void put(struct rust *r, const char *text)
{
    if (r->mute == 0)
        tch_buf_adds(&r->out, text);
}

/* Enters a level of recursion. Returns false if there are too many levels or steps. */
static bool enter(struct rust *r)
{
    r->depth++;
    if (r->depth > DEPTH_MAX || ++r->steps > STEPS_MAX || r->out.failed)
        r->bad = true;
    return !r->bad;
}

/* Reads a base-62 number up to "_": 0 for "_" alone, else the digits' value plus 1. */
static uint64_t read_base62(struct rust *r)
{
    uint64_t value = 0;

    if (eat(r, '_'))
        return 0;
    while (!r->bad && !eat(r, '_')) {
        char c = next(r);
        uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                         : c >= 'a' && c <= 'z' ? (uint64_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'Z' ? (uint64_t)(c - 'A') + 36
                                                : 62;

        if (digit == 62 || __builtin_mul_overflow(value, 62, &value) ||
            __builtin_add_overflow(value, digit, &value))
            r->bad = true;
    }
    return value + 1;
}

static uint64_t read_after(struct rust *r, char mark)
{
    return eat(r, mark) ? read_base62(r) + 1 : 0;
}

struct word {
    const char *text;
    size_t len;
    bool encoded;
};

static struct word read_word(struct rust *r)
{
    struct word w = {.encoded = eat(r, 'u')};
    size_t len = 0;

    if (peek(r) < '0' || peek(r) > '9')
        r->bad = true;
    if (!eat(r, '0'))
        while (peek(r) >= '0' && peek(r) <= '9' && len < TEXT_MAX)
            len = len * 10 + (size_t)(next(r) - '0');
    eat(r, '_');
    if (r->bad || len > r->len - r->at) {
        r->bad = true;
        return w;
    }
    w.text = r->text + r->at;
    w.len = len;
    r->at += len;
    return w;
}

static void put_word(struct rust *r, struct word w)
{
    if (r->bad || r->mute > 0)
        return;
    put(r, w.encoded ? "punycode{" : "");
    tch_buf_add(&r->out, w.text, w.len);
    put(r, w.encoded ? "}" : "");
}

/* Reads a back reference: parses the text at an earlier position again. */
static void read_back(struct rust *r, void (*again)(struct rust *r, bool in_value), bool in_value)
{
    size_t start = r->at - 1;
    uint64_t to = read_base62(r);
    size_t here = r->at;

    if (r->bad || to >= start || !enter(r)) {
        r->bad = true;
        return;
    }
    if (r->mute == 0) {
        r->at = (size_t)to;
        again(r, in_value);
        r->at = here;
    }
    r->depth--;
}

/* Skips the path of an implementation; only its type is shown. */
static void skip_impl_path(struct rust *r)
{
    read_after(r, 's');
    r->mute++;
    read_path(r, false);
    r->mute--;
}

/* Reads "a::b" or "a::{closure#0}". */
static void read_nested(struct rust *r, bool in_value)
{
    char space = next(r);
    uint64_t number;
    struct word w;

    read_path(r, in_value);
    number = read_after(r, 's');
    w = read_word(r);
    if (space >= 'a' && space <= 'z') {
        put(r, w.len > 0 ? "::" : "");
        put_word(r, w);
        return;
    }
    if (space < 'A' || space > 'Z') {
        r->bad = true;
        return;
    }
    put(r, space == 'C' ? "::{closure" : space == 'S' ? "::{shim" : "::{");
    if (space != 'C' && space != 'S' && r->mute == 0)
        tch_buf_addc(&r->out, space);
    put(r, w.len > 0 ? ":" : "");
    put_word(r, w);
    if (r->mute == 0)
        tch_buf_addf(&r->out, "#%llu}", (unsigned long long)number);
}

/* Returns the name of a basic type by its letter, or NULL. */
static const char *basic_type(char c)
{
    static const char *const names[26] = {
        "i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
        "usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
        "i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!",
    };

    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* Reads a constant: a number, true, 'c'. */
static void read_const(struct rust *r, bool in_value)
{
    char type = next(r);
    bool negative;
    uint64_t value = 0;
    size_t digits = 0;

    (void)in_value;
    if (type == 'B') {
        read_back(r, read_const, false);
        return;
    }
    if (type == 'p') {
        put(r, "_");
        return;
    }
    negative = eat(r, 'n');
    for (; !r->bad && !eat(r, '_'); digits++) {
        char c = next(r);

        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            r->bad = true;
        value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    if (!basic_type(type) || digits > 16 || r->bad) {
        r->bad = true;
        return;
    }
    if (type == 'b')
        put(r, value ? "true" : "false");
    else if (r->mute == 0 && type == 'c' && value >= ' ' && value < 0x7f)
        tch_buf_addf(&r->out, "'%c'", (int)value);
    else if (r->mute == 0)
        tch_buf_addf(&r->out, "%s%llu", negative ? "-" : "", (unsigned long long)value);
}

/* Reads generic arguments, "<A, B>". Writes nothing if all are lifetimes. */
static void read_arguments(struct rust *r, bool in_value)
{
    size_t count = 0;

    while (!r->bad && !eat(r, 'E')) {
        if (eat(r, 'L')) {
            read_base62(r);
            continue;
        }
        put(r, count++ > 0 ? ", " : in_value ? "::<" : "<");
        if (eat(r, 'K'))
            read_const(r, false);
        else
            read_type(r);
    }
    put(r, count > 0 ? ">" : "");
}

static void read_qualified(struct rust *r, bool of_trait)
{
    put(r, "<");
    read_type(r);
    if (of_trait) {
        put(r, " as ");
        read_path(r, false);
    }
    put(r, ">");
}

static void read_path(struct rust *r, bool in_value)
{
    if (!enter(r))
        return;
    switch (next(r)) {
    case 'C':
        read_after(r, 's');
        put_word(r, read_word(r));
        break;
    case 'M':
        skip_impl_path(r);
        read_qualified(r, false);
        break;
    case 'X':
        skip_impl_path(r);
        read_qualified(r, true);
        break;
    case 'Y':
        read_qualified(r, true);
        break;
    case 'N':
        read_nested(r, in_value);
        break;
    case 'I':
        read_path(r, in_value);
        read_arguments(r, in_value);
        break;
    case 'B':
        read_back(r, read_path, in_value);
        break;
    default:
        r->bad = true;
        break;
    }
    r->depth--;
}

static void skip_lifetime(struct rust *r)
{
    if (eat(r, 'L'))
        read_base62(r);
}

/* Reads types up to "E" and separates them by commas. Returns how many. */
static size_t read_list(struct rust *r)
{
    size_t count = 0;

    while (!r->bad && !eat(r, 'E')) {
        put(r, count++ > 0 ? ", " : "");
        read_type(r);
    }
    return count;
}

static void read_function(struct rust *r)
{
    read_after(r, 'G');
    put(r, eat(r, 'U') ? "unsafe " : "");
    if (eat(r, 'K')) {
        put(r, "extern \"");
        if (eat(r, 'C'))
            put(r, "C");
        else
            put_word(r, read_word(r));
        put(r, "\" ");
    }
    put(r, "fn(");
    read_list(r);
    put(r, ")");
    if (eat(r, 'u'))
        return;
    put(r, " -> ");
    read_type(r);
}

/* Reads "dyn A<Item = T> + B". The bindings belong inside the brackets, which the path may have
   closed already. */
static void read_dyn(struct rust *r)
{
    read_after(r, 'G');
    put(r, "dyn ");
    for (size_t count = 0; !r->bad && !eat(r, 'E'); count++) {
        bool open;

        put(r, count > 0 ? " + " : "");
        read_path(r, false);
        open =
            r->mute == 0 && peek(r) == 'p' && r->out.len > 0 && r->out.data[r->out.len - 1] == '>';
        if (open)
            r->out.data[--r->out.len] = '\0';
        for (size_t bound = 0; eat(r, 'p'); bound++) {
            put(r, open || bound > 0 ? ", " : "<");
            put_word(r, read_word(r));
            put(r, " = ");
            read_type(r);
            if (peek(r) != 'p')
                put(r, ">");
        }
    }
    skip_lifetime(r);
}

static void read_type_again(struct rust *r, bool in_value)
{
    (void)in_value;
    read_type(r);
}

static void read_pointer(struct rust *r, const char *mark)
{
    put(r, mark);
    skip_lifetime(r);
    read_type(r);
}

static void read_array(struct rust *r, bool sized)
{
    put(r, "[");
    read_type(r);
    if (sized) {
        put(r, "; ");
        read_const(r, false);
    }
    put(r, "]");
}

static void read_type(struct rust *r)
{
    const char *basic = basic_type(peek(r));

    if (!enter(r))
        return;
    if (basic) {
        r->at++;
        put(r, basic);
    } else if (eat(r, 'A') || eat(r, 'S')) {
        read_array(r, r->text[r->at - 1] == 'A');
    } else if (eat(r, 'T')) {
        put(r, "(");
        put(r, read_list(r) == 1 ? ",)" : ")");
    } else if (eat(r, 'R')) {
        read_pointer(r, "&");
    } else if (eat(r, 'Q')) {
        read_pointer(r, "&mut ");
    } else if (eat(r, 'P')) {
        read_pointer(r, "*const ");
    } else if (eat(r, 'O')) {
        read_pointer(r, "*mut ");
    } else if (eat(r, 'F')) {
        read_function(r);
    } else if (eat(r, 'D')) {
        read_dyn(r);
    } else if (eat(r, 'B')) {
        read_back(r, read_type_again, false);
    } else {
        read_path(r, false);
    }
    r->depth--;
}

char *tch_demangle_rust(const char *name)
{
    struct rust r = {.text = name + 2};
    char *text = NULL;

    if (strncmp(name, "_R", 2) != 0 || (name[2] >= '0' && name[2] <= '9'))
        return NULL;               /* a digit would be the version of a later form */
    r.len = strcspn(r.text, ".$"); /* compiler passes after mangling add suffixes */
    tch_buf_init(&r.out, TEXT_MAX);
    read_path(&r, true);
    if (!r.bad && r.at < r.len) { /* the instantiating crate, which is not shown */
        r.mute++;
        read_path(&r, false);
    }
    if (!r.bad && r.at == r.len && !r.out.failed && r.out.len > 0)
        text = tch_buf_take(&r.out);
    tch_buf_release(&r.out);
    return text;
}
