/* A badge for a README: "performance | PASS". */
#include "verdict_formats.h"

enum { LABEL = 92, LETTER = 8, PAD = 12 };

static void write_badge(struct tch_buf *b, const struct tch_findings *f)
{
    static const char *const colors[] = {
        [TCH_NO_VERDICT] = "#6b7280", [TCH_PASS] = "#2a7f4f", [TCH_INCONCLUSIVE] = "#6b7280",
        [TCH_WARN] = "#9a6700",       [TCH_FAIL] = "#b3261e",
    };
    const char *judged = tch_findings_word(f);
    const char *word = judged ? judged : "not judged";
    const char *color =
        colors[f->problem_count > 0 && f->verdict != TCH_FAIL ? TCH_NO_VERDICT : f->verdict];
    int width = LETTER * (int)strlen(word) + PAD;

    tch_buf_addf(b,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"20\" "
                 "role=\"img\" aria-label=\"performance: %s\">\n<title>performance: %s</title>\n",
                 LABEL + width, word, word);
    tch_buf_addf(b,
                 "<clipPath id=\"r\"><rect width=\"%d\" height=\"20\" rx=\"4\"/></clipPath>\n"
                 "<g clip-path=\"url(#r)\"><rect width=\"%d\" height=\"20\" fill=\"#3b4350\"/>"
                 "<rect x=\"%d\" width=\"%d\" height=\"20\" fill=\"%s\"/></g>\n",
                 LABEL + width, LABEL, LABEL, width, color);
    tch_buf_addf(b,
                 "<g fill=\"#fff\" text-anchor=\"middle\" "
                 "font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">"
                 "<text x=\"%d\" y=\"14\">performance</text><text x=\"%d\" y=\"14\">%s</text></g>\n"
                 "</svg>\n",
                 LABEL / 2, LABEL + width / 2, word);
}

const struct tch_verdict_format tch_verdict_badge = {"badge", write_badge};
