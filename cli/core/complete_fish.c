/* Writes the completion script for fish: one 'complete' line per suggestion, with the condition for
   it. */
#include "complete.h"

#include "opt.h"

/* Adds text in single quotes; there, fish knows two escapes. */
static void add_fish_quoted(struct tch_buf *b, const char *text)
{
    tch_buf_addc(b, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            tch_buf_addc(b, '\\');
        tch_buf_addc(b, *text);
    }
    tch_buf_addc(b, '\'');
}

static void visit_sub_words(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    for (size_t i = 0; cmd->subs && cmd->subs[i]; i++)
        tch_buf_addf(b, " '0%s,%s'", path, cmd->subs[i]->name);
}

static void visit_valued_opts(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    struct opt_walk w = {.cmd = cmd};
    const struct opt *opt;

    while ((opt = cli_walk_valued_opts(&w))) {
        tch_buf_addf(b, " '0%s,--%s'", path, opt->name);
        if (opt->letter)
            tch_buf_addf(b, " '0%s,-%c'", path, opt->letter);
    }
}

/* Adds __tacho_walk, which prints the command that the words so far name, the number of its
   arguments, and the position of the first of them. */
static void add_walk(struct tch_buf *b, const struct cmd *root)
{
    tch_buf_adds(b, "function __tacho_walk\n"
                    "    set -l path tacho\n"
                    "    set -l operands 0\n"
                    "    set -l first 0\n"
                    "    set -l place 1\n"
                    "    set -l waits 0\n"
                    "    set -l ended 0\n"
                    "    for word in (commandline -opc)[2..-1]\n"
                    "        set place (math $place + 1)\n"
                    "        if test $waits = 1\n"
                    "            set waits 0\n"
                    "            continue\n"
                    "        end\n"
                    "        switch \"$ended$path,$word\"\n"
                    "            case");
    cli_each_cmd(b, root, root->name, visit_sub_words);
    tch_buf_adds(b, "\n                set path \"$path $word\"\n            case");
    cli_each_cmd(b, root, root->name, visit_valued_opts);
    tch_buf_adds(b, "\n                set waits 1\n"
                    "            case '0*,--'\n"
                    "                set ended 1\n"
                    "            case '0*,-*'\n"
                    "            case '*'\n"
                    "                set operands (math $operands + 1)\n"
                    "                test $first = 0; and set first $place\n"
                    "        end\n"
                    "    end\n"
                    "    printf '%s\\n' $path $operands $first\n"
                    "end\n\n");
}

static const char at[] = "function __tacho_at --argument-names path operands\n"
                         "    set -l walk (__tacho_walk)\n"
                         "    test \"$walk[1]\" = \"$path\"; or return 1\n"
                         "    test -z \"$operands\"; or test \"$walk[2]\" = \"$operands\"\n"
                         "end\n\n";

/* __tacho_program completes the rest of the line as the named program would. */
static const char program[] =
    "function __tacho_program\n"
    "    set -l first (__tacho_walk)[3]\n"
    "    set -l words (commandline -opc)\n"
    "    if test $first = 0\n"
    "        string match -q -- '-*' (commandline -ct); and return\n"
    "        set words\n"
    "    else\n"
    "        set words $words[$first..-1]\n"
    "    end\n"
    "    complete --do-complete=(string join ' ' -- $words (commandline -ct))\n"
    "end\n\n";

static const char lists[] = "function __tacho_refs\n    " CLI_COMPLETE_REFS "\nend\n\n"
                            "function __tacho_benches\n    " CLI_COMPLETE_BENCHES "\nend\n\n";

static void visit_topics(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    if (!cmd->subs)
        return;
    tch_buf_addf(b, "        case '%s'\n            printf '%%s\\n'", path);
    for (size_t i = 0; cmd->subs[i]; i++)
        tch_buf_addf(b, " %s", cmd->subs[i]->name);
    tch_buf_adds(b, "\n");
}

/* Adds __tacho_topics, which prints the sub-commands of the command named after 'help'. */
static void add_topics(struct tch_buf *b, const struct cmd *root)
{
    tch_buf_adds(b, "function __tacho_topics\n"
                    "    set -l words (commandline -opc)[3..-1]\n"
                    "    switch (string join ' ' tacho (string match -v -- '-*' $words))\n");
    cli_each_cmd(b, root, root->name, visit_topics);
    tch_buf_adds(b, "    end\nend\n\n");
}

static void add_offer(struct tch_buf *b, const char *const *choices, enum complete complete)
{
    static const char *const offers[] = {
        [COMPLETE_NOTHING] = "",
        [COMPLETE_FILE] = " -F",
        [COMPLETE_DIR] = " -a '(__fish_complete_directories)'",
        [COMPLETE_PROGRAM] = " -a '(__tacho_program)'",
        [COMPLETE_TOPIC] = " -a '(__tacho_topics)'",
        [COMPLETE_REF] = " -a '(__tacho_refs)'",
        [COMPLETE_BENCH] = " -a '(__tacho_benches)'",
    };

    if (choices) {
        tch_buf_adds(b, " -a '");
        cli_add_words(b, choices);
        tch_buf_addc(b, '\'');
    } else {
        tch_buf_adds(b, offers[complete]);
    }
}

static void add_condition(struct tch_buf *b, const char *path)
{
    tch_buf_addf(b, "complete -c tacho -n '__tacho_at \"%s\"", path);
}

static void visit_offers(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    const struct arg *arg = cmd->args;
    struct opt_walk w = {.cmd = cmd};
    const struct opt *opt;

    for (size_t i = 0; cmd->subs && cmd->subs[i]; i++) {
        add_condition(b, path);
        tch_buf_addf(b, " 0' -a %s -d ", cmd->subs[i]->name);
        add_fish_quoted(b, cmd->subs[i]->summary);
        tch_buf_addc(b, '\n');
    }
    for (unsigned i = 0; arg && arg->name; arg++, i++) {
        add_condition(b, path);
        if (!arg->many)
            tch_buf_addf(b, " %u", i);
        tch_buf_addc(b, '\'');
        add_offer(b, arg->choices, arg->complete);
        tch_buf_addc(b, '\n');
    }
    while ((opt = cli_walk_opts(&w))) {
        add_condition(b, path);
        tch_buf_addf(b, "%s' -l %s", cmd->runs_program ? " 0" : "", opt->name);
        if (opt->letter)
            tch_buf_addf(b, " -s %c", opt->letter);
        if (opt->arg) {
            tch_buf_adds(b, opt->complete == COMPLETE_FILE ? " -r" : " -x");
            add_offer(b, opt->choices ? opt->choices : opt->offers, opt->complete);
        }
        tch_buf_adds(b, " -d ");
        add_fish_quoted(b, opt->help);
        tch_buf_addc(b, '\n');
    }
}

void cli_add_fish(struct tch_buf *b, const struct cmd *root)
{
    tch_buf_adds(b, "# fish completion of tacho, made by 'tacho completion fish'\n\n");
    add_walk(b, root);
    add_topics(b, root);
    tch_buf_adds(b, at);
    tch_buf_adds(b, program);
    tch_buf_adds(b, lists);
    tch_buf_adds(b, "complete -c tacho -e\ncomplete -c tacho -f\n");
    cli_each_cmd(b, root, root->name, visit_offers);
}
