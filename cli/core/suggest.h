/*
 * What was meant by a word that is not known.
 */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/** Letters to insert, delete, change or swap with their neighbour to make b of a. */
size_t cli_edit_distance(const char *a, const char *b);

/** The nearest of the candidates it was asked about. Start with {.word = word}. */
struct suggestion {
    const char *word;
    const char *best; /**< NULL while nothing is near enough */
    size_t distance;
};

void cli_suggest(struct suggestion *s, const char *candidate);

#endif
