/* Reads the first parents of a branch from git. */
#include "commit_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "kit/vcs/git.h"

enum { TEXT_MAX = 1 << 28 };

/* Takes the lines "SHA SUBJECT" apart. */
static int take_lines(struct tch_commit_order *o, tacho_error *err)
{
    size_t lines = 0;

    for (size_t i = 0; i < o->text.len; i++)
        lines += o->text.data[i] == '\n';
    o->subjects = calloc(lines + 1, sizeof *o->subjects);
    if (!o->subjects)
        return tch_fail_memory(err);
    for (char *line = o->text.data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        size_t sha = strcspn(line, " \n");
        uint32_t number = tch_intern_add(&o->shas, line, sha);

        if (number == TCH_INTERN_NONE)
            return tch_fail_memory(err);
        *end = '\0';
        o->subjects[number] = (size_t)(line - o->text.data) + sha + (line[sha] == ' ');
    }
    return 0;
}

int tch_commit_order_read(struct tch_commit_order *o, const char *folder, const char *branch,
                          tacho_error *err)
{
    struct tch_git git = {.folder = folder, .quiet = true};
    const char *const words[] = {"log",
                                 "--first-parent",
                                 "--format=%H %s",
                                 "--end-of-options",
                                 branch ? branch : "HEAD",
                                 "--",
                                 NULL};
    int status;

    *o = (struct tch_commit_order){0};
    tch_buf_init(&o->text, TEXT_MAX);
    status = tch_git_read(&git, words, &o->text, branch ? err : NULL);
    if (status == 0)
        return take_lines(o, err);
    if (!branch) {
        tch_buf_clear(&o->text);
        return 0;
    }
    return status < 0
               ? status
               : tch_fail(err, TACHO_EINVAL, 0, "'%s' is not a branch or commit here", branch);
}

void tch_commit_order_release(struct tch_commit_order *o)
{
    tch_intern_release(&o->shas);
    free(o->subjects);
    tch_buf_release(&o->text);
    o->subjects = NULL;
}

long tch_commit_place(const struct tch_commit_order *o, const char *sha)
{
    uint32_t number = tch_intern_find(&o->shas, sha, strlen(sha));

    return number == TCH_INTERN_NONE ? -1 : (long)(o->shas.count - 1 - number);
}

const char *tch_commit_subject(const struct tch_commit_order *o, const char *sha)
{
    uint32_t number = tch_intern_find(&o->shas, sha, strlen(sha));

    return number == TCH_INTERN_NONE ? "" : o->text.data + o->subjects[number];
}
