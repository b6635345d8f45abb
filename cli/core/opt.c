/* Parses the words after a command's name by the command's tables. */
#include "opt.h"

#include <stdarg.h>
#include <unistd.h>

#include "base/number.h"
#include "clean_out.h"
#include "suggest.h"

enum { NAME_MAX_TEXT = 64 };

/* The ids of common options are negative; those of a command's own options are not. */
enum common { HELP = -1, JSON = -2, QUIET = -3, COLOR = -4, WIDTH = -5 };

static const char *const when_names[] = {
    [WHEN_AUTO] = "auto",
    [WHEN_ALWAYS] = "always",
    [WHEN_NEVER] = "never",
    NULL,
};

static const struct opt common_opts[] = {
    {.id = JSON, .name = "json", .help = "print the result as JSON"},
    {.id = QUIET,
     .name = "quiet",
     .letter = 'q',
     .help = "show no progress and only essential output"},
    {.id = COLOR,
     .name = "color",
     .arg = "WHEN",
     .help = "use colours: auto (on a terminal), always or never",
     .choices = when_names},
    {.id = WIDTH, .name = "width", .arg = "N", .help = "fit tables into N columns"},
    {.id = HELP, .name = "help", .letter = 'h', .help = "show this help"},
    {.name = NULL},
};

/* Returns whether the command takes this common option. An option of the command with the same name
   replaces it, such as --width of a picture in pixels. */
static bool takes_common(const struct cmd *cmd, const struct opt *opt)
{
    for (const struct opt *own = cmd->opts; own && own->name; own++)
        if (strcmp(own->name, opt->name) == 0)
            return false;
    return cmd->run ? opt->id != JSON || cmd->json : opt->id == HELP;
}

/* Returns whether the command's own table has an option of this name, which replaces the shared
 * one. */
static bool is_replaced(const struct cmd *cmd, const struct opt *shared)
{
    for (const struct opt *own = cmd->opts; own && own->name; own++)
        if (strcmp(own->name, shared->name) == 0)
            return true;
    return false;
}

const struct opt *cli_walk_opts(struct opt_walk *w)
{
    static const struct opt none = {.name = NULL};
    enum { SHARED = 1, COMMON = 2 };
    const struct opt *const tables[] = {w->cmd->opts ? w->cmd->opts : &none,
                                        w->cmd->more_opts ? w->cmd->more_opts : &none, common_opts};
    const struct opt *opt = w->at ? w->at + 1 : tables[w->table];

    for (;;) {
        while (!opt->name && w->table < COMMON)
            opt = tables[++w->table];
        if (!opt->name || !(w->table == SHARED ? is_replaced(w->cmd, opt)
                                               : w->table == COMMON && !takes_common(w->cmd, opt)))
            break;
        opt++;
    }
    w->at = opt;
    return opt->name ? opt : NULL;
}

bool cli_owns_opt(const struct cmd *cmd, const struct opt *opt)
{
    for (const struct opt *own = cmd->opts; own && own->name; own++)
        if (own == opt)
            return true;
    return false;
}

int cli_choice_index(const char *const *choices, const char *value)
{
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], value) == 0)
            return i;
    return -1;
}

int cli_wrong_usage(const struct args *args, const char *fmt, ...)
{
    char text[1024];
    va_list list;

    va_start(list, fmt);
    vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    cli_complain(NULL, "%s", text);
    fprintf(stderr, "see '%s --help'\n", args->path);
    return EXIT_USAGE;
}

void cli_add_choices(struct tch_buf *b, const char *const *choices)
{
    for (size_t i = 0; choices[i]; i++) {
        const char *join = i == 0 ? "" : choices[i + 1] ? ", " : " or ";

        tch_buf_addf(b, "%s%s", join, choices[i]);
    }
}

/* Prints the error that args->value is not one of the choices of the option or argument prefix +
 * name. */
static int wrong_choice(const struct args *args, const char *const *choices, const char *prefix,
                        const char *name)
{
    char mem[256];
    struct tch_buf list;

    tch_buf_init_on(&list, mem, sizeof mem, sizeof mem - 1);
    cli_add_choices(&list, choices);
    return cli_wrong_usage(args, "%s%s cannot be '%s'; choose %s", prefix, name, args->value,
                           list.data);
}

