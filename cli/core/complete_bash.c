/* Writes the completion script for bash: one function that walks through the words typed so far. */
#include "complete.h"

#include "opt.h"

/* Finds the command ($path), the option that needs a value ($opt), and the number of arguments
   ($operands). bash splits --name=value at the equals sign. */
static const char walk_start[] = "    local cur=${COMP_WORDS[COMP_CWORD]} path=tacho topic=tacho\n"
                                 "    local word opt='' last='' ended='' operands=0 i\n"
                                 "\n"
                                 "    COMPREPLY=()\n"
                                 "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                                 "        word=${COMP_WORDS[i]}\n"
                                 "        if [[ $word == '=' ]]; then opt=$last; continue; fi\n"
                                 "        if [[ $opt ]]; then opt=''; continue; fi\n"
                                 "        last=''\n"
                                 "        if [[ ! $ended ]]; then\n"
                                 "            case $path,$word in\n";

static const char walk_middle[] = "            *,--) ended=1; continue ;;\n"
                                  "            *,-*) continue ;;\n"
                                  "            esac\n"
                                  "        fi\n"
                                  "        operands=$((operands + 1)) topic+=\" $word\"\n"
                                  "        case $path in\n";

static const char walk_end[] = "        esac\n"
                               "    done\n"
                               "    if [[ $cur == '=' ]]; then cur=''; fi\n"
                               "\n";

/* These helpers match and quote words one by one. compgen -W would execute a branch name such as
   $(...). */
static const char helpers[] =
    "_tacho_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
    "_tacho_names()\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
    "}\n"
    "_tacho_lines()\n"
    "{\n"
    "    local word\n"
    "    while IFS= read -r word; do\n"
    "        if [[ $word == \"$cur\"* ]]; then printf -v word %q \"$word\"; "
    "COMPREPLY+=(\"$word\"); fi\n"
    "    done\n"
    "}\n";

static void visit_sub_words(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    for (size_t i = 0; cmd->subs && cmd->subs[i]; i++) {
        const char *name = cmd->subs[i]->name;

        tch_buf_addf(b, "            '%s,%s') path+=\" $word\"; continue ;;\n", path, name);
    }
}

static void visit_valued_opts(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    struct opt_walk w = {.cmd = cmd};
    const struct opt *opt;

    while ((opt = cli_walk_valued_opts(&w))) {
        tch_buf_addf(b, "            '%s,--%s'", path, opt->name);
        if (opt->letter)
            tch_buf_addf(b, " | '%s,-%c'", path, opt->letter);
        tch_buf_addf(b, ") opt=--%s last=--%s; continue ;;\n", opt->name, opt->name);
    }
}

/* Completes the words after a program's name as that program would. */
static void visit_program(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    if (!cmd->runs_program)
        return;
    tch_buf_addf(b,
                 "        '%s')\n"
                 "            if declare -F _command_offset >/dev/null; then\n"
                 "                _command_offset \"$i\"\n"
                 "            else\n"
                 "                _tacho_names -f\n"
                 "            fi\n"
                 "            return ;;\n",
                 path);
}

static void add_offer(struct tch_buf *b, const char *const *choices, enum complete complete)
{
    if (choices) {
        tch_buf_adds(b, "_tacho_words '");
        cli_add_words(b, choices);
        tch_buf_adds(b, "'");
    } else if (complete == COMPLETE_TOPIC) {
        tch_buf_adds(b, "_tacho_words \"$(_tacho_subs \"$topic\")\"");
    } else if (complete == COMPLETE_REF) {
        tch_buf_adds(b, "_tacho_lines < <(" CLI_COMPLETE_REFS ")");
    } else if (complete == COMPLETE_BENCH) {
        tch_buf_adds(b, "_tacho_lines < <(" CLI_COMPLETE_BENCHES ")");
    } else if (complete == COMPLETE_NOTHING) {
        tch_buf_adds(b, ":");
    } else {
        tch_buf_addf(b, "_tacho_names -%c",
                     complete == COMPLETE_DIR       ? 'd'
                     : complete == COMPLETE_PROGRAM ? 'c'
                                                    : 'f');
    }
    tch_buf_adds(b, " ;;\n");
}

static void visit_values(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    struct opt_walk w = {.cmd = cmd};
    const struct opt *opt;

    while ((opt = cli_walk_valued_opts(&w))) {
        tch_buf_addf(b, "        '%s,--%s') ", path, opt->name);
        add_offer(b, opt->choices ? opt->choices : opt->offers, opt->complete);
    }
}

static void visit_opts(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    struct opt_walk w = {.cmd = cmd};
    const struct opt *opt;
    const char *before = "";

    tch_buf_addf(b, "        '%s') _tacho_words '", path);
    while ((opt = cli_walk_opts(&w))) {
        tch_buf_addf(b, "%s--%s", before, opt->name);
        before = " ";
    }
    tch_buf_adds(b, "' ;;\n");
}

static void visit_operands(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    const struct arg *arg = cmd->args;

    if (cmd->subs)
        tch_buf_addf(b, "    '%s',*) _tacho_words \"$(_tacho_subs '%s')\" ;;\n", path, path);
    for (unsigned i = 0; arg && arg->name; arg++, i++) {
        if (arg->many)
            tch_buf_addf(b, "    '%s',*) ", path);
        else
            tch_buf_addf(b, "    '%s,%u') ", path, i);
        add_offer(b, arg->choices, arg->complete);
    }
}

static void visit_subs(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    if (!cmd->subs)
        return;
    tch_buf_addf(b, "    '%s') echo '", path);
    for (size_t i = 0; cmd->subs[i]; i++)
        tch_buf_addf(b, "%s%s", i > 0 ? " " : "", cmd->subs[i]->name);
    tch_buf_adds(b, "' ;;\n");
}

void cli_add_bash(struct tch_buf *b, const struct cmd *root)
{
    tch_buf_adds(b, "# bash completion of tacho, made by 'tacho completion bash'\n\n");
    tch_buf_adds(b, helpers);
    tch_buf_adds(b, "_tacho_subs()\n{\n    case $1 in\n");
    cli_each_cmd(b, root, root->name, visit_subs);
    tch_buf_adds(b, "    esac\n}\n\n_tacho()\n{\n");
    tch_buf_adds(b, walk_start);
    cli_each_cmd(b, root, root->name, visit_sub_words);
    cli_each_cmd(b, root, root->name, visit_valued_opts);
    tch_buf_adds(b, walk_middle);
    cli_each_cmd(b, root, root->name, visit_program);
    tch_buf_adds(b, walk_end);
    tch_buf_adds(b, "    if [[ $opt ]]; then\n        case $path,$opt in\n");
    cli_each_cmd(b, root, root->name, visit_values);
    tch_buf_adds(b, "        esac\n        return\n    fi\n");
    tch_buf_adds(b, "    if [[ $cur == -* && ! $ended ]]; then\n        case $path in\n");
    cli_each_cmd(b, root, root->name, visit_opts);
    tch_buf_adds(b, "        esac\n        return\n    fi\n    case $path,$operands in\n");
    cli_each_cmd(b, root, root->name, visit_operands);
    tch_buf_adds(b, "    esac\n}\n\ncomplete -F _tacho tacho\n");
}
