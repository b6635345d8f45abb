/* Reads `git status`, with filters switched off, and asks the same of submodules. */
#include "vcs_state.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "git.h"

enum {
    DEPTH_MOST = 8,    /* submodules of submodules */
    FILTERS_MOST = 64, /* settings of filters */
    DOUBTS_MOST = 64,  /* files whose attributes are read */
    CONFIG_TEXT = 1 << 16,
    STATUS_TEXT = 1 << 20,
    TREE_TEXT = 16 << 20,
};

#define STATE_NS 10000000000u /* for all commands together */

enum state { CLEAN = 0, CHANGED = 1, UNKNOWN = -1 };

/* One repository: its folder, and what is read from it. */
struct look {
    const char *folder;
    uint64_t deadline;
    unsigned depth;
    char *branch;           /* NULL: not wanted */
    struct tch_buf filters; /* "NAME=VALUE" each, with a NUL after it */
    size_t filter_count;
    struct tch_buf status;
    const char *doubts[DOUBTS_MOST]; /* files that differ as far as git can tell without filters */
    size_t doubt_count;
    char top[PATH_MAX]; /* top folder of the working tree; "": not asked for yet */
};

/* Runs git in a folder of the repository. Returns its exit status, or -1. */
static int git(const struct look *l, const char *folder, const char *const *words,
               struct tch_buf *out)
{
    uint64_t now = tch_now_ns();
    struct tch_git how = {.folder = folder, .quiet = true};
    int status;

    if (now >= l->deadline)
        return -1;
    how.timeout_ns = l->deadline - now;
    status = tch_git_read(&how, words, out, NULL);
    return status < 0 ? -1 : status;
}

/* Returns the string after this one in a list with a NUL after each, or `end`. A string without its
   NUL was truncated. */
static const char *next_string(const char *text, const char *end)
{
    const char *nul = memchr(text, '\0', (size_t)(end - text));

    return nul ? nul + 1 : end;
}

static bool ends_with(const char *text, const char *tail)
{
    size_t len = strlen(text);
    size_t tail_len = strlen(tail);

    return len >= tail_len && strcmp(text + len - tail_len, tail) == 0;
}

/* Lists the settings that switch off all filters of the working tree's files. Returns 0, or -1 if
   that is not possible. */
static int find_filters(struct look *l)
{
    struct tch_buf names;
    int status;

    tch_buf_init(&names, CONFIG_TEXT);
    status =
        git(l, l->folder,
            (const char *[]){"config", "-z", "--name-only", "--get-regexp", "^filter[.]", NULL},
            &names);
    if (status == 1) /* there is none */
        names.len = 0;
    for (const char *at = names.data, *end = at + names.len; status == 0 && at < end;
         at = next_string(at, end)) {
        bool required = ends_with(at, ".required");

        if (!required && !ends_with(at, ".clean") && !ends_with(at, ".process"))
            continue;
        /* git -c takes what is before the first '=' for the name. */
        if (strchr(at, '=') || l->filter_count == FILTERS_MOST)
            status = -1;
        tch_buf_addf(&l->filters, "%s=%s", at, required ? "false" : "");
        tch_buf_add(&l->filters, "", 1);
        l->filter_count++;
    }
    tch_buf_release(&names);
    return (status == 0 || status == 1) && !l->filters.failed ? 0 : -1;
}

/* Runs git status without filters. It does not look into submodules, because it would start another
   git there, for which other filters are configured. */
static int read_status(struct look *l)
{
    static const char *const command[] = {"status",
                                          "--porcelain=v2",
                                          "-z",
                                          "--branch",
                                          "--no-ahead-behind",
                                          "--no-renames",
                                          "--untracked-files=no",
                                          "--ignore-submodules=dirty",
                                          NULL};
    const char *words[2 * FILTERS_MOST + sizeof command / sizeof command[0]];
    const char *at = l->filters.data;
    size_t n = 0;

    for (size_t i = 0; i < l->filter_count; i++) {
        words[n++] = "-c";
        words[n++] = at;
        at = next_string(at, l->filters.data + l->filters.len);
    }
    memcpy(words + n, command, sizeof command);
    return git(l, l->folder, words, &l->status);
}

/* Returns the state that one entry of git status shows, such as
   "1 .M N... 100644 100644 100644 HASH HASH PATH". A file whose content alone seems to differ may
   be unchanged if it has a filter. */
static enum state judge_entry(struct look *l, const char *entry)
{
    static const char head[] = "# branch.head ";
    const char *path = entry;

    if (strncmp(entry, head, strlen(head)) == 0 && l->branch) {
        snprintf(l->branch, TCH_VCS_BRANCH, "%s", entry + strlen(head));
        if (strcmp(l->branch, "(detached)") == 0)
            l->branch[0] = '\0';
    }
    if (*entry == '#')
        return CLEAN;
    if (l->filter_count == 0 || strncmp(entry, "1 .M N... ", 10) != 0 || strlen(entry) < 32 ||
        memcmp(entry + 17, entry + 24, 6) != 0) /* the index's mode and the file's */
        return CHANGED;
    for (int fields = 8; fields > 0 && path; fields--) {
        path = strchr(path, ' ');
        path = path ? path + 1 : NULL;
    }
    if (path && l->doubt_count < DOUBTS_MOST)
        l->doubts[l->doubt_count++] = path;
    return UNKNOWN;
}

