/* Makes a contender of a JSON parser. */
#include "json_lines.h"

#include <stdlib.h>
#include <string.h>

struct parsing {
    const struct json_peer *parser;
    void *state;
};

static void *open_parser(void *work, void *arg)
{
    struct parsing *p = calloc(1, sizeof *p);

    (void)work;
    if (!p)
        return NULL;
    p->parser = arg;
    p->state = p->parser->open();
    if (p->state)
        return p;
    free(p);
    return NULL;
}

static int parse_lines(void *work, void *state)
{
    const struct json_input *in = work;
    const struct parsing *p = state;
    const char *end = in->text + in->len;
    const char *line = in->text;
    size_t lines = 0;

    for (; line < end; lines++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));

        if (!p->parser->parse(p->state, line, (size_t)(stop - line)))
            return -1;
        line = stop + 1;
    }
    return lines == in->lines ? 0 : -1;
}

static void close_parser(void *state)
{
    struct parsing *p = state;

    p->parser->close(p->state);
    free(p);
}

struct bench_contender json_contender(enum bench_role role, const struct json_peer *parser)
{
    return (struct bench_contender){
        .name = parser->name,
        .role = role,
        .missing = parser->missing,
        .arg = (void *)parser,
        .setup = open_parser,
        .run = parser->open ? parse_lines : NULL,
        .teardown = close_parser,
    };
}
