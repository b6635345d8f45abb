/* Chooses colours by name, library, language or change. */

#include "palette.h"

#include <ctype.h>
#include <math.h>

#include "base/hash.h"
#include "frame_text.h"
#include "kit/flame/stack/frame_kind.h"
#include "kit/symbol/symbol.h"

const char *const tch_palettes[] = {"hash", "library", "language", NULL};

const char *const tch_languages[] = {"kernel", "C",      "C++",        "Rust",    "Go", "Java",
                                     "JIT",    "Python", "JavaScript", "unknown", NULL};

/* In the order of tch_languages. Light enough for black text, distinguishable for the
   colour-blind. */
static const struct tch_color language_colors[] = {
    {244, 165, 96},  {253, 219, 128}, {255, 179, 102}, {222, 140, 110}, {130, 200, 229},
    {144, 205, 140}, {190, 222, 130}, {158, 178, 226}, {245, 226, 96},  {204, 204, 204},
};

static bool contains(struct tch_span name, const char *text)
{
    return memmem(name.p, name.len, text, strlen(text)) != NULL;
}

static bool is_rust(struct tch_span name)
{
    size_t hash = tch_span_rfind(name, "::h");

    return (hash < name.len && name.len - hash == 19) || tch_span_starts(name, "core::") ||
           tch_span_starts(name, "alloc::") || contains(name, " as core::") ||
           contains(name, "{{closure}}") || contains(name, "::{closure") ||
           (tch_span_starts(name, "<") && contains(name, " as "));
}

/* Recognises names such as "net/http.(*Client).Do" and "runtime.mallocgc". */
static bool is_go(struct tch_span name)
{
    return contains(name, ".(*") || tch_span_starts(name, "runtime.") ||
           tch_span_starts(name, "main.") ||
           (contains(name, "/") && contains(name, ".") && !contains(name, ":") &&
            !contains(name, " "));
}

/* Returns the file of a function without a symbol, "gzip+0x5a30"; empty for any other name. */
static struct tch_span nameless_file(struct tch_span name)
{
    size_t plus = tch_span_rfind(name, "+0x");
    size_t at = plus + strlen("+0x");

    while (at < name.len && isxdigit((unsigned char)name.p[at]))
        at++;
    return (struct tch_span){name.p, at == name.len ? plus : 0};
}

static const char *language_of_unmarked(struct tch_span name)
{
    if (tch_span_starts(name, "[") || name.len == 0 || tch_span_starts(name, "0x") ||
        nameless_file(name).len > 0)
        return "unknown";
    if (contains(name, ".py:") || contains(name, ".py ") || tch_span_starts(name, "py::") ||
        tch_span_starts(name, "<frozen "))
        return "Python";
    if (tch_span_starts(name, "LazyCompile:") || contains(name, ".js:") ||
        contains(name, ".mjs:") || tch_span_starts(name, "RegExp:"))
        return "JavaScript";
    if (contains(name, "/") && !tch_span_starts(name, "/") &&
        (contains(name, ":") || !contains(name, ".")))
        return "Java";
    if (is_rust(name))
        return "Rust";
    if (contains(name, "::") || contains(name, "<") || tch_span_starts(name, "_Z"))
        return "C++";
    return is_go(name) ? "Go" : "C";
}

const char *tch_language_of(struct tch_span name)
{
    char mark = tch_frame_mark(name);
    const char *language;

    name = tch_frame_unmarked(name);
    if (mark == 'k')
        return "kernel";
    language = language_of_unmarked(name);
    if (mark == 'j' && strcmp(language, "Java") != 0 && strcmp(language, "JavaScript") != 0 &&
        strcmp(language, "Python") != 0)
        return "JIT";
    return language;
}

struct tch_color tch_language_color(const char *language)
{
    size_t i = 0;

    while (tch_languages[i + 1] && strcmp(tch_languages[i], language) != 0)
        i++;
    return language_colors[i];
}

/* Returns the part of a name before the first `text`; empty if it does not contain `text`. */
static struct tch_span part_before(struct tch_span name, const char *text)
{
    const char *at = memmem(name.p, name.len, text, strlen(text));

