/* Masks secrets: first decides which names are secret, then masks words, then lines, which consist
   of words. */
#include "secret.h"

#include <stdlib.h>
#include <string.h>

#include "json_write.h"
#include "sha256.h"
#include "shell_quote.h"

#define MASK           "masked:"
#define VARIABLE_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define NAME_CHARS     VARIABLE_CHARS ".-"
#define SEPARATORS     " \t\r\n;|&()<>"
#define COMMAND_END    "\n;|&()"

enum {
    NAME_MOST = 128, /* only the end of a longer name counts */
    MASK_DIGITS = 8,
    DEPTH = 8, /* nesting of scripts in scripts */
    TEXT_MOST = 64 << 20,
};

/* Names. */

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Writes the parts of a name in upper case, each between '_', without the number at the end:
   "apiKey-2" is "_API_KEY_". */
static void spell(char out[2 * NAME_MOST + 3], const char *name, size_t len)
{
    size_t from = len > NAME_MOST ? len - NAME_MOST : 0;
    size_t n = 0;

    while (len > from && !is_lower(name[len - 1]) && !is_upper(name[len - 1]))
        len--;
    out[n++] = '_';
    for (size_t i = from; i < len; i++) {
        char c = name[i];

        if (is_upper(c) && i > from && is_lower(name[i - 1]))
            out[n++] = '_';
        if (is_lower(c))
            out[n++] = (char)(c - 'a' + 'A');
        else if (is_upper(c) || (c >= '0' && c <= '9'))
            out[n++] = c;
        else if (out[n - 1] != '_')
            out[n++] = '_';
    }
    out[n++] = '_';
    out[n] = '\0';
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text);
    size_t end_len = strlen(end);

    return len >= end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

/* Returns whether the name ends with "_FIRST_LAST_", where FIRST is one of the NULL-terminated
   list. */
static bool ends_with_pair(const char *name, const char *const *first, const char *last)
{
    size_t rest = strlen(name) - strlen(last);

    for (; ends_with(name, last) && *first; first++) {
        size_t len = strlen(*first);

        if (rest > len && memcmp(name + rest - len, *first, len) == 0 &&
            name[rest - len - 1] == '_')
            return true;
    }
    return false;
}

/* Names of secrets contain one of these. */
static const char *const secret[] = {
    "SECRET_",        "SECRETS_",     "PASSWORD_",       "PASSWORDS_",
    "PASSWD_",        "PASSPHRASE_",  "CREDENTIAL_",     "CREDENTIALS_",
    "APIKEY_",        "_API_KEY_",    "_ACCESS_KEY_",    "ACCESSKEY_",
    "_PRIVATE_KEY_",  "PRIVATEKEY_",  "_AUTH_",          "AUTHORIZATION_",
    "APITOKEN_",      "AUTHTOKEN_",   "ACCESSTOKEN_",    "_API_TOKEN_",
    "_ACCESS_TOKEN_", "_API_TOKENS_", "_ACCESS_TOKENS_", NULL};

/* Names that end with these describe a secret or say where it is. */
static const char *const about[] = {
    "_FILE_",  "_PATH_", "_DIR_",  "_SOCK_", "_LEN_",     "_LENGTH_",  "_SIZE_",     "_COUNT_",
    "_LIMIT_", "_MODE_", "_TYPE_", "_TTL_",  "_TIMEOUT_", "_ENABLED_", "_REQUIRED_", NULL};

/* After one of these words, TOKEN means a token of a language model. */
static const char *const model[] = {
    "PER",     "MAX",   "MIN",   "NUM",    "N",     "FIRST",  "LAST",  "NEXT", "START", "BEGIN",
    "END",     "STOP",  "BOS",   "EOS",    "EOT",   "PAD",    "UNK",   "SEP",  "CLS",   "MASK",
    "SPECIAL", "IMAGE", "AUDIO", "PROMPT", "INPUT", "OUTPUT", "DRAFT", NULL};

