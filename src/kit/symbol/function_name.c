/*
 * Shortens a demangled name to the function that it names:
 *
 *     double energy<Vec>(Vec const&) const [clone .cold]   ->  energy<Vec> [clone .cold]
 *     `--.--'           `--------------'                       return type, arguments, qualifiers
 *
 * The text is read once from left to right, at the top level only: groups in <>, (), {} and [] are
 * skipped. An argument list follows a name. If "::" follows it in turn, it belongs to the function
 * around a local name, as in "f(int)::{lambda(long)#1}::operator()(long) const", and is kept: only
 * the last list is left out. A demangler writes the return type of templates only, so a text
 * without one keeps its blanks: names of other languages may contain them.
 *
 * Forms of both GNU's and LLVM's demangler are understood, with and without arguments.
 */
#include "function_name.h"

/* Functions that return pointers to functions that return pointers to functions ... */
enum { DECLARATORS_MAX = 8 };

/* The parts of a text. Offsets are from its start. */
struct parts {
    size_t prefix; /* end of "non-virtual thunk to ", "guard variable for "; 0: none */
    size_t name;   /* start of the last word, which is the name if there is a return type */
    size_t cut;    /* end of the name: the argument list, or len */
    size_t rest;   /* end of the argument list and its qualifiers, or len */
    size_t token;  /* end of the last operator's symbol; 0: none */
    bool typed;    /* a template has arguments, so there is a return type */
    bool inside;   /* the name is in the group at `name`: "void (*f<int>(int))(char)" */
};

static struct tch_span from(struct tch_span s, size_t i)
{
    i = i < s.len ? i : s.len;
    return (struct tch_span){s.p + i, s.len - i};
}