    return (struct tch_span){name.p, at ? (size_t)(at - name.p) : 0};
}

struct tch_span tch_library_of(struct tch_span name)
{
    char mark = tch_frame_mark(name);
    struct tch_span library;

    name = tch_frame_unmarked(name);
    if (mark == 'k')
        return (struct tch_span){"kernel", 6};
    if (tch_span_starts(name, "[") && tch_span_ends(name, "]")) /* "[libc.so.6 <7f12>]" */ {
        library = (struct tch_span){name.p + 1, name.len - 2};
        return part_before(library, " <").len ? part_before(library, " <") : library;
    }
    library = nameless_file(name);
    if (library.len == 0)
        library = part_before(name, "`"); /* DTrace: "libc`read" */
    if (library.len == 0 && contains(name, "/") && !tch_span_starts(name, "/")) {
        library = name; /* Java and Go: the package */
        library.len = tch_span_rfind(name, "/");
    }
    if (library.len == 0)
        library = part_before(name, "::"); /* C++ and Rust: the namespace, the crate */
    while (library.len > 0 && (library.p[0] == '<' || library.p[0] == '&' || library.p[0] == '*')) {
        library.p++;
        library.len--;
    }
    return library.len ? library : (struct tch_span){"program", 7};
}

/* Computes three numbers of 0 to 255 from a name. */
static void hash_channels(struct tch_span name, unsigned v[3])
{
    uint64_t hash = tch_hash(name.p, name.len);

    v[0] = (unsigned)(hash & 255);
    v[1] = (unsigned)(hash >> 8 & 255);
    v[2] = (unsigned)(hash >> 16 & 255);
}

const struct tch_color tch_preempted_color = {126, 200, 120};

/* Returns a hue for the library, slightly lighter or darker for the function. */
static struct tch_color library_color(struct tch_span name)
{
    static const struct tch_color hues[] = {
        {242, 142, 102}, {250, 197, 92},  {170, 211, 110}, {110, 203, 160}, {115, 195, 230},
        {150, 170, 235}, {195, 155, 225}, {235, 150, 190}, {210, 190, 140}, {160, 205, 200},
    };
    struct tch_span library = tch_library_of(name);
    struct tch_color c = hues[tch_hash(library.p, library.len) % (sizeof hues / sizeof hues[0])];
    unsigned v[3];
    unsigned shade;

    hash_channels(name, v);
    shade = 220 + v[0] * 35 / 255;
    return (struct tch_color){(uint8_t)(c.r * shade / 255), (uint8_t)(c.g * shade / 255),
                              (uint8_t)(c.b * shade / 255)};
}

struct tch_color tch_palette_color(enum tch_palette palette, struct tch_span name)
{
    unsigned v[3];

    if (tch_span_starts(name, TCH_NAME_PREEMPTED))
        return tch_preempted_color;
    switch (palette) {
    case TCH_PALETTE_LIBRARY:
        return library_color(name);
    case TCH_PALETTE_LANGUAGE:
        return tch_language_color(tch_language_of(name));
    case TCH_PALETTE_HASH:
        break;
    }
    hash_channels(tch_frame_unmarked(name), v);
    if (tch_frame_mark(name) == 'k') /* blue, in contrast to the warm colours of programs */
        return (struct tch_color){(uint8_t)(95 + v[0] * 50 / 255), (uint8_t)(155 + v[1] * 55 / 255),
                                  (uint8_t)(195 + v[2] * 55 / 255)};
    return (struct tch_color){(uint8_t)(205 + v[0] * 50 / 255), (uint8_t)(90 + v[1] * 140 / 255),
                              (uint8_t)(30 + v[2] * 60 / 255)};
}

struct tch_color tch_palette_change(int sign)
{
    static const struct tch_color colors[] = {{122, 140, 255}, {228, 228, 228}, {255, 100, 100}};

    return colors[sign + 1];
}

double tch_palette_opacity(const struct tch_change *change, double full)
{
    const double faintest = 0.25;

    if (change->sign == 0)
        return 1;
    /* The square root makes small changes visible. */
    return faintest + (1 - faintest) * sqrt(fmin(1, fabs(change->now - change->before) / full));
}
