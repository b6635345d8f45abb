/* Help on the terminal, generated from the tables of the commands. */
#include "help.h"

#include "opt.h"
#include "table.h"
#include "text.h"

enum { INDENT = 2, OPT_MAX = 1024 };

static const struct column pair[] = {{.fit = FIT_WHOLE}, {.fit = FIT_WRAP}};

/* The state that all parts of a help page share. Help is prose, so it is narrower than a wide
   terminal. */
struct page {
    struct tch_buf *b;
    struct term term;
    const struct cmd *cmd;
    const char *path;
};

const char *cli_exit_meaning(const struct cmd *cmd, int status)
{
    for (const struct exit_note *own = cmd->exits; own && own->help; own++)
        if (own->status == status)
            return own->help;
    switch (status) {
    case EXIT_OK:
        return "success";
    case EXIT_WORK:
        return "the command could not do its work";
    case EXIT_USAGE:
        return "wrong usage";
    default:
        return NULL;
    }
}

void cli_add_opt_name(struct tch_buf *b, const struct opt *opt)
{
    if (opt->letter)
        tch_buf_addf(b, "-%c, ", opt->letter);
    tch_buf_addf(b, "--%s", opt->name);
    if (opt->arg)
        tch_buf_addf(b, " %s", opt->arg);
}

static bool names_all(const char *text, const char *const *choices)
{
    for (; *choices; choices++)
        if (!strstr(text, *choices))
            return false;
    return true;
}

void cli_add_opt_help(struct tch_buf *b, const struct opt *opt)
{
    tch_buf_adds(b, opt->help);
    if (opt->choices && !names_all(opt->help, opt->choices)) {
        tch_buf_adds(b, " (");
        cli_add_choices(b, opt->choices);
        tch_buf_addc(b, ')');
    }
}

static void begin_list(struct page *page, struct table *t, const char *title)
{
    tch_buf_addc(page->b, '\n');
    cli_add_painted(page->b, &page->term, BOLD, title);
    tch_buf_addc(page->b, '\n');
    cli_table_init(t, &page->term, pair, 2);
    t->indent = INDENT;
}

static void end_list(struct page *page, struct table *t)
{
    cli_table_print(t, page->b);
    cli_table_release(t);
}

static void add_usage(struct page *page)
{
    const char *line = page->cmd->usage;

    cli_add_painted(page->b, &page->term, BOLD, "Usage:");
    while (*line) {
        size_t len = strcspn(line, "\n");

        tch_buf_adds(page->b, line == page->cmd->usage ? " " : "       ");
        tch_buf_add(page->b, line, len);
        tch_buf_addc(page->b, '\n');
        line += len + (line[len] == '\n');
    }
}

static void add_subs(struct page *page)
{
    struct table t;

    if (!page->cmd->subs)
        return;
    begin_list(page, &t, "Commands:");
    for (size_t i = 0; page->cmd->subs[i]; i++) {
        cli_table_add(&t, CYAN, page->cmd->subs[i]->name);
        cli_table_add(&t, PLAIN, page->cmd->subs[i]->summary);
    }
    end_list(page, &t);
}

static void add_args(struct page *page)
{
    const struct arg *arg = page->cmd->args;
    struct table t;

    if (!arg || !arg->name)
        return;
    begin_list(page, &t, "Arguments:");
    for (; arg->name; arg++) {
        cli_table_add(&t, CYAN, arg->name);
        cli_table_add(&t, PLAIN, arg->help);
    }
    end_list(page, &t);
}

static void add_opts(struct page *page)
{
    struct opt_walk w = {.cmd = page->cmd};
    const struct opt *opt;
    struct table t;

    begin_list(page, &t, "Options:");
    while ((opt = cli_walk_opts(&w))) {
        struct tch_buf *name = cli_table_cell(&t, CYAN);

        if (!opt->letter)
            cli_add_blanks(name, strlen("-q, "));
        cli_add_opt_name(name, opt);
        cli_add_opt_help(cli_table_cell(&t, PLAIN), opt);
    }
    end_list(page, &t);
}

static void add_examples(struct page *page)
{
    const struct example *example = page->cmd->examples;

    if (!example)
        return;
    tch_buf_addc(page->b, '\n');
    cli_add_painted(page->b, &page->term, BOLD, "Examples:");
    tch_buf_addc(page->b, '\n');
    for (; example->line; example++) {
        cli_add_blanks(page->b, INDENT);
        cli_add_painted(page->b, &page->term, CYAN, example->line);
        tch_buf_addc(page->b, '\n');
        cli_add_wrapped(page->b, example->what, 3 * INDENT, page->term.width);
    }
}

static void add_exits(struct page *page)
{
    struct table t;

    if (!page->cmd->run && !page->cmd->exits)
        return;
    begin_list(page, &t, "Exit status:");
    for (int status = 0; status <= EXIT_SIGINT; status++) {
        const char *meaning = cli_exit_meaning(page->cmd, status);

        if (meaning) {
            cli_table_addf(&t, CYAN, "%d", status);
            cli_table_add(&t, PLAIN, meaning);
        }
    }
    end_list(page, &t);
}

static struct page new_page(struct tch_buf *b, const struct term *term, const struct cmd *cmd,
                            const char *path)
{
    struct page page = {.b = b, .term = *term, .cmd = cmd, .path = path};

    page.term.width = cli_term_text_width(term);
    return page;
}

static void add_title(struct page *page)
{
    cli_add_painted(page->b, &page->term, BOLD, page->path);
    tch_buf_addf(page->b, " - %s\n\n", page->cmd->summary);
}

void cli_add_help(struct tch_buf *b, const struct term *term, const struct cmd *cmd,
                  const char *path)
{
    struct page page = new_page(b, term, cmd, path);

    add_title(&page);
    add_usage(&page);
    if (cmd->about) {
        tch_buf_addc(b, '\n');
        cli_add_wrapped(b, cmd->about, 0, page.term.width);
    }
    add_subs(&page);
    add_args(&page);
    add_opts(&page);
    add_examples(&page);
    add_exits(&page);
    if (cmd->subs)
        tch_buf_addf(b, "\nSee '%s COMMAND --help' for the details of a command.\n", path);
}

void cli_add_short_help(struct tch_buf *b, const struct term *term, const struct cmd *cmd,
                        const char *path)
{
    struct page page = new_page(b, term, cmd, path);

    add_title(&page);
    add_usage(&page);
    add_subs(&page);
    tch_buf_addf(b, "\nSee '%s --help' for details.\n", path);
}
