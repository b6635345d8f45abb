/* Splits command lines into words. */
#include "shell_words.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/fail.h"

struct splitter {
    const char *at;
    char *out;
    tacho_error *err;
};

static int needs_shell(const struct splitter *s, char c)
{
    return tch_fail(s->err, TACHO_EUNSUPPORTED, 0,
                    "'%c' needs a shell (quote it if it is part of a word)", c);
}

static int fail_unclosed(const struct splitter *s, char quote)
{
    return tch_fail(s->err, TACHO_EINVAL, 0, "a %c is not closed", quote);
}

static int single_quoted(struct splitter *s)
{
    while (*s->at && *s->at != '\'')
        *s->out++ = *s->at++;
    if (!*s->at)
        return fail_unclosed(s, '\'');
    s->at++;
    return 0;
}

static int double_quoted(struct splitter *s)
{
    while (*s->at && *s->at != '"') {
        if (*s->at == '$' || *s->at == '`')
            return needs_shell(s, *s->at);
        if (*s->at == '\\' && s->at[1] && strchr("$`\"\\", s->at[1]))
            s->at++;
        *s->out++ = *s->at++;
    }
    if (!*s->at)
        return fail_unclosed(s, '"');
    s->at++;
    return 0;
}

/* Returns whether a character separates words. tch_is_blank() is not used, because for the shell a
   CR is part of a word. */
static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Copies one word, from its first character to the blank after it. */
static int one_word(struct splitter *s)
{
    bool first = true;
    int status = 0;

    for (; status == 0 && *s->at && !is_separator(*s->at); first = false) {
        char c = *s->at++;

        if (c == '\'') {
            status = single_quoted(s);
        } else if (c == '"') {
            status = double_quoted(s);
        } else if (c == '\\') {
            if (!*s->at)
                return tch_fail(s->err, TACHO_EINVAL, 0, "nothing follows the last backslash");
            *s->out++ = *s->at++;
        } else if (strchr("|&;<>()$`*?[", c) || (first && (c == '#' || c == '~'))) {
            status = needs_shell(s, c);
        } else {
            *s->out++ = c;
        }
    }
    *s->out++ = '\0';
    return status;
}

int tch_words_split(const char *line, char ***ret, tacho_error *err)
{
    size_t len = strlen(line);
    size_t most = len / 2 + 2; /* limit of words, with the NULL */
    char **words;
    struct splitter s = {.at = line, .err = err};
    size_t n = 0;
    int status;

    if (len > SIZE_MAX / 32)
        return tch_fail(err, TACHO_ENOMEM, 0, "the command is too long");
    words = malloc(most * sizeof *words + len + 1);
    if (!words)
        return tch_fail_memory(err);
    s.out = (char *)(words + most);
    for (;;) {
        while (is_separator(*s.at))
            s.at++;
        if (!*s.at)
            break;
        words[n++] = s.out;
        status = one_word(&s);
        if (status < 0) {
            free(words);
            return status;
        }
    }
    if (n == 0) {
        free(words);
        return tch_fail(err, TACHO_EINVAL, 0, "there is no command");
    }
    words[n] = NULL;
    *ret = words;
    return 0;
}
