/* Finds the commit that a gate compares with, and says which commands bring a missing one. */
#include "gate_commit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/error.h>

#include "kit/vcs/git.h"

enum { GIT_TEXT = 1 << 16, REF_MOST = 100, COMMAND_MOST = 400 };

#define GIT_NS 120000000000u

/* The arguments of tch_gate_commit_find(). */
struct search {
    struct tch_gate_commit *c;
    const char *root;
    const char *ref;
    char *problem;
};

static int fail(const struct search *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int fail(const struct search *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(s->problem, TCH_GATE_PROBLEM, fmt, args);
    va_end(args);
    return TACHO_EIO;
}

/* Runs git and sets out to the first line of its output. Returns its exit status, or a negative
   code if it could not be run. */
static int git(const struct search *s, bool quiet, const char *const *words, char *out, size_t size,
               tacho_error *err)
{
    struct tch_git how = {.folder = s->root, .timeout_ns = GIT_NS, .quiet = quiet};
    struct tch_buf b;
    int status;

    tch_buf_init(&b, GIT_TEXT);
    status = tch_git_read(&how, words, &b, err);
    if (status == 0)
        snprintf(out, size, "%.*s", (int)strcspn(b.data, "\n"), b.data);
    tch_buf_release(&b);
    return status;
}

/* Asks git a question whose failure is an answer, too. */
static bool ask(const struct search *s, const char *const *words, char *out, size_t size)
{
    return git(s, true, words, out, size, NULL) == 0;
}

static bool is_shallow(const struct search *s)
{
    char text[16];

    return ask(s, (const char *[]){"rev-parse", "--is-shallow-repository", NULL}, text,
               sizeof text) &&
           strcmp(text, "true") == 0;
}

/* Splits REMOTE/BRANCH. The remote need not have been fetched from. */
static bool is_remote_branch(const struct search *s, char remote[REF_MOST], const char **branch)
{
    const char *slash = strchr(s->ref, '/');
    char url[1024];
    char key[REF_MOST + 20];

    if (!slash || slash == s->ref || !slash[1] || slash - s->ref >= REF_MOST)
        return false;
    snprintf(remote, REF_MOST, "%.*s", (int)(slash - s->ref), s->ref);
    snprintf(key, sizeof key, "remote.%s.url", remote);
    *branch = slash + 1;
    return ask(s, (const char *[]){"config", "--get", key, NULL}, url, sizeof url);
}

/* Writes a command that fetches REF with the history that the merge base needs. Git refuses
   --unshallow in a complete clone, and a clone with --depth fetches one branch only unless the
   branch is named. */
static void fetch_command(const struct search *s, char out[COMMAND_MOST])
{
    const char *depth = is_shallow(s) ? " --unshallow" : "";
    char remote[REF_MOST];
    const char *branch;

    if (is_remote_branch(s, remote, &branch))
        snprintf(out, COMMAND_MOST, "git fetch%s %s '+refs/heads/%.100s:refs/remotes/%.100s'",
                 depth, remote, branch, s->ref);
    else
        snprintf(out, COMMAND_MOST, "git fetch%s --tags", depth);
}

static int find_repository(const struct search *s)
{
    tacho_error err;
    int status = git(s, false, (const char *[]){"rev-parse", "--show-prefix", NULL}, s->c->prefix,
                     sizeof s->c->prefix, &err);

    if (status < 0)
        return fail(s, "--against needs git, which cannot be run: %s", err.message);
    if (status > 0)
        return fail(s,
                    "'%.200s' is not in a git repository that git can read, so --against has no "
                    "commit to compare with; compare with a stored baseline instead: tacho "
                    "baseline save",
                    s->root);
    return 0;
}

static int find_tip(const struct search *s, char tip[64])
{
    char spec[512];
    char command[COMMAND_MOST];
    tacho_error err;
    int status;

    snprintf(spec, sizeof spec, "%.490s^{commit}", s->ref);
    status = git(s, false, (const char *[]){"rev-parse", "--verify", "--quiet", spec, NULL}, tip,
                 64, &err);
    if (status < 0)
        return fail(s, "cannot run git: %s", err.message);
    if (status == 0)
        return 0;
    if (status > 1) /* it is 1 if there is no such commit */
        return fail(s, "git cannot read the repository in '%.200s'; see its message above",
                    s->root);
    snprintf(spec, sizeof spec, "refs/remotes/origin/%.400s^{commit}", s->ref);
    if (ask(s, (const char *[]){"rev-parse", "--verify", "--quiet", spec, NULL}, tip, 64))
        return fail(s, "'%.90s' is a branch of origin only; use 'origin/%.90s'", s->ref, s->ref);
    fetch_command(s, command);
    return fail(s, "'%.90s' is not a commit of the git repository in '%.120s'; to fetch it: %s",
                s->ref, s->root, command);
}

/* Returns whether HEAD is GitHub's merge of a pull request into REF. Its first parent was the tip
   of REF when it was made. The clone may be too shallow to contain the merge base otherwise. */
static bool is_github_merge(const struct search *s, char parent[64])
{
    const char *target = getenv("GITHUB_BASE_REF");
    const char *slash = strchr(s->ref, '/');
    char second[64];

    return target && target[0] &&
           (strcmp(s->ref, target) == 0 || (slash && strcmp(slash + 1, target) == 0)) &&
           ask(s, (const char *[]){"rev-parse", "--verify", "--quiet", "HEAD^2", NULL}, second,
               sizeof second) &&
           ask(s, (const char *[]){"rev-parse", "--verify", "--quiet", "HEAD^1", NULL}, parent, 64);
}

static int find_base(const struct search *s, const char *tip, char base[64])
{
    char command[COMMAND_MOST];

    if (ask(s, (const char *[]){"merge-base", tip, "HEAD", NULL}, base, 64) ||
        is_github_merge(s, base))
        return 0;
    fetch_command(s, command);
    if (is_shallow(s))
        return fail(s,
                    "this clone is shallow and does not contain the merge base of '%.80s' and "
                    "HEAD; to fetch it: %s; or compare with '%.80s' itself: --exact",
                    s->ref, command, s->ref);
    return fail(s,
                "'%.100s' and HEAD have no common commit, so there is no merge base; to compare "
                "with '%.100s' itself: --exact",
                s->ref, s->ref);
}

/* Describes a merge base that is not the tip. */
static void describe_base(const struct search *s, const char *tip)
{
    struct tch_gate_commit *c = s->c;
    char range[140];
    char count[24] = "";
    char head[64] = "";

    snprintf(c->name, sizeof c->name, "the merge base with %.100s (%.12s)", s->ref, c->hash);
    snprintf(range, sizeof range, "%.64s..%.64s", c->hash, tip);
    ask(s, (const char *[]){"rev-list", "--count", range, NULL}, count, sizeof count);
    ask(s, (const char *[]){"rev-parse", "--verify", "--quiet", "HEAD", NULL}, head, sizeof head);
    if (strcmp(head, c->hash) == 0)
        snprintf(c->note, sizeof c->note,
                 "HEAD is an ancestor of %.100s, so the merge base is HEAD itself, and only "
                 "changes that are not committed are judged; --exact compares with %.100s itself",
                 s->ref, s->ref);
    else
        snprintf(c->note, sizeof c->note,
                 "compared with %.12s, the merge base of HEAD and %.100s; what %.100s did since "
                 "(%s commit%s) is not judged; --exact compares with its tip",
                 c->hash, s->ref, s->ref, count, strcmp(count, "1") == 0 ? "" : "s");
}

int tch_gate_commit_find(struct tch_gate_commit *c, const char *root, const char *ref, bool exact,
                         char problem[TCH_GATE_PROBLEM])
{
    const struct search s = {c, root, ref, problem};
    char tip[64];
    int status;

    *c = (struct tch_gate_commit){0};
    problem[0] = '\0';
    status = find_repository(&s);
    if (status == 0)
        status = find_tip(&s, tip);
    snprintf(c->name, sizeof c->name, "%.100s", ref);
    if (status < 0)
        return status;
    if (exact)
        memcpy(c->hash, tip, sizeof tip);
    else
        status = find_base(&s, tip, c->hash);
    if (status < 0)
        return status;
    if (strcmp(c->hash, tip) == 0)
        snprintf(c->name, sizeof c->name, "%.100s (%.12s)", ref, c->hash);
    else
        describe_base(&s, tip);
    return 0;
}
