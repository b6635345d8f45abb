/* The commands of `tacho run`: reads them from -c or the operands, splits them into words and names
   them. */
#include "run_options.h"

#include "base/secret.h"
#include "base/shell_quote.h"
#include "kit/config/shell_words.h"
#include "kit/result/run_folder.h"

enum {
    NAME_SIZE = 100,   /* bytes of a name given by --name */
    PROGRAM_NAME = 92, /* bytes of a name made from the command */
    OWN_WORDS = 48,
};

static const char blanks[] = " \t\n";

int cli_run_commands_add(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;
    size_t i = o->plan.command_count;

    (void)opt;
    if (i == TCH_COMMANDS_MAX)
        return cli_wrong_usage(args, "there are more than %d commands; remove some",
                               TCH_COMMANDS_MAX);
    o->commands[i].line = args->value;
    o->plan.command_count++;
    return EXIT_OK;
}

int cli_run_commands_name(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;
    char name[NAME_SIZE];

    tch_folder_name(name, sizeof name, args->value);
    if (strcmp(name, args->value) != 0)
        return cli_wrong_value(args, opt->name, TCH_FOLDER_NAMES);
    if (o->name_count == TCH_COMMANDS_MAX)
        return cli_wrong_usage(args, "there are more than %d commands; remove some",
                               TCH_COMMANDS_MAX);
    o->commands[o->name_count++].name = args->value;
    return EXIT_OK;
}

/* Joins the operands to one line, quoted as a person would type it. */
char *cli_join_words(char **operands)
{
    struct tch_buf b;

    tch_buf_init(&b, 16 << 20);
    for (char **word = operands; *word; word++) {
        tch_buf_adds(&b, word > operands ? " " : "");
        tch_shell_quote(&b, *word);
    }
    return tch_buf_take(&b);
}

/* Refuses words with --shell, and shows them as one line. */
static int want_line(const struct args *args)
{
    struct tch_buf line;
    struct tch_buf quoted;
    int status;

    tch_buf_init(&line, 16 << 20);
    tch_buf_init(&quoted, 16 << 20);
    for (size_t i = 0; i < args->count; i++)
        tch_buf_addf(&line, "%s%s", i > 0 ? " " : "", args->operands[i]);
    tch_shell_quote(&quoted, line.data);
    status = cli_wrong_usage(args, "--shell runs a line of -c, not words; use --shell -c %s",
                             quoted.data);
    tch_buf_release(&line);
    tch_buf_release(&quoted);
    return status;
}

int cli_split_command(const struct args *args, const char *line, const char *shown, char ***ret)
{
    tacho_error err;
    int status = tch_words_split(line, ret, &err);

    if (status == TACHO_ENOMEM)
        return cli_no_memory();
    if (status == TACHO_EUNSUPPORTED)
        return cli_wrong_usage(args, "cannot split '%s': %s; use --shell to run it by sh -c", shown,
                               err.message);
    return status < 0 ? cli_wrong_usage(args, "cannot split '%s': %s", shown, err.message)
                      : EXIT_OK;
}

/* Splits a line of -c into argv, and stores its masked form. */
static int split_line(struct run_options *o, const struct args *args, size_t i)
{
    struct tch_run_command *command = &o->commands[i];
    const char *line = command->line;
    int status;

    command->line = o->lines[i] = tch_secret_masked_line(line, o->plan.keep_env);
    if (!command->line)
        return cli_no_memory();
    if (o->plan.shell) {
        const char *const argv[] = {"sh", "-c", line, NULL};

        memcpy(o->shell_argv[i], argv, sizeof argv);
        command->argv = o->shell_argv[i];
        return EXIT_OK;
    }
    status = cli_split_command(args, line, command->line, &o->words[i]);
    command->argv = (const char *const *)o->words[i];
    return status;
}

/* --- Names --- */

/* Writes the name that a command has if no other command has it: that of its program. */
static void plain_name(const struct run_options *o, size_t i, char name[NAME_SIZE])
{
    const struct tch_run_command *command = &o->commands[i];

    tch_folder_name_command(name, PROGRAM_NAME, command->argv[0],
                            o->plan.shell ? command->line : NULL);
}

/* Returns where the n-th word of a line begins, counted from 0; the end of the line if there are
   fewer words. */
static const char *word_at(const char *line, size_t n)
{
    line += strspn(line, blanks);
    for (; n > 0; n--) {
        line += strcspn(line, blanks);
        line += strspn(line, blanks);
    }
    return line;
}

static size_t word_count(const char *line)
{
    size_t n = 0;

    while (*word_at(line, n))
        n++;
    return n;
}

/* Returns how many words, after the first `skip`, all commands of a plain name have in common at
   the beginning or at the end. */