const struct cmd *cli_find_sub(const struct cmd *cmd, const char *name)
{
    for (size_t i = 0; cmd->subs && cmd->subs[i]; i++)
        if (strcmp(cmd->subs[i]->name, name) == 0)
            return cmd->subs[i];
    return NULL;
}

/* For a command that only has sub-commands, suggests its options too: "tacho version" means "tacho
   --version". */
int cli_unknown_command(const struct args *args, const char *name)
{
    const char *kind = name[0] == '-' ? "option" : "command";
    struct suggestion s = {.word = name};
    struct opt_walk w = {.cmd = args->cmd};
    const struct opt *opt;

    for (const struct refusal *r = args->cmd->refused; r && r->name; r++)
        if (r->letter == 0 && strcmp(r->name, name) == 0)
            return cli_wrong_usage(args, "there is no command '%s': %s", name, r->why);
    for (size_t i = 0; args->cmd->subs[i]; i++)
        cli_suggest(&s, args->cmd->subs[i]->name);
    while ((opt = cli_walk_opts(&w))) {
        char dashed[NAME_MAX_TEXT];

        snprintf(dashed, sizeof dashed, "--%s", opt->name);
        if (cli_edit_distance(name, dashed) <= 2)
            return cli_wrong_usage(args, "unknown %s '%s'; did you mean '%s'?", kind, name, dashed);
    }
    if (s.best)
        return cli_wrong_usage(args, "unknown %s '%s'; did you mean '%s'?", kind, name, s.best);
    return cli_wrong_usage(args, "unknown %s '%s'", kind, name);
}

void cli_enter_sub(struct args *args, const struct cmd *sub)
{
    size_t len = strlen(args->path);

    snprintf(args->path + len, sizeof args->path - len, " %s", sub->name);
    args->cmd = sub;
}

const struct opt *cli_find_opt(const struct cmd *cmd, const char *name, size_t len)
{
    struct opt_walk w = {.cmd = cmd};
    const struct opt *opt;

    while ((opt = cli_walk_opts(&w)))
        if (strlen(opt->name) == len && memcmp(opt->name, name, len) == 0)
            break;
    return opt;
}

const struct opt *cli_find_letter(const struct cmd *cmd, char letter)
{
    struct opt_walk w = {.cmd = cmd};
    const struct opt *opt;

    while ((opt = cli_walk_opts(&w)))
        if (opt->letter == letter)
            break;
    return opt;
}

bool cli_refuse_opt(const struct args *args, const char *name, char letter)
{
    for (const struct refusal *r = args->cmd->refused; r && r->name; r++)
        if (name ? strcmp(r->name, name) == 0 : r->letter == letter) {
            if (name)
                cli_wrong_usage(args, "'%s' does not take --%s: %s", args->path, name, r->why);
            else
                cli_wrong_usage(args, "'%s' does not take -%c: %s", args->path, letter, r->why);
            return true;
        }
    return false;
}

/* Options that had another name in builds before 0.1.0. A row counts for the commands that have the
   new name, so that the old name may mean something else in another command. */
static const struct {
    const char *old;
    const char *now;
} renamed[] = {
    {"idle", "measure-idle"},
    {"link", "page-url"},
    {"of", "for-metric"},
    {"out", "out-dir"},
    {"output", "command-output"},
    {"power", "probability"}, /* of plan, which also takes power-source */
    {"power", "power-source"},
    {"save", "save-baseline"},
    {"work", "work-per-run"},
};

/* Returns the present name of an option of args->cmd that was renamed, or NULL. */
static const char *new_name(const struct args *args, const char *old)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(renamed[i].old, old) == 0 &&
            cli_find_opt(args->cmd, renamed[i].now, strlen(renamed[i].now)))
            return renamed[i].now;
    return NULL;
}

