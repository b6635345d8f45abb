/* Functions that the completion scripts of all shells share. */
#include "complete.h"

#include "opt.h"

void cli_each_cmd(struct tch_buf *b, const struct cmd *cmd, const char *path, visit_cmd *visit)
{
    visit(b, cmd, path);
    for (size_t i = 0; cmd->subs && cmd->subs[i]; i++) {
        char below[PATH_MAX_TEXT];
        int len = snprintf(below, sizeof below, "%s %s", path, cmd->subs[i]->name);

        if (len > 0 && (size_t)len < sizeof below)
            cli_each_cmd(b, cmd->subs[i], below, visit);
    }
}

void cli_add_words(struct tch_buf *b, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        tch_buf_addf(b, "%s%s", i > 0 ? " " : "", words[i]);
}
