/*
 * Masks secrets before they are recorded or shown. A command line or a variable often contains a
 * password or an access token. Its value is replaced by "masked:" and the first 8 hexadecimal
 * digits of its SHA-256: nobody can use it, and a change of the value is still visible. The name
 * decides, because a value does not show what it is.
 *
 * keep: names whose values are recorded unchanged; NULL-terminated, or NULL.
 */
#ifndef TCH_SECRET_H
#define TCH_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/**
 * Returns whether the name of a variable or an option looks like that of a secret. "token" needs
 * care: HF_TOKEN is one, MAX_TOKENS, EOS_TOKEN and tokenizer_path are words of language models.
 */
bool tch_secret_name(const char *name, size_t len, const char *const *keep);

/** Adds the value of a variable: masked, or with the secrets of a command line in it masked. */
void tch_secret_mask_value(struct tch_buf *b, const char *name, size_t name_len, const char *value,
                           const char *const *keep);

/**
 * Adds a word of a command with its secrets masked: the value of --NAME VALUE, --NAME=VALUE,
 * NAME=VALUE, "NAME: VALUE", and those inside the script that follows -c.
 *
 * @param before  the word before it, or NULL
 */
void tch_secret_mask_word(struct tch_buf *b, const char *before, const char *word,
                          const char *const *keep);

/** Adds a command line with the secrets of its words masked. Masking it again changes nothing. */
void tch_secret_mask_line(struct tch_buf *b, const char *line, const char *const *keep);

/** Does what tch_secret_mask_line() does and returns the text, which the caller frees, or NULL
    if memory runs out. */
char *tch_secret_masked_line(const char *line, const char *const *keep);

/** Write a member of a JSON object. The first function writes a masked line, or null if `line` is
 * NULL; the second one writes a list of masked words. */
void tch_secret_put_line(struct tch_buf *b, const char *key, const char *line,
                         const char *const *keep);
void tch_secret_put_words(struct tch_buf *b, const char *key, const char *const *words,
                          const char *const *keep);

#endif
