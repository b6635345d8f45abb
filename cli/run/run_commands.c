/* The commands of `tacho run`: given by -c or as operands, split into words, named. */
#include "run_options.h"

#include "kit/run/run_folder.h"
#include "kit/run/shell_words.h"

enum { NAME_SIZE = 100 };

int cli_run_commands_add(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;
    size_t i = o->plan.command_count;

    (void)opt;
    if (i == TCH_COMMANDS_MAX)
        return cli_wrong_usage(args, "there can be %d commands", TCH_COMMANDS_MAX);
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
        return cli_wrong_value(args, opt->name, "letters, digits, '.', '_' and '-'");
    if (o->name_count == TCH_COMMANDS_MAX)
        return cli_wrong_usage(args, "there can be %d commands", TCH_COMMANDS_MAX);
    o->commands[o->name_count++].name = args->value;
    return EXIT_OK;
}

/* The operands as a person would type them. */
char *cli_join_words(char **operands)
{
    struct tch_buf b;

    tch_buf_init(&b, 16 << 20);
    for (char **word = operands; *word; word++) {
        bool plain = **word && !(*word)[strcspn(*word, " \t\n'\"\\|&;<>()$`*?[#~")];

        tch_buf_adds(&b, word > operands ? " " : "");
        tch_buf_adds(&b, plain ? "" : "'");
        for (const char *c = *word; *c; c++)
            if (*c == '\'')
                tch_buf_adds(&b, "'\\''");
            else
                tch_buf_addc(&b, *c);
        tch_buf_adds(&b, plain ? "" : "'");
    }
    return tch_buf_take(&b);
}

/* A line of -c into argv. */
static int split_line(struct run_options *o, const struct args *args, size_t i)
{
    struct tch_run_command *command = &o->commands[i];
    tacho_error err;

    if (o->plan.shell) {
        const char *const argv[] = {"sh", "-c", command->line, NULL};

        memcpy(o->shell_argv[i], argv, sizeof argv);
        command->argv = o->shell_argv[i];
        return EXIT_OK;
    }
    if (tch_words_split(command->line, &o->words[i], &err) == TACHO_ENOMEM)
        return cli_no_memory();
    if (!o->words[i])
        return cli_wrong_usage(args, "cannot split '%s': %s", command->line, err.message);
    command->argv = (const char *const *)o->words[i];
    return EXIT_OK;
}

/* Each needs a name of its own: that of its program, with a number when that is taken. */
static int name_command(struct run_options *o, size_t i)
{
    struct tch_run_command *command = &o->commands[i];
    const char *word = o->plan.shell ? command->line : command->argv[0];
    const char *slash = o->plan.shell ? NULL : strrchr(word, '/');
    char base[NAME_SIZE - 8];
    char name[NAME_SIZE];

    if (command->name)
        return EXIT_OK;
    tch_folder_name(base, o->plan.shell ? 24 : sizeof base, slash ? slash + 1 : word);
    snprintf(name, sizeof name, "%s", base);
    for (size_t number = 2, j = 0; j < o->plan.command_count; j++)
        if (j != i && o->commands[j].name && strcmp(o->commands[j].name, name) == 0) {
            snprintf(name, sizeof name, "%s-%zu", base, number++);
            j = (size_t)-1; /* from the start again */
        }
    o->names[i] = strdup(name);
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
                return cli_wrong_usage(args, "two commands cannot both be called '%s'",
                                       o->commands[i].name);
    return EXIT_OK;
}

int cli_run_commands_finish(struct run_options *o, const struct args *args)
{
    int status = EXIT_OK;

    if (o->plan.command_count > 0 && args->count > 0)
        return cli_wrong_usage(args, "give commands by -c or after the options, not both");
    if (o->plan.command_count == 0 && args->count == 0)
        return cli_wrong_usage(args, "there is no command: tacho run -- COMMAND, or -c 'COMMAND'");
    for (size_t i = 0; i < o->plan.command_count && status == EXIT_OK; i++)
        status = split_line(o, args, i);
    if (args->count > 0) {
        o->line = cli_join_words(args->operands);
        if (!o->line)
            return cli_no_memory();
        o->plan.command_count = 1;
        o->commands[0].line = o->line;
        o->commands[0].argv = (const char *const *)args->operands;
        if (o->plan.shell)
            return cli_wrong_usage(args, "--shell is for commands given by -c: -c '%s'", o->line);
    }
    if (status == EXIT_OK && o->name_count > o->plan.command_count)
        return cli_wrong_usage(args, "there are more names than commands");
    for (size_t i = 0; i < o->plan.command_count && status == EXIT_OK; i++)
        status = name_command(o, i);
    return status == EXIT_OK ? check_names_differ(o, args) : status;
}