static enum state judge_status(struct look *l)
{
    enum state state = CLEAN;

    for (const char *at = l->status.data, *end = at + l->status.len; at < end;) {
        const char *next = next_string(at, end);
        enum state one = next[-1] == '\0' ? judge_entry(l, at) : UNKNOWN;

        if (one == CHANGED)
            return CHANGED;
        if (one == UNKNOWN)
            state = UNKNOWN;
        at = next;
    }
    return state;
}

/* Returns the top folder of the working tree, which paths are relative to, or NULL. */
static const char *find_top(struct look *l)
{
    struct tch_buf b;

    tch_buf_init(&b, sizeof l->top - 1);
    if (!l->top[0] &&
        git(l, l->folder, (const char *[]){"rev-parse", "--show-toplevel", NULL}, &b) == 0 &&
        b.len > 0)
        snprintf(l->top, sizeof l->top, "%.*s", (int)b.len - 1, b.data);
    tch_buf_release(&b);
    return l->top[0] ? l->top : NULL;
}

/* Returns CHANGED if one of the doubtful files has no filter. */
static enum state judge_doubts(struct look *l)
{
    const char *words[5 + DOUBTS_MOST] = {"check-attr", "-z", "filter", "--"};
    const char *top = find_top(l);
    enum state state = UNKNOWN;
    struct tch_buf b;

    memcpy(words + 4, l->doubts, l->doubt_count * sizeof *l->doubts);
    tch_buf_init(&b, STATUS_TEXT);
    if (top && git(l, top, words, &b) == 0) {
        const char *at = b.data;
        const char *end = at + b.len;

        for (; at < end && state == UNKNOWN; at = next_string(at, end)) {
            at = next_string(next_string(at, end), end); /* after the path and "filter" */
            if (at < end && (strcmp(at, "unspecified") == 0 || strcmp(at, "unset") == 0))
                state = CHANGED;
        }
    }
    tch_buf_release(&b);
    return state;
}

static enum state judge_repository(const char *folder, char *branch, uint64_t deadline,
                                   unsigned depth);

/* Returns the state of a submodule. One that is not checked out cannot differ. */
static enum state judge_submodule(struct look *l, const char *path)
{
    const char *top = find_top(l);
    char inner[PATH_MAX];

    if (!top || (size_t)snprintf(inner, sizeof inner, "%s/%s/.git", top, path) >= sizeof inner)
        return UNKNOWN;
    if (access(inner, F_OK) < 0)
        return CLEAN;
    inner[strlen(inner) - strlen("/.git")] = '\0';
    return judge_repository(inner, NULL, l->deadline, l->depth + 1);
}

static enum state judge_submodules(struct look *l)
{
    enum state state = CLEAN;
    struct tch_buf b;

    tch_buf_init(&b, TREE_TEXT);
    /* -d leaves out files, but not submodules. */
    if (git(l, l->folder, (const char *[]){"ls-tree", "-rdz", "--full-tree", "HEAD", NULL}, &b) !=
        0)
        state = UNKNOWN;
    for (const char *at = b.data, *end = at + b.len; at < end && state != CHANGED;
         at = next_string(at, end)) {
        const char *path = strchr(at, '\t');
        enum state one =
            strncmp(at, "160000 ", 7) == 0 && path ? judge_submodule(l, path + 1) : CLEAN;

        if (one != CLEAN)
            state = one;
    }
    tch_buf_release(&b);
    return state;
}

/* Returns the state of the working tree without its submodules. */
static enum state judge_files(struct look *l)
{
    int status = read_status(l);
    enum state state = judge_status(l); /* also of the beginning of a status that is too long */

    if (status != 0)
        return state == CHANGED ? CHANGED : UNKNOWN;
    return state == UNKNOWN ? judge_doubts(l) : state;
}

static enum state judge_repository(const char *folder, char *branch, uint64_t deadline,
                                   unsigned depth)
{
    struct look l = {.folder = folder, .deadline = deadline, .depth = depth, .branch = branch};
    enum state state = UNKNOWN;

    tch_buf_init(&l.filters, 4 * CONFIG_TEXT);
    tch_buf_init(&l.status, STATUS_TEXT);
    if (depth <= DEPTH_MOST && find_filters(&l) == 0)
        state = judge_files(&l);
    if (depth <= DEPTH_MOST && state != CHANGED) {
        enum state inner = judge_submodules(&l);

        state = inner != CLEAN ? inner : state;
    }
    tch_buf_release(&l.filters);
    tch_buf_release(&l.status);
    return state;
}

int tch_vcs_state(const char *folder, char branch[TCH_VCS_BRANCH])
{
    return (int)judge_repository(folder, branch, tch_now_ns() + STATE_NS, 0);
}
