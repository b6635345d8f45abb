/*
 * For tests of flamegraphs: text in, text out.
 */
#ifndef TEST_FLAME_PROFILE_H
#define TEST_FLAME_PROFILE_H

#include "kit/flame/draw/profile_formats.h"

/** What reading `text` and writing it in a format gives; never NULL, the caller frees it. Fails the
    test on any error. The notes are copied to *notes when that is not NULL (numbers only). */
char *test_convert(const char *text, size_t len, const struct tch_flame_read_options *read,
                   const char *format, const struct tch_format_options *write,
                   struct tch_read_notes *notes);

/** The same, folded, with these options. */
char *test_fold(const char *text, const struct tch_flame_read_options *read,
                struct tch_read_notes *notes);

/** Fails the test unless folding gives exactly this. */
void test_folds(const char *text, const struct tch_flame_read_options *read, const char *wanted);

#endif