static int unknown_opt(const struct args *args, const char *name, size_t len)
{
    char word[NAME_MAX_TEXT];
    struct suggestion s = {.word = word};
    struct opt_walk w = {.cmd = args->cmd};
    const struct opt *opt;
    const char *now;

    snprintf(word, sizeof word, "%.*s", (int)(len < sizeof word ? len : sizeof word), name);
    if (cli_refuse_opt(args, word, 0))
        return EXIT_USAGE;
    if ((now = new_name(args, word)))
        return cli_wrong_usage(args, "option '--%s' is now called '--%s'", word, now);
    while ((opt = cli_walk_opts(&w)))
        cli_suggest(&s, opt->name);
    if (s.best)
        return cli_wrong_usage(args, "unknown option '--%s'; did you mean '--%s'?", word, s.best);
    return cli_wrong_usage(args, "unknown option '--%s'", word);
}

enum step { STEP_END, STEP_OPT, STEP_OPERAND, STEP_WRONG };

/* Takes the option's value: the text attached to it, or else the next word. */
static enum step take_value(struct args *args, const struct opt *opt, const char *attached)
{
    args->value = attached ? attached : *args->next;
    if (!args->value) {
        cli_wrong_usage(args, "option '--%s' needs a value: --%s %s", opt->name, opt->name,
                        opt->arg);
        return STEP_WRONG;
    }
    if (!attached)
        args->next++;
    if (opt->choices && cli_choice_index(opt->choices, args->value) < 0) {
        wrong_choice(args, opt->choices, "--", opt->name);
        return STEP_WRONG;
    }
    return STEP_OPT;
}

static enum step long_opt(struct args *args, const char *word, const struct opt **ret)
{
    size_t len = strcspn(word, "=");
    const char *attached = word[len] == '=' ? word + len + 1 : NULL;

    *ret = cli_find_opt(args->cmd, word, len);
    if (!*ret) {
        unknown_opt(args, word, len);
        return STEP_WRONG;
    }
    if ((*ret)->arg)
        return take_value(args, *ret, attached);
    if (attached) {
        cli_wrong_usage(args, "option '--%s' takes no value", (*ret)->name);
        return STEP_WRONG;
    }
    return STEP_OPT;
}

/* Reads the next letter of -abc. The first letter that takes a value takes the rest of the word. */
static enum step short_opt(struct args *args, const struct opt **ret)
{
    char letter = *args->bundle++;
    const char *rest = *args->bundle ? args->bundle : NULL;

    if (!rest)
        args->bundle = NULL;
    *ret = cli_find_letter(args->cmd, letter);
    if (!*ret) {
        if (!cli_refuse_opt(args, NULL, letter))
            cli_wrong_usage(args, "unknown option '-%c'", letter);
        return STEP_WRONG;
    }
    if (!(*ret)->arg)
        return STEP_OPT;
    args->bundle = NULL;
    return take_value(args, *ret, rest);
}

/* Reads the next option or operand; args->value becomes the option's value, or the operand. The
   words are read twice: cli_parse_args() reports every mistake, so cli_next_opt() finds none. */
static enum step step(struct args *args, const struct opt **ret)
{
    char *word;

    args->value = NULL;
    if (args->bundle)
        return short_opt(args, ret);
    if (!args->no_more_opts && *args->next && strcmp(*args->next, "--") == 0) {
        args->no_more_opts = true;
        args->next++;
    }
    word = *args->next;
    if (!word)
        return STEP_END;
    args->next++;
    if (args->no_more_opts || word[0] != '-' || word[1] == '\0') {
        args->no_more_opts |= args->cmd->runs_program;
        args->value = word;
        return STEP_OPERAND;
    }
    if (word[1] == '-')
        return long_opt(args, word + 2, ret);
    args->bundle = word + 1;
    return short_opt(args, ret);
}

static void rewind_words(struct args *args)
{
    args->next = args->words;
    args->bundle = NULL;
    args->no_more_opts = false;
    args->value = NULL;
}

const struct opt *cli_next_opt(struct args *args)
{
    const struct opt *opt = NULL;
    enum step found;

    do
        found = step(args, &opt);
    while (found == STEP_OPERAND || (found == STEP_OPT && opt->id < 0));
    return found == STEP_OPT ? opt : NULL;
}

int cli_wrong_value(const struct args *args, const char *name, const char *wants)
{
    return cli_wrong_usage(args, "option '--%s' needs %s, not '%s'", name, wants, args->value);
}

int cli_no_memory(void)
{
    cli_complain(NULL, "out of memory");
    return EXIT_WORK;
}

