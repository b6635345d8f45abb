/* Reads a file of JSON lines. */
#include "json_lines.h"

#include "base/fail.h"

struct lines {
    void (*document)(struct tch_import_input *in, const struct tch_json_node *root, void *ctx);
    void *ctx;
    struct tch_json_tree tree;
};

static void read_line(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    struct lines *l = ctx;
    struct tch_span text = tch_span_trim(line);
    tacho_error why = {0};
    int status;

    if (text.len == 0 || text.p[0] != '{')
        return;
    status = tch_json_tree_parse(&l->tree, text.p, text.len, NULL, &why);
    if (status == TACHO_ENOMEM)
        in->status = TACHO_ENOMEM;
    else if (status < 0)
        tch_import_problem(in, text.p, "this line is not valid JSON: %.200s", why.message);
    else
        l->document(in, l->tree.nodes, l->ctx);
}

void tch_import_json_lines(struct tch_import_input *in,
                           void (*document)(struct tch_import_input *in,
                                            const struct tch_json_node *root, void *ctx),
                           void *ctx)
{
    struct lines l = {.document = document, .ctx = ctx};

    tch_import_lines(in, read_line, &l);
    tch_json_tree_release(&l.tree);
}
