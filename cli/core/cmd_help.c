/* tacho help: shows the help of a command, or its manual page. */
#include "cli.h"
#include "help.h"
#include "opt.h"

enum { MAN };

static int run_help(struct args *args)
{
    struct args topic = {.root = args->root, .cmd = args->root};
    const struct opt *opt;
    bool man = false;
    struct tch_buf b;

    while ((opt = cli_next_opt(args)))
        man |= opt->id == MAN;
    snprintf(topic.path, sizeof topic.path, "%s", args->root->name);
    for (size_t i = 0; i < args->count; i++) {
        const struct cmd *sub = cli_find_sub(topic.cmd, args->operands[i]);

        if (!topic.cmd->subs)
            return cli_wrong_usage(&topic, "'%s' has no command '%s'", topic.path,
                                   args->operands[i]);
        if (!sub)
            return cli_unknown_command(&topic, args->operands[i]);
        cli_enter_sub(&topic, sub);
    }
    tch_buf_init(&b, 1 << 20);
    if (man)
        cli_add_man(&b, topic.cmd, topic.path);
    else
        cli_add_help(&b, &args->out, topic.cmd, topic.path);
    return cli_print(&b);
}

static const struct opt opts[] = {
    {.id = MAN, .name = "man", .help = "print the source of the manual page"},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "COMMAND",
     .help = "a command, or a command and its sub-command (default: tacho itself)",
     .optional = true,
     .many = true,
     .complete = COMPLETE_TOPIC},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho help doctor", "Show the help of tacho doctor."},
    {"tacho help --man doctor | man -l -", "Show it as a manual page."},
    {NULL, NULL},
};

const struct cmd cmd_help = {
    .name = "help",
    .summary = "show the help of tacho or of one of its commands",
    .usage = "tacho help [--man] [COMMAND [COMMAND]]",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .run = run_help,
};
