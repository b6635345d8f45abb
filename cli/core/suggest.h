/*
 * Suggests a known word for an unknown one.
 */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/** Returns the number of letters to insert, delete, change or swap with their neighbour to turn a
    into b. */
size_t cli_edit_distance(const char *a, const char *b);

/** Keeps the nearest of the candidates it was asked about. Start with {.word = word}. */
struct suggestion {
    const char *word;
    const char *best; /**< NULL while nothing is near enough */
    size_t distance;
};

void cli_suggest(struct suggestion *s, const char *candidate);

#endif
