/*
 * The page of `tacho compare --html`: verdicts, distributions of both sides, what moved in the
 * flamegraph.
 */
#ifndef TCH_VERDICT_HTML_H
#define TCH_VERDICT_HTML_H

#include "kit/judge/findings.h"
#include "report.h"

/** runs may be none (count 0): then there is no flamegraph. */
int tch_verdict_html(struct tch_buf *b, const struct tch_findings *f,
                     const struct tch_report_run *runs, size_t count, tacho_error *err);

#endif
