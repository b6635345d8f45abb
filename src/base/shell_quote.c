#include "shell_quote.h"

#include <stdbool.h>
#include <string.h>

void tch_shell_quote(struct tch_buf *b, const char *word)
{
    bool plain = *word && !word[strcspn(word, " \t\n'\"\\|&;<>()$`*?[#~")];

    tch_buf_adds(b, plain ? "" : "'");
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            tch_buf_adds(b, "'\\''");
        else
            tch_buf_addc(b, *c);
    tch_buf_adds(b, plain ? "" : "'");
}
