/*
 * Lines of the Go benchmark format, which `go test -bench` prints and `go test -json` wraps.
 */
#ifndef TCH_GO_LINES_H
#define TCH_GO_LINES_H

#include "import_read.h"

enum { TCH_GO_UNITS = 32, TCH_GO_UNIT_TEXT = 40 };

/** State of the lines before. All zero at the beginning of a file. */
struct tch_go_state {
    char package[512];
    struct {
        char name[TCH_GO_UNIT_TEXT];
        enum tch_better better;
        bool exact;
    } units[TCH_GO_UNITS]; /**< of lines such as "Unit x better=higher assume=exact" */
    size_t unit_count;
};

/** Returns whether a line is a result: a name, a whole number, and pairs of a value and a unit. */
bool tch_go_is_result(struct tch_span line);

/** Reads a line: a result, a package, a CPU or a unit. Ignores every other. */
void tch_go_line(struct tch_import_input *in, struct tch_span line, struct tch_go_state *state);

#endif
