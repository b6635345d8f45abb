/* Manual pages in man(7) macros, generated from the tables of the commands. */
#include "help.h"

#include <ctype.h>

#include <tacho/version.h>

#include "opt.h"

enum { OPT_MAX = 1024 };

/* Adds a character. "\" starts an escape in roff, and a plain "-" would become a hyphen that cannot
   be copied. */
static void add_roff_char(struct tch_buf *b, char c)
{
    if (c == '\\')
        tch_buf_adds(b, "\\e");
    else if (c == '-')
        tch_buf_adds(b, "\\-");
    else
        tch_buf_addc(b, c);
}

/* Adds a paragraph of text. A dot or quote at the start of a line would be a request, so it is
   escaped. */
static void add_text(struct tch_buf *b, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((i == 0 || text[i - 1] == '\n') && (text[i] == '.' || text[i] == '\''))
            tch_buf_adds(b, "\\&");
        add_roff_char(b, text[i]);
    }
    tch_buf_addc(b, '\n');
}

static void add_line(struct tch_buf *b, const char *text)
{
    add_text(b, text, strlen(text));
}

/* Adds a macro with its argument on the same line. */
static void add_macro(struct tch_buf *b, const char *macro, const char *text, size_t len)
{
    tch_buf_addf(b, ".%s ", macro);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            tch_buf_adds(b, "\\(dq");
        else
            add_roff_char(b, text[i]);
    }
    tch_buf_addc(b, '\n');
}

/* Starts an item: a term in bold, followed by its meaning. */
static void begin_item(struct tch_buf *b, const char *term)
{
    tch_buf_adds(b, ".TP\n");
    add_macro(b, "B", term, strlen(term));
}

static void add_item(struct tch_buf *b, const char *term, const char *help)
{
    begin_item(b, term);
    add_line(b, help);
}

static void add_paragraphs(struct tch_buf *b, const char *text)
{
    const char *gap;

    while ((gap = strstr(text, "\n\n"))) {
        add_text(b, text, (size_t)(gap - text));
        tch_buf_adds(b, ".PP\n");
        text = gap + 2;
    }
    add_line(b, text);
}

static void add_usage(struct tch_buf *b, const char *lines)
{
    const char *end;

    while ((end = strchr(lines, '\n'))) {
        add_macro(b, "B", lines, (size_t)(end - lines));
        tch_buf_adds(b, ".br\n");
        lines = end + 1;
    }
    add_macro(b, "B", lines, strlen(lines));
}

static void add_opts(struct tch_buf *b, const struct cmd *cmd)
{
    struct opt_walk w = {.cmd = cmd};
    const struct opt *opt;

    while ((opt = cli_walk_opts(&w))) {
        struct tch_buf text;

        tch_buf_init_part(&text, b);
        cli_add_opt_name(&text, opt);
        begin_item(b, text.data);
        tch_buf_clear(&text);
        cli_add_opt_help(&text, opt);
        add_line(b, text.data);
        tch_buf_release(&text);
    }
}

/* Adds the name of a command's page: "tacho trace convert" becomes tacho-trace-convert. */
static void add_page_name(struct tch_buf *b, const char *path, bool upper)
{
    for (; *path; path++) {
        if (*path == ' ' || *path == '-')
            tch_buf_adds(b, "\\-");
        else
            tch_buf_addc(b, upper ? (char)toupper((unsigned char)*path) : *path);
    }
}

static void add_see_also(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    tch_buf_adds(b, ".SH SEE ALSO\n");
    if (!cmd->subs || strchr(path, ' ')) {
        tch_buf_adds(b, ".BR tacho (1)\n");
        return;
    }
    for (size_t i = 0; cmd->subs[i]; i++)
        tch_buf_addf(b, ".BR tacho\\-%s (1)%s\n", cmd->subs[i]->name, cmd->subs[i + 1] ? "," : "");
}

static void add_operands(struct tch_buf *b, const struct cmd *cmd)
{
    for (const struct arg *arg = cmd->args; arg && arg->name; arg++)
        add_item(b, arg->name, arg->help);
}

