/* go test -json: the text of `go test -bench` in pieces. */
#include <string.h>

#include "go_lines.h"
#include "json_lines.h"

static bool is_test2json(const struct tch_import_input *in)
{
    return tch_json_tree_get(in->root, "Action") &&
           (tch_json_tree_get(in->root, "Package") || tch_json_tree_get(in->root, "ImportPath"));
}

/* The piece of a line that has no end yet. */
struct pieces {
    struct tch_buf line;
    struct tch_go_state state;
};

static void add_piece(struct tch_import_input *in, const struct tch_json_node *e, void *ctx)
{
    struct pieces *p = ctx;
    char *lf;

    if (!tch_json_tree_text_is(tch_json_tree_get(e, "Action"), "output"))
        return;
    tch_json_tree_add(&p->line, tch_json_tree_get(e, "Output"));
    if (p->line.failed)
        tch_buf_clear(&p->line);
    lf = memchr(p->line.data, '\n', p->line.len);
    if (!lf)
        return;
    tch_go_line(in, (struct tch_span){p->line.data, (size_t)(lf - p->line.data)}, &p->state);
    tch_buf_clear(&p->line);
}

static void read_test2json(struct tch_import_input *in)
{
    struct pieces p = {0};

    tch_buf_init(&p.line, 1 << 16);
    tch_import_json_lines(in, add_piece, &p);
    tch_buf_release(&p.line);
}

const struct tch_import_reader tch_import_test2json = {
    .format = {.name = "go-test2json",
               .tool = "go test",
               .is = "JSON lines with Action, Package and Output",
               .repetition = TCH_IN_PROCESS},
    .is = is_test2json,
    .read = read_test2json,
};
