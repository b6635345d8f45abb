/* Text in Markdown. */
#include "markdown.h"

#include "base/utf8.h"

static char in_line(char c)
{
    return c == '\n' ? ' ' : tch_utf8_is_control(c) ? '?' : c;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Returns whether a mention (@name, #1) or a link (http://, www.) may begin here. Both are found in
   the rendered text, where a backslash is already gone; an empty HTML comment after the character
   prevents them. */
static bool is_linked(const char *at)
{
    return ((*at == '@' || *at == '#') && is_word(at[1])) ||
           (*at == ':' && at[1] == '/' && at[2] == '/') ||
           (*at == 'w' && strncmp(at, "w.", 2) == 0);
}

void tch_add_md_text(struct tch_buf *b, const char *text)
{
    for (const char *at = text; *at; at++) {
        bool inside = at > text && is_word(at[-1]) && is_word(at[1]); /* kv_cache */

        if (strchr("\\`*[]<>|~&", *at) || (*at == '_' && !inside))
            tch_buf_addc(b, '\\');
        tch_buf_addc(b, in_line(*at));
        if (is_linked(at))
            tch_buf_adds(b, "<!-- -->");
    }
}

/* The fence is longer than any run of backticks in the text. */
void tch_add_md_code(struct tch_buf *b, const char *text)
{
    size_t longest = 0;
    size_t run = 0;
    const char *pad;

    for (const char *at = text; *at; at++) {
        run = *at == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    pad = longest > 0 || !*text ? " " : "";
    for (size_t i = 0; i <= longest; i++)
        tch_buf_addc(b, '`');
    tch_buf_adds(b, pad);
    for (; *text; text++)
        tch_buf_addc(b, in_line(*text));
    tch_buf_adds(b, pad);
    for (size_t i = 0; i <= longest; i++)
        tch_buf_addc(b, '`');
}
