/*
 * For tests of flamegraphs: converts a profile from text to text.
 */
#ifndef TEST_FLAME_PROFILE_H
#define TEST_FLAME_PROFILE_H

#include "kit/flame/draw/profile_formats.h"

/** Reads `text` and returns it in a format; never NULL, the caller frees it. Fails the test on any
    error. Copies the numbers of the notes to *notes, unless that is NULL. */
char *test_convert(const char *text, size_t len, const struct tch_flame_read_options *read,
                   const char *format, const struct tch_format_options *write,
                   struct tch_read_notes *notes);

/** Reads `text` with these options and returns folded stacks, which the caller frees. */
char *test_fold(const char *text, const struct tch_flame_read_options *read,
                struct tch_read_notes *notes);

/** Fails the test unless folding gives exactly this text. */
void test_folds(const char *text, const struct tch_flame_read_options *read, const char *wanted);

#endif