int cli_set_field(const struct args *args, const struct opt *opt, void *into)
{
    if (tch_setting_parse(opt->set, args->value, into) == 0)
        return EXIT_OK;
    if (opt->not_a)
        return cli_wrong_usage(args, "'%s' is not %s", args->value, opt->not_a);
    if (opt->rule)
        return cli_wrong_usage(args, "%s, not '%s'", opt->rule, args->value);
    return cli_wrong_value(args, opt->name, opt->set->wants);
}

static bool is_in(const struct opt *table, const struct opt *opt)
{
    while (table && table->name && table != opt)
        table++;
    return table == opt;
}

int cli_set_opt(const struct args *args, const struct opt *opt, void *own, void *shared)
{
    void *into = is_in(args->cmd->more_opts, opt) ? shared : own;

    if (opt->take)
        return opt->take(into, args, opt);
    return opt->set ? cli_set_field(args, opt, into) : EXIT_OK;
}

bool cli_operands_are_command(const struct args *args)
{
    for (char **word = args->words; *word; word++)
        if (strcmp(*word, "--") == 0)
            return args->no_more_opts && word[1] == args->operands[0];
    return false;
}

int cli_set_opts(struct args *args, void *own, void *shared)
{
    const struct opt *opt;
    int status = EXIT_OK;

    while (status == EXIT_OK && (opt = cli_next_opt(args)))
        status = cli_set_opt(args, opt, own, shared);
    return status;
}

/* Whether there are as many operands as the command's table wants, and the right ones. */
static int check_operands(struct args *args)
{
    const struct arg *arg = args->cmd->args;
    size_t i = 0;

    for (; arg && arg->name; arg++) {
        if (i == args->count && !arg->optional)
            return cli_wrong_usage(args, "%s is missing", arg->name);
        for (size_t end = arg->many ? args->count : i + 1; i < end && i < args->count; i++) {
            args->value = args->operands[i];
            if (arg->choices && cli_choice_index(arg->choices, args->value) < 0)
                return wrong_choice(args, arg->choices, "", arg->name);
        }
    }
    if (i < args->count)
        return cli_wrong_usage(args, "unexpected argument '%s'", args->operands[i]);
    return EXIT_OK;
}

struct look {
    enum when color;
    size_t width;
};

static int take_common(struct args *args, const struct opt *opt, struct look *look)
{
    uint64_t number;

    switch (opt->id) {
    case HELP:
        args->help = true;
        break;
    case JSON:
        args->json = true;
        break;
    case QUIET:
        args->quiet = true;
        break;
    case COLOR:
        look->color = (enum when)cli_choice_index(when_names, args->value);
        break;
    case WIDTH:
        if (tch_parse_u64(args->value, TERM_MAX_WIDTH, &number) < 0 || number < TERM_MIN_WIDTH)
            return cli_wrong_usage(args, "option '--width' needs a number from %d to %d, not '%s'",
                                   TERM_MIN_WIDTH, TERM_MAX_WIDTH, args->value);
        look->width = (size_t)number;
        break;
    }
    return EXIT_OK;
}

int cli_parse_args(struct args *args, char **words)
{
    struct look look = {.color = WHEN_AUTO};
    size_t n = 0;
    int status = EXIT_OK;
    const struct opt *opt = NULL;
    enum step found;

    while (words[n])
        n++;
    args->words = words;
    args->operands = calloc(n + 1, sizeof *args->operands);
    if (!args->operands)
        return cli_no_memory();
    rewind_words(args);
    while (status == EXIT_OK && (found = step(args, &opt)) != STEP_END) {
        if (found == STEP_WRONG)
            status = EXIT_USAGE;
        else if (found == STEP_OPERAND)
            args->operands[args->count++] = args->next[-1];
        else
            status = take_common(args, opt, &look);
    }
    if (status == EXIT_OK && !args->help)
        status = check_operands(args);
    cli_term_init(&args->out, STDOUT_FILENO, look.color, look.width);
    cli_term_init(&args->err, STDERR_FILENO, look.color, look.width);
    cli_clean_colors(args->out.color, args->err.color);
    if (args->json)
        cli_stdout_is_data();
    rewind_words(args);
    return status;
}

void cli_release_args(struct args *args)
{
    free(args->operands);
    args->operands = NULL;
    args->count = 0;
}