static bool at(struct tch_span s, size_t i, const char *text)
{
    return tch_span_starts(from(s, i), text);
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

/* Returns whether the word that ends before `i` is `word`. */
static bool follows(struct tch_span s, size_t i, const char *word)
{
    size_t len = strlen(word);

    return tch_span_ends((struct tch_span){s.p, i}, word) &&
           (i == len || !is_word(s.p[i - len - 1]));
}

/* Returns the end of an operator's symbol, or i if it is a conversion or no symbol is there. */
static size_t skip_symbol(struct tch_span s, size_t i)
{
    /* A symbol precedes its own prefixes. */
    static const char *const symbols[] = {
        " new[]", " new", " delete[]", " delete", " co_await", "\"\" ", "\"\"", "()", "[]", "->*",
        "->",     "<=>",  "<<=",       ">>=",     "<<",        ">>",    "<=",   ">=", "<",  ">",
    };

    for (size_t k = 0; k < sizeof symbols / sizeof symbols[0]; k++) {
        size_t end = i + strlen(symbols[k]);

        if (!at(s, i, symbols[k]))
            continue;
        if (symbols[k][0] == ' ' && end < s.len && is_word(s.p[end]))
            continue; /* a conversion to "new_type" */
        /* LLVM's "operator<<int>" is '<' with template arguments. */
        if (strcmp(symbols[k], "<<") == 0 && end < s.len && !strchr(" (<[", s.p[end]))
            continue;
        return end;
    }
    while (i < s.len && s.p[i] && strchr("+-*/%^&|~!=,", s.p[i]))
        i++;
    return i;
}

/* Returns the end of the word "operator" that starts at `i`; i if there is another word. */
static size_t skip_keyword(struct tch_span s, size_t i)
{
    size_t end = i + strlen("operator");

    if (!at(s, i, "operator") || (i > 0 && is_word(s.p[i - 1])) ||
        (end < s.len && is_word(s.p[end])))
        return i;
    return end;
}

/* Returns the end of a text whose signs are not brackets: "operator<", Rust's constant "'('" and
   the arrow in "fn() -> T"; i if there is none. */
static size_t skip_signs(struct tch_span s, size_t i)
{
    if (s.p[i] == '\'' && i + 2 < s.len && s.p[i + 2] == '\'')
        return i + 3;
    if (s.p[i] == 'o' && skip_keyword(s, i) > i)
        return skip_symbol(s, skip_keyword(s, i));
    return at(s, i, "->") ? i + 2 : i;
}

/* Returns the end of the group that starts at `i`, or len if it does not end. '<' and '>' may be
   operators inside of other brackets, so they count only if the group starts with one. */
static size_t skip_group(struct tch_span s, size_t i)
{
    size_t angles = 0;
    size_t others = 0;

    while (i < s.len) {
        size_t next = skip_signs(s, i);
        char c = s.p[i];

        if (next > i) {
            i = next;
            continue;
        }
        i++;
        if (c == '(' || c == '{' || c == '[')
            others++;
        else if (others > 0 && (c == ')' || c == '}' || c == ']'))
            others--;
        else if (others == 0 && c == '<')
            angles++;
        else if (others == 0 && c == '>')
            angles--;
        if (angles == 0 && others == 0)
            return i;
    }
    return s.len;
}

/* Returns the end of the qualifiers that may follow an argument list. */
static size_t skip_qualifiers(struct tch_span s, size_t i)
{
    static const char *const qualifiers[] = {" const",    " volatile", " __restrict", " restrict",
                                             " noexcept", " &&",       " &"};
    size_t k = 0;

    while (k < sizeof qualifiers / sizeof qualifiers[0]) {
        size_t end = i + strlen(qualifiers[k]);

        if (at(s, i, qualifiers[k]) && (end == s.len || !is_word(s.p[end]))) {
            i = end;
            k = 0;
        } else {
            k++;
        }
    }
    return i;
}

/* Returns where the arguments of the conversion whose type starts at `i` start, or len. They are
   "()". The type may have parentheses, too: "operator void (*)(int)()". */
static size_t skip_conversion(struct tch_span s, size_t i)
{
    while (i < s.len) {
        bool in_type = at(s, i + 2, "(") || tch_span_ends((struct tch_span){s.p, i}, "*)");

        if (at(s, i, "()") && !in_type)
            return i;
        i = s.p[i] && strchr("<({[", s.p[i]) ? skip_group(s, i) : i + 1;
    }
    return i;
}

/* Reads the parenthesis at `i`. Returns where to continue. */
static size_t read_parenthesis(struct tch_span s, size_t i, struct parts *parts)
{
    char before = i > 0 ? s.p[i - 1] : ' ';
    bool is_operator = parts->token > 0 && i == parts->token;
    bool named = is_operator || is_word(before) || (before && strchr(">]}'\"", before));
    size_t end = skip_group(s, i);

    if (follows(s, i, "decltype") || follows(s, i, "decltype "))
        return end;
    if (!named && strchr(" *&", before) && (at(s, end, "(") || at(s, end, " ["))) {
        parts->inside = true;
        parts->name = i + 1;
        parts->cut = end - 1;
        return s.len;
    }
    /* "(anonymous namespace)", Go's "http.(*Client).Do", JavaScript's "~(anonymous)". */
    if (!named)
        return end;
    parts->typed |= before == '>' && !is_operator;
    end = skip_qualifiers(s, end);
    if (at(s, end, "::"))
        return end;
    parts->cut = i;
    parts->rest = end;
    return s.len;
}

/* Reads the operator whose symbol or type is at `i`. Returns its end. */
static size_t read_operator(struct tch_span s, size_t i, struct parts *parts)
{
    size_t end = skip_symbol(s, i);

    if (end == i && at(s, i, " "))
        end = skip_conversion(s, i);
    parts->token = end;
    return at(s, end, " <") ? end + 1 : end; /* GNU's "operator< <int>" */
}

static void read_parts(struct tch_span s, struct parts *ret)
{
    size_t i = 0;

    *ret = (struct parts){.cut = s.len, .rest = s.len};
    while (i < s.len) {
        size_t keyword = skip_keyword(s, i);
        size_t sign = skip_signs(s, i);

        if (keyword > i) {
            i = read_operator(s, keyword, ret);
        } else if (sign > i) {
            i = sign;
        } else if (s.p[i] == '(') {
            i = read_parenthesis(s, i, ret);
        } else if (s.p[i] == '<' || s.p[i] == '{' || s.p[i] == '[') {
            i = skip_group(s, i);
        } else {
            i++;
            if (s.p[i - 1] == ' ' || s.p[i - 1] == '*' || s.p[i - 1] == '&')
                ret->name = i; /* the text before it is the return type, or part of it */
            if (follows(s, i, "for ") || follows(s, i, "to "))
                ret->prefix = i;
        }
    }
}

/* Finds the name inside the declarators of a function that returns a pointer to a function. Returns
   the text that contains it. */
static struct tch_span read_function(struct tch_span s, struct parts *ret)
{
    struct tch_span inner = s;

    read_parts(inner, ret);
    for (int i = 0; ret->inside && i < DECLARATORS_MAX; i++) {
        inner = (struct tch_span){inner.p + ret->name, ret->cut - ret->name};
        read_parts(inner, ret);
        ret->typed = true; /* the type is around the name */
    }
    if (!ret->inside)
        return inner;
    *ret = (struct parts){.cut = s.len, .rest = s.len};
    return s;
}

void tch_add_function(struct tch_buf *b, struct tch_span text)
{
    const char *clone = memmem(text.p, text.len, " [clone ", strlen(" [clone "));
    struct tch_span name = {text.p, clone ? (size_t)(clone - text.p) : text.len};
    struct tch_span suffix = from(text, name.len);
    size_t lto = tch_span_rfind(suffix, " [clone .llvm.");
    struct parts parts;

    name = read_function(name, &parts);
    if (!parts.typed)
        parts.prefix = parts.name = 0;
    tch_buf_add(b, name.p, parts.prefix);
    tch_buf_add(b, name.p + parts.name, parts.cut - parts.name);
    /* ".cold" and LLVM's " (.cold)", which follow the arguments */
    if (at(name, parts.rest, ".") || at(name, parts.rest, " (."))
        tch_buf_add(b, name.p + parts.rest, name.len - parts.rest);
    /* LTO's number of a local name differs between builds. */
    tch_buf_add(b, suffix.p, lto);
}
