/* Completes a command line by the tables of the commands: see complete.h for the output. */
#include "complete.h"

#include <fcntl.h>
#include <glob.h>
#include <unistd.h>

#include "clean_out.h"
#include "kit/gate/bench_settings.h"
#include "kit/vcs/git.h"
#include "opt.h"

enum { OUTPUT_MAX = 16 << 20 }; /* the refs of a large repository */

/* The meaning of the words before the cursor. */
struct typed {
    const struct cmd *cmd;
    const struct cmd *topic; /* the command that the operands name, for 'help' */
    const struct opt *needs; /* the option whose value comes next, or NULL */
    const char *word;        /* the word to complete */
    const char *config;      /* value of --config, or NULL */
    size_t operands;         /* number of operands */
    size_t program;          /* position of a program's name, after which everything is its own */
    bool first;              /* no word followed the command's name */
    bool ended;              /* by "--" */
};

static void add_offer(struct tch_buf *b, const char *word, const char *help)
{
    /* A control character would end the line, or reach the terminal. */
    for (const char *c = word; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            return;
    tch_buf_adds(b, word);
    if (help)
        tch_buf_addf(b, "\t%s", help);
    tch_buf_addc(b, '\n');
}

static void add_list(struct tch_buf *b, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        add_offer(b, words[i], NULL);
}

static void add_subs(struct tch_buf *b, const struct cmd *cmd)
{
    for (size_t i = 0; cmd->subs && cmd->subs[i]; i++)
        add_offer(b, cmd->subs[i]->name, cmd->subs[i]->summary);
}

static void add_opts(struct tch_buf *b, const struct cmd *cmd, const char *word)
{
    struct opt_walk w = {.cmd = cmd};
    const struct opt *opt;
    char text[64];

    while ((opt = cli_walk_opts(&w))) {
        snprintf(text, sizeof text, "--%s", opt->name);
        add_offer(b, text, opt->help);
        if (opt->letter && word[1] != '-')
            add_offer(b, (char[]){'-', opt->letter, '\0'}, opt->help);
    }
}

/* Adds the branches and tags of git. */
static void add_refs(struct tch_buf *b)
{
    static const char *const words[] = {"for-each-ref", "--format=%(refname:short)",
                                        "refs/heads",   "refs/tags",
                                        "refs/remotes", NULL};
    const struct tch_git git = {.quiet = true, .timeout_ns = UINT64_C(2000000000)};
    struct tch_buf out;
    char *save = NULL;

    tch_buf_init(&out, OUTPUT_MAX / 2);
    if (tch_git_read(&git, words, &out, NULL) == 0)
        for (char *ref = strtok_r(out.data, "\n", &save); ref; ref = strtok_r(NULL, "\n", &save))
            add_offer(b, ref, NULL);
    tch_buf_release(&out);
}

static void add_benches(struct tch_buf *b, const char *config)
{
    struct tch_settings settings = {0};

    if (tch_settings_read(&settings, config ? config : TCH_SETTINGS_FILE, true, NULL) == 0)
        for (size_t i = 0; i < settings.count; i++)
            add_offer(b, settings.benches[i].name, NULL);
    tch_settings_release(&settings);
}

/* Adds the newest run of each name below the default folder of run folders. */
static void add_runs(struct tch_buf *b)
{
    static const char receipt[] = "/run.json";
    glob_t found = {0};

    if (glob("tacho-out/*/latest/run.json", 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char *path = found.gl_pathv[i];

            path[strlen(path) - strlen(receipt)] = '\0';
            add_offer(b, path, NULL);
        }
    globfree(&found);
}

/* Adds the lines of a value or an operand, with the line for the shell. skip: the bytes of the word
   that precede the value. */
static void add_values(struct tch_buf *b, const struct typed *t, const char *const *choices,
                       enum complete complete, size_t skip)
{
    static const char *const actions[] = {
        [COMPLETE_NOTHING] = "words",    [COMPLETE_FILE] = "files",
        [COMPLETE_DIR] = "dirs",         [COMPLETE_RUN] = "dirs",
        [COMPLETE_PROGRAM] = "programs", [COMPLETE_RUN_OR_PROGRAM] = "dirs",
        [COMPLETE_TOPIC] = "words",      [COMPLETE_REF] = "words",
        [COMPLETE_BENCH] = "words",
    };

    if (complete == COMPLETE_RUN_OR_PROGRAM && t->ended)
        complete = COMPLETE_PROGRAM;
    tch_buf_addf(b, ":%s %zu\n", choices ? "words" : actions[complete], skip);
    if (choices)
        add_list(b, choices);
    else if (complete == COMPLETE_TOPIC && t->topic)
        add_subs(b, t->topic);
    else if (complete == COMPLETE_REF)
        add_refs(b);
    else if (complete == COMPLETE_BENCH)
        add_benches(b, t->config);
    else if ((complete == COMPLETE_RUN || complete == COMPLETE_RUN_OR_PROGRAM) &&
             !strchr(t->word + skip, '/')) /* a path that was begun: its folders are enough */
        add_runs(b);
}

static void add_opt_values(struct tch_buf *b, const struct typed *t, const struct opt *opt,
                           size_t skip)
{
    add_values(b, t, opt->choices ? opt->choices : opt->offers, opt->complete, skip);
}

static void add_operands(struct tch_buf *b, const struct typed *t)
{
    const struct arg *arg = t->cmd->args;

    for (size_t i = 0; arg && arg->name && !arg->many && i < t->operands; i++)
        arg++;
    if (arg && arg->name)
        add_values(b, t, arg->choices, arg->complete, 0);
    else
        tch_buf_adds(b, ":words 0\n");
}

/* Finds the option of a word such as --format, --format=csv, -f, -fcsv or -qf that takes a value.
   Sets *ret_skip to the bytes before the value; it is 0 if the next word is the value. Returns NULL
   if there is no such option. */
static const struct opt *valued_opt(const struct cmd *cmd, const char *word, size_t *ret_skip)
{
    const struct opt *opt = NULL;
    size_t at = 1;

    if (word[1] == '-') {
        at = strcspn(word, "=");
        opt = cli_find_opt(cmd, word + 2, at - 2);
        at += word[at] == '=';
    } else {
        while (word[at] && (opt = cli_find_letter(cmd, word[at++])) && !opt->arg)
            ;
    }
    /* "--format=" has a value, which is empty. */
    *ret_skip = word[at] || word[at - 1] == '=' ? at : 0;
    return opt && opt->arg ? opt : NULL;
}

/* Reads one word before the cursor, which is at position `place`. */
static void read_word(struct typed *t, const char *word, size_t place)
{
    const struct cmd *sub = t->first ? cli_find_sub(t->cmd, word) : NULL;
    const struct opt *opt = t->needs;
    const char *value = word;
    size_t skip = 0;

    if (sub) {
        t->cmd = sub;
        return;
    }
    t->first = false;
    t->needs = NULL;
    if (!opt && !t->ended && strcmp(word, "--") == 0) {
        t->ended = true;
    } else if (!opt && !t->ended && word[0] == '-' && word[1]) {
        opt = valued_opt(t->cmd, word, &skip);
        value = word + skip;
        if (skip == 0)
            t->needs = opt;
    } else if (!opt) {
        const struct arg *arg = t->cmd->args;

        t->operands++;
        t->topic = t->topic ? cli_find_sub(t->topic, word) : NULL;
        if (t->cmd->runs_program || (t->ended && arg && arg->complete == COMPLETE_RUN_OR_PROGRAM))
            t->program = place;
    }
    if (opt && !t->needs && strcmp(opt->name, "config") == 0)
        t->config = value;
}

static void add_offers(struct tch_buf *b, const struct typed *t)
{
    const struct opt *opt = t->needs;
    const char *word = t->word;
    size_t skip = 0;

    if (t->program > 0) {
        tch_buf_addf(b, ":command %zu\n", t->program);
    } else if (opt) {
        add_opt_values(b, t, opt, 0);
    } else if (word[0] == '-' && !t->ended) {
        opt = valued_opt(t->cmd, word, &skip);
        if (opt && skip > 0) {
            add_opt_values(b, t, opt, skip);
        } else {
            tch_buf_adds(b, ":words 0\n");
            add_opts(b, t->cmd, word);
        }
    } else if (t->cmd->subs && t->first) {
        tch_buf_adds(b, ":words 0\n");
        add_subs(b, t->cmd);
    } else {
        add_operands(b, t);
    }
}

int cli_complete(const struct cmd *root, char **words)
{
    struct typed t = {.cmd = root, .topic = root, .first = true};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct tch_buf b;
    size_t place = 1;

    /* A message in the middle of the line that the user types would only disturb. */
    if (null < 0 || dup2(null, STDERR_FILENO) < 0)
        return EXIT_WORK;
    cli_stdout_is_data();
    for (; words[0] && words[1] && t.program == 0; words++, place++)
        read_word(&t, *words, place);
    while (words[0] && words[1])
        words++;
    t.word = words[0] ? words[0] : "";
    tch_buf_init(&b, OUTPUT_MAX);
    add_offers(&b, &t);
    return cli_print(&b);
}
