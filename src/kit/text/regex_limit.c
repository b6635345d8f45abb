/* Regular expressions of limited size. */
#include "regex_limit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"

enum { DEPTH_MOST = 50, NODES_MOST = 1000 };

/* Returns the end of a bracket expression such as "[]a[:digit:]]", whose '[' is before `at`. */
static const char *skip_bracket(const char *at)
{
    at += *at == '^';
    at += *at == ']';
    while (*at && *at != ']') {
        char kind = at[0] == '[' ? at[1] : '\0';

        if (kind == ':' || kind == '.' || kind == '=') {
            const char *close = strchr(at + 2, kind);

            while (close && close[1] != ']')
                close = strchr(close + 1, kind);
            if (!close)
                return at + strlen(at);
            at = close + 1;
        }
        at++;
    }
    return *at ? at + 1 : at;
}

/* Returns how many copies "2,30}" makes of the atom before it, and where it ends. 1 when it is not
   a count. */
static double copies(const char *at, const char **end)
{
    size_t first = strspn(at, "0123456789");
    size_t comma = at[first] == ',';
    size_t second = comma ? strspn(at + first + 1, "0123456789") : 0;
    uint64_t low = 0;
    uint64_t high = 0;

    *end = at;
    if (at[first + comma + second] != '}')
        return 1;
    *end = at + first + comma + second + 1;
    if ((first > 0 && tch_parse_u64_n(at, first, UINT32_MAX, &low) < 0) ||
        (second > 0 && tch_parse_u64_n(at + first + 1, second, UINT32_MAX, &high) < 0))
        return UINT32_MAX;
    return (double)(high > low ? high : low) + (comma && second == 0);
}

/* Returns the number of nodes of the expression when repetitions are expanded, and more than
   NODES_MOST for one that is nested too deeply. */
static double nodes(const char *at)
{
    double outer[DEPTH_MOST]; /* nodes before each group that is open */
    size_t depth = 0;
    double sum = 0;
    double last = 0; /* nodes of the atom before `at` */

    while (*at && sum <= NODES_MOST) {
        char c = *at++;
        double times = 1;

        if (c == '(') {
            if (depth == DEPTH_MOST)
                return NODES_MOST + 1;
            outer[depth++] = sum;
            sum = last = 0;
        } else if (c == ')' && depth > 0) {
            last = sum + 1;
            sum = outer[--depth] + last;
        } else if (c == '+' || c == '{') {
            times = c == '+' ? 2 : copies(at, &at);
            sum += last * (times - 1);
            last *= times;
        } else if (c != '*' && c != '?' && c != '|') {
            if (c == '[')
                at = skip_bracket(at);
            else if (c == '\\' && *at)
                at++;
            last = 1;
            sum++;
        }
    }
    return sum;
}

int tch_regex_compile(regex_t *ret, const char *text, int flags, tacho_error *err)
{
    char why[128];
    int number;

    if (nodes(text) > NODES_MOST)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "the expression is too large: with its repetitions written out it has more "
                        "than %d parts, or it is nested more than %d deep",
                        NODES_MOST, DEPTH_MOST);
    number = regcomp(ret, text, REG_EXTENDED | flags);
    if (number == 0)
        return 0;
    if (number == REG_ESPACE)
        return tch_fail_memory(err);
    regerror(number, ret, why, sizeof why);
    return tch_fail(err, TACHO_EINVAL, 0, "%s", why);
}

int tch_regex_search(const regex_t *regex, const char *text, size_t count, regmatch_t *ret,
                     int flags)
{
    int number;

    errno = 0; /* glibc returns REG_NOMATCH when it has no memory for a state */
    number = regexec(regex, text, count, ret, flags);
    if (number == REG_ESPACE || (number != 0 && errno == ENOMEM))
        return TACHO_ENOMEM;
    return number == 0;
}
