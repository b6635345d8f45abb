/*
 * A filter for stdout. Names of files, commands, metrics and functions come from elsewhere and may
 * contain escape sequences that move the cursor, retitle the window or hide text. The filter stops
 * them for every command: only line feeds, tabs, printable characters and tacho's own colours pass.
 * Everything else becomes '?'.
 *
 * Data for other programs, such as JSON, passes unchanged unless stdout is a terminal.
 */
#include "clean_out.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"

enum { LONGEST = 5 }; /* bytes of "\033[36m"; no character is longer */

static struct {
    char held[LONGEST]; /* the start of a character or colour that the next write completes */
    size_t held_len;
    bool colors; /* whether tacho's own colours pass */
    bool data;
    bool is_tty;
} out;

void cli_clean_colors(bool colors)
{
    out.colors = colors;
}

void cli_stdout_is_data(void)
{
    fflush(stdout);
    out.data = true;
}

/* Returns the length of one of tacho's own colours at text, or 0. */
static size_t color_at(const char *text, size_t len)
{
    static const char *const codes[] = {"\033[0m",  "\033[1m",  "\033[2m", "\033[31m",
                                        "\033[32m", "\033[33m", "\033[36m"};

    for (size_t i = 0; out.colors && i < sizeof codes / sizeof codes[0]; i++)
        if (len >= strlen(codes[i]) && memcmp(text, codes[i], strlen(codes[i])) == 0)
            return strlen(codes[i]);
    return 0;
}

/* Characters that change the direction of text can make it read as something else. */
static bool is_shown(uint32_t code)
{
    return code >= 0xA0 && !(code >= 0x202A && code <= 0x202E) &&
           !(code >= 0x2066 && code <= 0x2069);
}

/* Returns the length of the character or colour at text that may pass, or 0. */
static size_t passes(const char *text, size_t len)
{
    uint32_t code;
    size_t step;

    if (*text == '\n' || *text == '\t' || (*text >= 0x20 && *text < 0x7F))
        return 1;
    if (*text == '\033')
        return color_at(text, len);
    step = tch_utf8_decode(text, len, &code);
    return step > 1 && is_shown(code) ? step : 0;
}

/* Cleans text in place and returns its new length. Holds back the last bytes if the next write may
   complete them. */
static size_t clean(char *text, size_t len, bool last)
{
    size_t to = 0;
    size_t from = 0;

    while (from < len) {
        size_t step = passes(text + from, len - from);

        if (step == 0 && !last && len - from < LONGEST && (text[from] & 0x80 || text[from] == 033))
            break;
        if (step == 0)
            text[to++] = '?';
        else
            memmove(text + to, text + from, step);
        to += step;
        from += step > 0 ? step : 1;
    }
    out.held_len = len - from;
    memcpy(out.held, text + from, out.held_len);
    return to;
}

static ssize_t write_clean(void *cookie, const char *text, size_t size)
{
    char block[4096];

    (void)cookie;
    if (out.data && !out.is_tty)
        return tch_write_all(STDOUT_FILENO, "stdout", text, size, NULL) < 0 ? 0 : (ssize_t)size;
    for (size_t at = 0, n; at < size; at += n) {
        size_t held = out.held_len;
        size_t len;

        n = size - at < sizeof block - held ? size - at : sizeof block - held;
        memcpy(block, out.held, held);
        memcpy(block + held, text + at, n);
        len = clean(block, held + n, false);
        if (tch_write_all(STDOUT_FILENO, "stdout", block, len, NULL) < 0)
            return 0;
    }
    return (ssize_t)size;
}

void cli_clean_end(void)
{
    char block[LONGEST];
    size_t len = out.held_len;

    memcpy(block, out.held, len);
    len = clean(block, len, true);
    (void)tch_write_all(STDOUT_FILENO, "stdout", block, len, NULL);
}

void cli_clean_stdout(void)
{
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_clean});

    if (!stream)
        return; /* out of memory: nothing will be printed anyway */
    out.is_tty = isatty(STDOUT_FILENO) == 1;
    setvbuf(stream, NULL, out.is_tty ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = stream;
}
