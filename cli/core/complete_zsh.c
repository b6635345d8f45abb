/* Writes the completion script for zsh: one function per command, each a call of _arguments. */
#include "complete.h"

#include "opt.h"

/* Adds the name of a command's function: "tacho trace convert" becomes _tacho_trace_convert. */
static void add_function_name(struct tch_buf *b, const char *path)
{
    tch_buf_addc(b, '_');
    for (; *path; path++)
        tch_buf_addc(b, *path == ' ' || *path == '-' ? '_' : *path);
}

/* Escapes text for a specification in single quotes, where colons and brackets end a part. */
static void add_escaped(struct tch_buf *b, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            tch_buf_adds(b, "'\\''");
        else if (strchr("[]:\\", *text))
            tch_buf_add(b, (char[]){'\\', *text}, 2);
        else
            tch_buf_addc(b, *text);
    }
}

static void add_action(struct tch_buf *b, const char *const *choices, enum complete complete)
{
    static const char *const actions[] = {
        [COMPLETE_NOTHING] = " ",
        [COMPLETE_FILE] = "_files",
        [COMPLETE_DIR] = "_files -/",
        [COMPLETE_PROGRAM] = "_command_names -e",
        [COMPLETE_TOPIC] = "_tacho_topic",
        [COMPLETE_REF] = "_tacho_refs",
        [COMPLETE_BENCH] = "_tacho_benches",
    };

    if (choices) {
        for (size_t i = 0; choices[i]; i++) {
            tch_buf_addc(b, i > 0 ? ' ' : '(');
            add_escaped(b, choices[i]);
        }
        tch_buf_addc(b, ')');
    } else {
        tch_buf_adds(b, actions[complete]);
    }
}

static void add_operands(struct tch_buf *b, const struct cmd *cmd)
{
    const struct arg *arg = cmd->args;

    for (unsigned i = 1; arg && arg->name; arg++, i++) {
        if (cmd->runs_program && arg->many)
            tch_buf_addf(b, "        '(-)%u:%s: _command_names -e' \\\n        '*::", i, arg->name);
        else if (arg->many)
            tch_buf_adds(b, "        '*:");
        else
            tch_buf_addf(b, "        '%u:%s", i, arg->optional ? ":" : "");
        add_escaped(b, arg->name);
        tch_buf_addc(b, ':');
        if (cmd->runs_program && arg->many)
            tch_buf_adds(b, "_normal");
        else
            add_action(b, arg->choices, arg->complete);
        tch_buf_adds(b, "' \\\n");
    }
}

static void add_opts(struct tch_buf *b, const struct cmd *cmd)
{
    struct opt_walk w = {.cmd = cmd};
    const struct opt *opt;

    while ((opt = cli_walk_opts(&w))) {
        if (opt->letter)
            tch_buf_addf(b, "        '(-%c --%s)'{-%c%s,--%s%s}'[", opt->letter, opt->name,
                         opt->letter, opt->arg ? "+" : "", opt->name, opt->arg ? "=" : "");
        else
            tch_buf_addf(b, "        '--%s%s[", opt->name, opt->arg ? "=" : "");
        add_escaped(b, opt->help);
        tch_buf_addc(b, ']');
        if (opt->arg) {
            tch_buf_addc(b, ':');
            add_escaped(b, opt->arg);
            tch_buf_addc(b, ':');
            add_action(b, opt->choices ? opt->choices : opt->offers, opt->complete);
        }
        tch_buf_adds(b, "' \\\n");
    }
}

/* Writes the function of one command. Its list is called subs because zsh itself uses "commands" to
   complete programs. */
static void visit_function(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    add_function_name(b, path);
    if (!cmd->subs) {
        tch_buf_addf(b, "()\n{\n    _arguments -s -S%s : \\\n",
                     cmd->runs_program ? " -A '-*'" : "");
        add_opts(b, cmd);
        add_operands(b, cmd);
        tch_buf_adds(b, "        && return 0\n}\n\n");
        return;
    }
    tch_buf_adds(b, "()\n{\n    local curcontext=$curcontext state line\n"
                    "    local -a subs\n\n    _arguments -C : \\\n");
    add_opts(b, cmd);
    tch_buf_adds(b, "        '1:command:->command' \\\n        '*::argument:->argument' \\\n"
                    "        && return 0\n    case $state in\n    command)\n        subs=(\n");
    for (size_t i = 0; cmd->subs[i]; i++) {
        tch_buf_addf(b, "            '%s:", cmd->subs[i]->name);
        add_escaped(b, cmd->subs[i]->summary);
        tch_buf_adds(b, "'\n");
    }
    tch_buf_adds(b, "        )\n        _describe -t commands command subs ;;\n"
                    "    argument)\n        case $words[1] in\n");
    for (size_t i = 0; cmd->subs[i]; i++) {
        char below[PATH_MAX_TEXT];

        snprintf(below, sizeof below, "%s %s", path, cmd->subs[i]->name);
        tch_buf_addf(b, "        %s) ", cmd->subs[i]->name);
        add_function_name(b, below);
        tch_buf_adds(b, " ;;\n");
    }
    tch_buf_adds(b, "        esac ;;\n    esac\n}\n\n");
}

static void visit_topic(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    if (!cmd->subs)
        return;
    tch_buf_addf(b, "    '%s') subs=(", path);
    for (size_t i = 0; cmd->subs[i]; i++)
        tch_buf_addf(b, "%s%s", i > 0 ? " " : "", cmd->subs[i]->name);
    tch_buf_adds(b, ") ;;\n");
}

static const char lists[] =
    "_tacho_lines()\n{\n    local -a names\n\n    names=(${(f)1})\n    compadd -a names\n}\n\n"
    "_tacho_refs() { _tacho_lines \"$(" CLI_COMPLETE_REFS ")\" }\n"
    "_tacho_benches() { _tacho_lines \"$(" CLI_COMPLETE_BENCHES ")\" }\n\n";

void cli_add_zsh(struct tch_buf *b, const struct cmd *root)
{
    tch_buf_adds(b,
                 "#compdef tacho\n# zsh completion of tacho, made by 'tacho completion zsh'\n\n");
    /* $words is 'help' and the words typed after it. */
    tch_buf_adds(b, "_tacho_topic()\n{\n    local -a subs typed\n\n"
                    "    typed=(${words[2,CURRENT-1]:#-*})\n"
                    "    case \"tacho${typed:+ }$typed\" in\n");
    cli_each_cmd(b, root, root->name, visit_topic);
    tch_buf_adds(b, "    esac\n    compadd -a subs\n}\n\n");
    tch_buf_adds(b, lists);
    cli_each_cmd(b, root, root->name, visit_function);
    /* The script may be loaded by name from fpath, or sourced. */
    tch_buf_adds(b, "if [[ $funcstack[1] == _tacho ]]; then\n    _tacho \"$@\"\nelse\n"
                    "    compdef _tacho tacho\nfi\n");
}
