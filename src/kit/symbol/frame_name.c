/* Derives frame names from symbols: decodes Rust's old mangling, leaves out arguments. */
#include "frame_name.h"

#include <stdint.h>

#include "base/utf8.h"
#include "function_name.h"

/* Rust's old mangling. perf demangles "_ZN3foo3barE" to "foo::bar" and leaves the rest:
   "_$LT$alloc..vec..Vec$LT$T$GT$$GT$::push::h0123456789abcdef". */

enum { RUST_HASH = 19 }; /* "::h" and 16 digits */

static bool has_rust_hash(struct tch_span s)
{
    if (s.len <= RUST_HASH || memcmp(s.p + s.len - RUST_HASH, "::h", 3) != 0)
        return false;
    for (size_t i = s.len - 16; i < s.len; i++)
        if (!strchr("0123456789abcdef", s.p[i]) || s.p[i] == '\0')
            return false;
    return true;
}

struct escape {
    const char *code;
    const char *text;
};

static const struct escape escapes[] = {
    {"$LT$", "<"}, {"$GT$", ">"}, {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","},
    {"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"..", "::"},
};

static uint32_t hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : 16;
}

/* Decodes a character such as "$u7b$" ("{") and adds it. Returns the number of bytes read, or 0. */
static size_t add_code_point(struct tch_buf *b, struct tch_span s)
{
    uint32_t code = 0;
    char text[4];

    if (!tch_span_starts(s, "$u"))
        return 0;
    for (size_t i = 2; i < s.len && i < 9; i++) {
        uint32_t digit = hex_digit(s.p[i]);

        if (s.p[i] == '$' && code >= ' ' && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) {
            tch_buf_add(b, text, tch_utf8_put(text, code));
            return i + 1;
        }
        if (digit > 15)
            break;
        code = code << 4 | digit;
    }
    return 0;
}

static size_t add_unescaped(struct tch_buf *b, struct tch_span s)
{
    size_t used = add_code_point(b, s);

    for (size_t i = 0; used == 0 && i < sizeof escapes / sizeof escapes[0]; i++)
        if (tch_span_starts(s, escapes[i].code)) {
            tch_buf_adds(b, escapes[i].text);
            used = strlen(escapes[i].code);
        }
    if (used == 0) {
        tch_buf_addc(b, s.p[0]);
        used = 1;
    }
    return used;
}

static void add_rust(struct tch_buf *b, struct tch_span s)
{
    bool segment = true; /* at the start of a path segment, where "_$" means "$" */

    while (s.len > 0) {
        size_t used;

        if (segment && tch_span_starts(s, "_$")) {
            s.p++;
            s.len--;
        }
        segment = tch_span_starts(s, "::");
        if (segment)
            tch_buf_adds(b, "::");
        used = segment ? 2 : add_unescaped(b, s);
        s.p += used;
        s.len -= used;
    }
}

void tch_add_symbol(struct tch_buf *b, struct tch_span symbol)
{
    size_t start = b->len;
    struct tch_span rust = {symbol.p, tch_span_rfind(symbol, " [clone .llvm.")};

    if (has_rust_hash(rust)) {
        rust.len -= RUST_HASH;
        add_rust(b, rust);
    } else {
        tch_add_function(b, symbol);
    }
    for (size_t i = start; i < b->len; i++)
        if (b->data[i] == ';')
            b->data[i] = ':';
}