/* After one of these words, KEY means a key that selects or sorts, or a public one. */
static const char *const lookup[] = {"PER",   "MAX",     "NUM",     "N",      "CACHE",
                                     "SORT",  "PRIMARY", "FOREIGN", "PUBLIC", "PARTITION",
                                     "GROUP", "QUERY",   "LOOKUP",  NULL};

bool tch_secret_name(const char *name, size_t len, const char *const *keep)
{
    char spelled[2 * NAME_MOST + 3];

    for (; len > 0 && *name == '-'; len--)
        name++;
    for (; keep && *keep; keep++)
        if (strlen(*keep) == len && memcmp(*keep, name, len) == 0)
            return false;
    spell(spelled, name, len);
    if (strncmp(spelled, "_NO_", 4) == 0)
        return false;
    for (const char *const *end = about; *end; end++)
        if (ends_with(spelled, *end))
            return false;
    for (const char *const *part = secret; *part; part++)
        if (strstr(spelled, *part))
            return true;
    if (ends_with(spelled, "_TOKEN_"))
        return !ends_with_pair(spelled, model, "_TOKEN_");
    return ends_with(spelled, "_KEY_") && strcmp(spelled, "_KEY_") != 0 &&
           !ends_with_pair(spelled, lookup, "_KEY_");
}

/* Words. */

static void mask(struct tch_buf *b, const char *value)
{
    size_t len = strlen(value);
    char hex[TCH_SHA256_HEX];

    if (len == 0)
        return;
    if (strncmp(value, MASK, strlen(MASK)) == 0 && len == strlen(MASK) + MASK_DIGITS &&
        strspn(value + strlen(MASK), "0123456789abcdef") == MASK_DIGITS) {
        tch_buf_adds(b, value);
        return;
    }
    tch_sha256_hex(hex, value, len);
    tch_buf_addf(b, MASK "%.*s", MASK_DIGITS, hex);
}

/* Returns whether the word is the option --NAME of a secret, whose value is the next word. */
static bool is_secret_option(const char *word, const char *const *keep)
{
    size_t len = strlen(word);

    return len > 1 && word[0] == '-' && strspn(word, NAME_CHARS) == len &&
           tch_secret_name(word, len, keep);
}

/* Returns whether the word is a shell's option -c, possibly combined with other letters as in
   -ec. */
static bool is_script_option(const char *word)
{
    size_t len = strlen(word);

    return len > 1 && word[0] == '-' && word[1] != '-' && word[len - 1] == 'c';
}

static void mask_line(struct tch_buf *b, const char *line, const char *const *keep, int depth);

static void mask_word(struct tch_buf *b, const char *before, const char *word,
                      const char *const *keep, int depth)
{
    size_t len = strspn(word, NAME_CHARS);
    size_t value = word[len] == '=' ? len + 1 : strncmp(word + len, ": ", 2) == 0 ? len + 2 : 0;

    if (before && is_secret_option(before, keep) && strncmp(word, "--", 2) != 0) {
        mask(b, word);
        return;
    }
    if (value > 0 && !(before && is_script_option(before)) && tch_secret_name(word, len, keep)) {
        tch_buf_add(b, word, value);
        mask(b, word + value);
        return;
    }
    if (depth > 0 && word[strcspn(word, SEPARATORS "'\"\\")]) {
        mask_line(b, word, keep, depth - 1);
        return;
    }
    for (const char *equal = word; (equal = strchr(equal, '=')); equal++) {
        const char *name = equal;

        while (name > word && strchr(NAME_CHARS, name[-1]))
            name--;
        if (tch_secret_name(name, (size_t)(equal - name), keep)) {
            tch_buf_add(b, word, (size_t)(equal + 1 - word));
            mask(b, equal + 1);
            return;
        }
    }
    tch_buf_adds(b, word);
}

/* Lines. */

/* Reads one word as a shell does, without its quotes. Returns its length in the line. */
static size_t read_word(struct tch_buf *word, const char *line)
{
    char quote = '\0';
    size_t i;

    tch_buf_clear(word);
    for (i = 0; line[i] && (quote || !strchr(SEPARATORS, line[i])); i++) {
        if (quote ? line[i] == quote : line[i] == '\'' || line[i] == '"')
            quote = quote ? '\0' : line[i];
        else if (line[i] == '\\' && quote != '\'' && line[i + 1])
            tch_buf_addc(word, line[++i]);
        else
            tch_buf_addc(word, line[i]);
    }
    return i;
}

