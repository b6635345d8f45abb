/*
 * What the gate tells: the terminal, files for CI, flamegraphs of what failed.
 */
#ifndef CLI_GATE_OUT_H
#define CLI_GATE_OUT_H

#include "cmd_gate_parts.h"

/** EXIT_OK, or EXIT_WORK after a complaint. */
int cli_gate_report(struct tch_gate *g, const struct gate_options *o, const struct args *args);

#endif
