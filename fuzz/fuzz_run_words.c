/* Splits any text into shell words. No byte past the end is read, and words are not longer than the
   line. */
#include <stdint.h>

#include "kit/config/shell_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = malloc(size + 1);
    char **words = NULL;
    size_t total = 0;

    if (!line)
        return 0;
    if (size > 0)
        memcpy(line, data, size);
    line[size] = '\0';
    if (tch_words_split(line, &words, NULL) == 0)
        for (char **word = words; *word; word++)
            total += strlen(*word);
    if (total > size)
        abort();
    free(words);
    free(line);
    return 0;
}
