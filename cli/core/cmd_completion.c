/* tacho completion: prints the completion script for a shell. */
#include "cli.h"
#include "complete.h"
#include "opt.h"

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static int run_completion(struct args *args)
{
    /* In the order of shells. */
    static const char *const scripts[] = {cli_completion_bash, cli_completion_zsh,
                                          cli_completion_fish};

    fputs(scripts[cli_choice_index(shells, args->operands[0])], stdout);
    return EXIT_OK;
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
    .about = "The script completes commands, options, their values and file names. It asks the "
             "tacho of PATH for them, so it need not be printed again for another version.",
    .args = operands,
    .examples = examples,
    .run = run_completion,
};
