/*
 * The `sweep:` section of a tacho.yaml.
 */
#ifndef CLI_SWEEP_FILE_H
#define CLI_SWEEP_FILE_H

#include "sweep_options.h"

/** Takes all that the section says, as if it had been typed. EXIT_OK, or what to end with after a
    complaint. */
int cli_sweep_file_read(struct sweep_options *o, struct args *args, const char *path);

#endif
