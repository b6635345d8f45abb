/* tacho completion: prints a completion script for a shell. */
#include "cli/cmds.h"
#include "complete.h"
#include "opt.h"

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

/* The writers, in the order of shells. */
static void (*const writers[])(struct tch_buf *b, const struct cmd *root) = {
    cli_add_bash,
    cli_add_zsh,
    cli_add_fish,
};

static int run_completion(struct args *args)
{
    struct tch_buf b;

    tch_buf_init(&b, 1 << 20);
    writers[cli_choice_index(shells, args->operands[0])](&b, args->root);
    return cli_print(&b);
}

static const struct arg operands[] = {
    {.name = "SHELL", .help = "bash, zsh or fish", .choices = shells},
    {.name = NULL},
};

static const struct example examples[] = {
    {"source <(tacho completion bash)", "Turn on completion in the current bash."},
    {"tacho completion zsh > ~/.zfunc/_tacho",
     "Turn on completion in new zsh sessions; ~/.zfunc must be in fpath before compinit runs."},
    {"tacho completion fish > ~/.config/fish/completions/tacho.fish",
     "Turn on completion in new fish sessions."},
    {NULL, NULL},
};

const struct cmd cmd_completion = {
    .name = "completion",
    .summary = "print a completion script for a shell",
    .usage = "tacho completion SHELL",
    .about = "The script completes commands, options, their values and file names. It is generated "
             "from the same tables as this help, so it matches this version of tacho exactly.",
    .args = operands,
    .examples = examples,
    .run = run_completion,
};
