/* Asks git for the commit of a folder. */
#include "vcs.h"

#include <string.h>

#include "base/json_write.h"
#include "base/number.h"
#include "git.h"
#include "vcs_state.h"

enum { GIT_TEXT = 1 << 16, GIT_NS = 2000000000 };

/* Runs git and stores its output in b. */
static int git(struct tch_buf *b, const char *folder, const char *const *words)
{
    struct tch_git how = {.folder = folder, .timeout_ns = GIT_NS, .quiet = true};

    return tch_git_read(&how, words, b, NULL) == 0 ? 0 : -1;
}

/* Copies the text up to the next `end` or line feed, and returns the text after that. */
static const char *copy_line(char *out, size_t size, const char *text, char end)
{
    char stop[] = {'\n', end, '\0'};
    size_t len = strcspn(text, stop);

    snprintf(out, size, "%.*s", (int)len, text);
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

static bool find_commit(struct tch_vcs *vcs, const char *folder, struct tch_buf *b)
{
    const char *text;
    char seconds[32];
    uint64_t at;

    if (git(b, folder,
            (const char *[]){"log", "-1", "--no-show-signature", "--format=%H%n%T%n%P%n%ct", "HEAD",
                             NULL}) < 0)
        return false;
    text = copy_line(vcs->sha, sizeof vcs->sha, b->data, '\n');
    text = copy_line(vcs->tree, sizeof vcs->tree, text, '\n');
    text = copy_line(vcs->parent, sizeof vcs->parent, text, ' ');
    copy_line(seconds, sizeof seconds, text, '\n');
    if (tch_parse_u64(seconds, UINT64_MAX / 1000000000, &at) == 0)
        tch_utc_text(vcs->committed_at, at * 1000000000);
    return true;
}

void tch_vcs_plain_url(char *out, size_t size, const char *url)
{
    const char *scheme = strstr(url, "://");
    const char *host = scheme ? scheme + 3 : url;
    size_t len = strcspn(host, "/?#");
    const char *at = scheme ? memrchr(host, '@', len) : NULL;
    const char *from = at ? at + 1 : host;

    snprintf(out, size, "%.*s%.*s", (int)(host - url), url,
             (int)(scheme ? strcspn(from, "?#") : strlen(from)), from);
}

void tch_vcs_find(struct tch_vcs *vcs, const char *folder)
{
    struct tch_buf b;

    *vcs = (struct tch_vcs){.dirty = -1};
    tch_buf_init(&b, GIT_TEXT);
    if (find_commit(vcs, folder, &b)) {
        vcs->dirty = tch_vcs_state(folder, vcs->branch);
        if (git(&b, folder, (const char *[]){"config", "--get", "remote.origin.url", NULL}) == 0) {
            b.data[strcspn(b.data, "\n")] = '\0';
            tch_vcs_plain_url(vcs->remote, sizeof vcs->remote, b.data);
        }
    }
    tch_buf_release(&b);
}

int tch_vcs_is_ancestor(const char *folder, const char *commit)
{
    size_t digits = strspn(commit, "0123456789abcdef");
    struct tch_buf b;
    int is = -1;

    /* The commit comes from a file, and git must not take it for an option. */
    if (digits == 0 || commit[digits])
        return -1;
    tch_buf_init(&b, GIT_TEXT);
    if (git(&b, folder, (const char *[]){"cat-file", "-e", commit, NULL}) == 0 &&
        git(&b, folder, (const char *[]){"rev-parse", "--is-shallow-repository", NULL}) == 0) {
        bool shallow = strncmp(b.data, "true", 4) == 0;

        is = git(&b, folder, (const char *[]){"merge-base", "--is-ancestor", commit, "HEAD", NULL});
        is = is == 0 ? 1 : shallow ? -1 : 0;
    }
    tch_buf_release(&b);
    return is;
}

const struct tch_json_field tch_vcs_fields[] = {
    {TCH_JSON_CHARS(struct tch_vcs, sha, TCH_JSON_OR_NULL)},
    {TCH_JSON_CHARS(struct tch_vcs, tree, TCH_JSON_OR_NULL)},
    {TCH_JSON_CHARS(struct tch_vcs, parent, TCH_JSON_OR_NULL)},
    {TCH_JSON_CHARS(struct tch_vcs, committed_at, TCH_JSON_OR_NULL)},
    {TCH_JSON_CHARS(struct tch_vcs, branch, TCH_JSON_OR_NULL)},
    {TCH_JSON_TRIPLE(struct tch_vcs, dirty, TCH_JSON_OR_NULL)},
    {TCH_JSON_CHARS(struct tch_vcs, remote, TCH_JSON_OR_NULL)},
    {0},
};