static void add_examples(struct tch_buf *b, const struct cmd *cmd)
{
    for (const struct example *example = cmd->examples; example->line; example++) {
        if (example > cmd->examples)
            tch_buf_adds(b, ".PP\n");
        add_line(b, example->what);
        tch_buf_adds(b, ".PP\n.RS 4\n.EX\n");
        add_line(b, example->line);
        tch_buf_adds(b, ".EE\n.RE\n");
    }
}

static void add_exits(struct tch_buf *b, const struct cmd *cmd)
{
    for (int status = 0; status <= EXIT_SIGINT; status++) {
        const char *meaning = cli_exit_meaning(cmd, status);
        char number[16];

        if (!meaning)
            continue;
        snprintf(number, sizeof number, "%d", status);
        add_item(b, number, meaning);
    }
}

static void add_sub_section(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    add_macro(b, "SS", path, strlen(path));
    add_usage(b, cmd->usage);
    tch_buf_adds(b, ".PP\n");
    add_paragraphs(b, cmd->about ? cmd->about : cmd->summary);
    add_operands(b, cmd);
    add_opts(b, cmd);
    tch_buf_adds(b, ".PP\nExit status:\n");
    add_exits(b, cmd);
    if (cmd->examples) {
        tch_buf_adds(b, ".PP\n");
        add_examples(b, cmd);
    }
}

static void add_commands(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    bool is_root = !strchr(path, ' ');

    tch_buf_adds(b, ".SH COMMANDS\n");
    for (size_t i = 0; cmd->subs[i]; i++) {
        const struct cmd *sub = cmd->subs[i];
        char name[PATH_MAX_TEXT];

        snprintf(name, sizeof name, "%s %s", path, sub->name);
        if (is_root)
            add_item(b, name, sub->summary);
        else
            add_sub_section(b, sub, name);
    }
}

/* The variables that every command reads. */
static const struct man_item common_variables[] = {
    {"NO_COLOR", "If set and not empty, turns off colours unless --color=always is given."},
    {"TERM", "If unset or dumb, turns off colours."},
    {"COLUMNS", "Width of tables in columns, instead of the terminal's."},
    {"LC_ALL, LC_CTYPE, LANG", "Decide whether the output may use UTF-8; otherwise it is ASCII."},
    {NULL, NULL},
};

static void add_man_items(struct tch_buf *b, const struct man_item *items)
{
    for (; items && items->name; items++)
        add_item(b, items->name, items->help);
}

void cli_add_man(struct tch_buf *b, const struct cmd *cmd, const char *path)
{
    tch_buf_adds(b, ".TH ");
    add_page_name(b, path, true);
    tch_buf_addf(b, " 1 \"%s\" \"tacho %s\" \"tacho manual\"\n.SH NAME\n", TACHO_DATE,
                 TACHO_VERSION);
    add_page_name(b, path, false);
    tch_buf_adds(b, " \\- ");
    add_line(b, cmd->summary);
    tch_buf_adds(b, ".SH SYNOPSIS\n");
    add_usage(b, cmd->usage);
    tch_buf_adds(b, ".SH DESCRIPTION\n");
    add_paragraphs(b, cmd->about ? cmd->about : cmd->summary);
    if (cmd->subs)
        add_commands(b, cmd, path);
    if (cmd->args && cmd->args->name) {
        tch_buf_adds(b, ".SH ARGUMENTS\n");
        add_operands(b, cmd);
    }
    tch_buf_adds(b, ".SH OPTIONS\n");
    add_opts(b, cmd);
    if (cmd->run || cmd->exits) {
        tch_buf_adds(b, ".SH EXIT STATUS\n");
        add_exits(b, cmd);
    }
    tch_buf_adds(b, ".SH ENVIRONMENT\n");
    add_man_items(b, cmd->variables);
    add_man_items(b, common_variables);
    if (cmd->files) {
        tch_buf_adds(b, ".SH FILES\n");
        add_man_items(b, cmd->files);
    }
    if (cmd->examples) {
        tch_buf_adds(b, ".SH EXAMPLES\n");
        add_examples(b, cmd);
    }
    add_see_also(b, cmd, path);
}
