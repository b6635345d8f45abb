/* tacho fingerprint json: hashes any JSON document. */
#include <stdlib.h>

#include <tacho/fingerprint.h>

#include "cli/core/opt.h"
#include "cmd_fingerprint_parts.h"

static int run_json(struct args *args)
{
    struct tch_buf b;
    char *json = NULL;
    size_t len;
    tacho_error err;
    int status = cli_fingerprint_read(args->operands[0], &b);

    if (status != EXIT_OK)
        return status;
    if (tacho_json_canonical(b.data, b.len, &json, &len, &err) < 0) {
        cli_complain(&err, "cannot take a fingerprint of '%s'", args->operands[0]);
        status = EXIT_WORK;
    } else {
        status = cli_fingerprint_put_document(args, "json", json, len);
    }
    free(json);
    tch_buf_release(&b);
    return status;
}

const struct cmd cmd_fingerprint_json = {
    .name = "json",
    .summary = "hash any JSON document",
    .usage = "tacho fingerprint json [--json] FILE",
    .about =
        "Prints the SHA-256 of the document in a compact form: without blanks between values, keys "
        "in the order of the file, numbers in their shortest form. A number that a double cannot "
        "hold keeps its text. A key that occurs twice in an object is an error.",
    .args = cli_fingerprint_file_arg,
    .json = true,
    .run = run_json,
};
