/* Suggests a known word for an unknown one: the nearest by edit distance. */
#include "suggest.h"

enum { LONGEST = 40 }; /* no command or option is longer */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t cli_edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    size_t a_len = strlen(a), b_len = strlen(b);

    if (a_len > LONGEST || b_len > LONGEST)
        return a_len > b_len ? a_len : b_len;
    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *oldest = before;

        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[b_len];
}

void cli_suggest(struct suggestion *s, const char *candidate)
{
    size_t len = strlen(s->word);
    size_t distance = cli_edit_distance(s->word, candidate);
    size_t allowed = len < 4 ? 1 : (len + 1) / 3;

    /* A word that lacks its end matches, however much is missing. */
    if (len >= 2 && strncmp(candidate, s->word, len) == 0)
        distance = 1;
    if (distance > allowed || (s->best && distance >= s->distance))
        return;
    s->best = candidate;
    s->distance = distance;
}