/* Returns whether the value of a word, as it is in the line, is only $NAME, ${NAME} or the
   beginning of $(...). The shell expands it later, so it does not reveal a secret. */
static bool is_expansion(const char *raw, size_t len)
{
    const char *equal = memchr(raw, '=', len);

    if (equal) {
        len -= (size_t)(equal + 1 - raw);
        raw = equal + 1;
    }
    if (len > 2 && raw[0] == '"' && raw[len - 1] == '"')
        raw++, len -= 2;
    if (len == 0 || raw[0] != '$')
        return false;
    raw++, len--;
    if (len > 2 && raw[0] == '{' && raw[len - 1] == '}')
        raw++, len -= 2;
    return strspn(raw, VARIABLE_CHARS) >= len;
}

static void mask_line(struct tch_buf *b, const char *line, const char *const *keep, int depth)
{
    struct tch_buf before;
    struct tch_buf word;
    struct tch_buf masked;

    tch_buf_init(&before, TEXT_MOST);
    tch_buf_init(&word, TEXT_MOST);
    tch_buf_init(&masked, TEXT_MOST);
    for (size_t len; *line; line += len) {
        struct tch_buf last = before;
        size_t gap = strspn(line, SEPARATORS);

        tch_buf_add(b, line, gap);
        if (strcspn(line, COMMAND_END) < gap)
            tch_buf_clear(&last);
        line += gap;
        len = read_word(&word, line);
        tch_buf_clear(&masked);
        mask_word(&masked, last.data, word.data, keep, depth);
        b->failed |= word.failed || masked.failed;
        if (strcmp(masked.data, word.data) == 0 || is_expansion(line, len))
            tch_buf_add(b, line, len);
        else if (strcspn(line, "'\"\\") < len)
            tch_shell_quote(b, masked.data);
        else
            tch_buf_add(b, masked.data, masked.len);
        before = word;
        word = last;
    }
    tch_buf_release(&before);
    tch_buf_release(&word);
    tch_buf_release(&masked);
}

void tch_secret_mask_word(struct tch_buf *b, const char *before, const char *word,
                          const char *const *keep)
{
    mask_word(b, before, word, keep, DEPTH);
}

void tch_secret_mask_line(struct tch_buf *b, const char *line, const char *const *keep)
{
    mask_line(b, line, keep, DEPTH);
}

void tch_secret_mask_value(struct tch_buf *b, const char *name, size_t name_len, const char *value,
                           const char *const *keep)
{
    if (tch_secret_name(name, name_len, keep))
        mask(b, value);
    else
        mask_line(b, value, keep, DEPTH);
}

char *tch_secret_masked_line(const char *line, const char *const *keep)
{
    struct tch_buf b;

    tch_buf_init(&b, TEXT_MOST);
    mask_line(&b, line, keep, DEPTH);
    return tch_buf_take(&b);
}

/* JSON. */

void tch_secret_put_line(struct tch_buf *b, const char *key, const char *line,
                         const char *const *keep)
{
    char *masked = line ? tch_secret_masked_line(line, keep) : NULL;

    b->failed |= line && !masked;
    tch_json_put_text(b, key, masked);
    free(masked);
}

void tch_secret_put_words(struct tch_buf *b, const char *key, const char *const *words,
                          const char *const *keep)
{
    struct tch_buf masked;

    tch_buf_init(&masked, TEXT_MOST);
    tch_json_key(b, key);
    tch_json_begin_array(b);
    for (size_t i = 0; words && words[i]; i++) {
        tch_buf_clear(&masked);
        tch_secret_mask_word(&masked, i > 0 ? words[i - 1] : NULL, words[i], keep);
        b->failed |= masked.failed;
        tch_json_text(b, masked.data);
    }
    tch_json_end_array(b);
    tch_buf_release(&masked);
}