static size_t common_words(const struct run_options *o, const char *plain, size_t skip, bool at_end)
{
    for (size_t n = 0;; n++) {
        const char *first = NULL;

        for (size_t i = 0; i < o->plan.command_count; i++) {
            const char *line = word_at(o->commands[i].line, skip);
            size_t count = word_count(line);
            const char *word = n < count ? word_at(line, at_end ? count - 1 - n : n) : "";
            size_t len = strcspn(word, blanks);
            char other[NAME_SIZE];

            plain_name(o, i, other);
            if (strcmp(plain, other) != 0)
                continue;
            if (len == 0 ||
                (first && (len != strcspn(first, blanks) || memcmp(word, first, len) != 0)))
                return n;
            first = word;
        }
    }
}

/* Adds to the name the words that distinguish the command from others of the same plain name:
   "gzip" and "-9" become "gzip-9". If the paths of the programs differ, the path is the name. */
static void add_own_words(const struct run_options *o, size_t i, char name[NAME_SIZE])
{
    size_t from = common_words(o, name, 0, false);
    size_t rest = common_words(o, name, from, true);
    const char *line = word_at(o->commands[i].line, from);
    char text[OWN_WORDS];
    struct tch_buf b;

    tch_buf_init_on(&b, text, sizeof text, sizeof text - 1);
    if (from > 0)
        tch_buf_adds(&b, name);
    for (size_t n = 0; n + rest < word_count(line); n++) {
        const char *word = word_at(line, n);
        const char *end = word + strcspn(word, blanks);

        word += strspn(word, "-./'\"");
        if (word < end && b.len > 0 && b.len + 1 < sizeof text)
            tch_buf_addc(&b, '-');
        for (; word < end && b.len + 1 < sizeof text; word++)
            if (!strchr("'\"", *word))
                tch_buf_addc(&b, *word);
    }
    if (b.len > 0 && !b.failed)
        tch_folder_name(name, NAME_SIZE, b.data);
    tch_buf_release(&b);
}

static bool is_taken(const struct run_options *o, size_t i, const char *name)
{
    for (size_t j = 0; j < o->plan.command_count; j++)
        if (j != i && o->commands[j].name && strcmp(o->commands[j].name, name) == 0)
            return true;
    return false;
}

/* Gives a command a unique name: that of its program; with the words that distinguish it, if
   another command has the same program; with a number, if the whole line is the same. */
static int name_command(struct run_options *o, size_t i)
{
    struct tch_run_command *command = &o->commands[i];
    char name[NAME_SIZE];
    char numbered[NAME_SIZE + 8];
    bool alone = true;

    if (command->name)
        return EXIT_OK;
    plain_name(o, i, name);
    for (size_t j = 0; j < o->plan.command_count; j++) {
        char other[NAME_SIZE];

        plain_name(o, j, other);
        alone = alone && (j == i || strcmp(name, other) != 0);
    }
    if (!alone)
        add_own_words(o, i, name);
    snprintf(numbered, sizeof numbered, "%s", name);
    for (size_t number = 2; is_taken(o, i, numbered); number++)
        snprintf(numbered, sizeof numbered, "%s-%zu", name, number);
    o->names[i] = strdup(numbered);
    if (!o->names[i])
        return cli_no_memory();
    command->name = o->names[i];
    return EXIT_OK;
}

static int check_names_differ(const struct run_options *o, const struct args *args)
{
    for (size_t i = 0; i < o->plan.command_count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(o->commands[i].name, o->commands[j].name) == 0)
                return cli_wrong_usage(args,
                                       "two commands cannot both be named '%s'; change a --name",
                                       o->commands[i].name);
    return EXIT_OK;
}

int cli_run_commands_finish(struct run_options *o, const struct args *args)
{
    int status = EXIT_OK;

    if (o->plan.command_count > 0 && args->count > 0)
        return cli_wrong_usage(args, "give commands by -c or after the options, not both");
    if (o->plan.command_count == 0 && args->count == 0)
        return cli_wrong_usage(args,
                               "there is no command; use tacho run -- COMMAND, or -c 'COMMAND'");
    for (size_t i = 0; i < o->plan.command_count && status == EXIT_OK; i++)
        status = split_line(o, args, i);
    if (args->count > 0) {
        char *line = cli_join_words(args->operands);

        o->lines[0] = line ? tch_secret_masked_line(line, o->plan.keep_env) : NULL;
        free(line);
        if (!o->lines[0])
            return cli_no_memory();
        o->plan.command_count = 1;
        o->commands[0].line = o->lines[0];
        o->commands[0].argv = (const char *const *)args->operands;
        if (o->plan.shell)
            return want_line(args);
    }
    if (status == EXIT_OK && o->name_count > o->plan.command_count)
        return cli_wrong_usage(args, "there are more names than commands; remove a --name");
    for (size_t i = 0; i < o->plan.command_count && status == EXIT_OK; i++)
        status = name_command(o, i);
    return status == EXIT_OK ? check_names_differ(o, args) : status;
}
