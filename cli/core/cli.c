/* Finds the command that main()'s arguments name, runs it and returns its exit status. */
#include "cli.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <tacho/version.h>

#include "clean_out.h"
#include "complete.h"
#include "help.h"
#include "opt.h"
#include "process/spawn.h"
#include "stop.h"

enum { HELP_MAX = 1 << 20 };

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int show_help(const struct args *args)
{
    struct tch_buf b;

    tch_buf_init(&b, HELP_MAX);
    cli_add_help(&b, &args->out, args->cmd, args->path);
    return cli_print(&b);
}

/* Handles a command that has sub-commands and was called without one. */
static int show_short_help(const struct args *args)
{
    struct tch_buf b;

    tch_buf_init(&b, HELP_MAX);
    cli_add_short_help(&b, &args->err, args->cmd, args->path);
    fwrite(b.data, 1, b.len, stderr);
    tch_buf_release(&b);
    return EXIT_USAGE;
}

/* Returns whether a word can only be a program to run. A sub-command wins over a program of the
   same name, and a word that is neither is taken for a misspelt sub-command. */
static bool names_program(const struct cmd *cmd, const char *word)
{
    char path[PATH_MAX];

    return cmd->runs_program && !cli_find_sub(cmd, word) &&
           (strpbrk(word, "/ ") || tch_find_program(word, path, sizeof path, NULL) == 0);
}

/* Returns whether a command with sub-commands runs itself: an option, "--" or a program to run
   comes first, or no word at all. */
static bool runs_itself(const struct cmd *cmd, const char *word)
{
    return cmd->run && (word ? word[0] == '-' || names_program(cmd, word) : cmd->runs_alone);
}

static int run_words(struct args *args, char **words)
{
    int status;

    while (args->cmd->subs && !runs_itself(args->cmd, *words)) {
        const char *word = *words++;
        const struct cmd *sub = word ? cli_find_sub(args->cmd, word) : NULL;

        if (!word)
            return show_short_help(args);
        if (is_one_of(word, "--help", "-h"))
            return show_help(args);
        if (args->cmd == args->root && is_one_of(word, "--version", "-V"))
            return printf("tacho %s\n", TACHO_VERSION) < 0 ? EXIT_WORK : EXIT_OK;
        if (!sub)
            return cli_unknown_command(args, word);
        cli_enter_sub(args, sub);
    }
    status = cli_parse_args(args, words);
    if (status == EXIT_OK)
        status = args->help ? show_help(args) : args->cmd->run(args);
    cli_release_args(args);
    return status;
}

/* Opens /dev/null for each standard descriptor that was closed at the start. Otherwise the next
   file opened would get that descriptor and receive our output. Writing to such a stdout still
   fails, as it should. */
static void occupy_closed_descriptors(void)
{
    static const int modes[] = {O_RDONLY, O_RDONLY, O_RDWR};

    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
            _exit(EXIT_WORK);
}

int cli_main(const struct cmd *root, char **argv)
{
    struct args args = {.root = root, .cmd = root};
    char **words = *argv ? argv + 1 : argv;

    occupy_closed_descriptors();
    /* Make writes to a closed pipe fail like any other write, so that no command is killed
       half-way. */
    signal(SIGPIPE, SIG_IGN);
    cli_clean_up_on_stop();
    if (cli_clean_streams() < 0)
        return EXIT_WORK;
    if (*words && strcmp(*words, "__complete") == 0) /* hidden: only for completion scripts */
        return cli_complete(root, words + 1);
    snprintf(args.path, sizeof args.path, "%s", root->name);
    cli_term_init(&args.out, STDOUT_FILENO, WHEN_AUTO, 0);
    cli_term_init(&args.err, STDERR_FILENO, WHEN_AUTO, 0);
    cli_clean_colors(args.out.color, args.err.color);
    return cli_finish_out(cli_stopped_status(run_words(&args, words)));
}
