/* Draws figs/savings.svg: how much of the KV cache eps saves, and how much the cut saves. */
#include "results.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 640, TOP = 60, ROW = 26, BAR = 16, LEFT = 150, SCALE = 380 };

/* Adds a bar that starts at the share `from`. */
static void add_bar(FILE *file, int y, double from, double share, const char *colour)
{
    if (share > 0)
        fprintf(file, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
                LEFT + from * SCALE, y, share * SCALE, BAR, colour);
}

static void add_text(FILE *file, double x, int y, const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%d\">", x, y);
    for (; *text; text++)
        fputc(strchr("<>&", *text) ? '?' : *text, file);
    fputs("</text>\n", file);
}

int results_figure(const struct results *r, const char *path)
{
    static const char eps_colour[] = "#9bb8ea";
    static const char cut_colour[] = "#c4581f";
    int height = TOP + ROW * (r->count - r->first) + 10;
    FILE *file = fopen(path, "we");

    if (!file)
        return results_complain(path, strerror(errno));
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n",
            WIDTH, height);
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n", file);
    add_text(file, 12, 20, "KV cache saved, share of the columns");
    add_bar(file, 32, 0, 0.04, eps_colour);
    add_text(file, LEFT + 22, 45, "by eps alone (lambda 0)");
    add_bar(file, 32, 0.5, 0.04, cut_colour);
    add_text(file, LEFT + 0.5 * SCALE + 22, 45, "more, by the cut");
    for (int i = r->first; i < r->count; i++) {
        const struct setting *s = &r->of[i];
        int y = TOP + ROW * (i - r->first);
        char text[64];

        add_text(file, 12, y + 13, s->name);
        add_bar(file, y, 0, s->eps->kv_cache, eps_colour);
        add_bar(file, y, s->eps->kv_cache, results_by_cut(s), cut_colour);
        snprintf(text, sizeof text, "%.1f %% and %.1f %%", 100 * s->eps->kv_cache,
                 100 * results_by_cut(s));
        add_text(file, LEFT + 8 + s->kv_cache * SCALE, y + 13, text);
    }
    fputs("</svg>\n", file);
    if (ferror(file) | fclose(file))
        return results_complain(path, strerror(errno));
    return 0;
}
