/*
 * Shared by the files of `tacho baseline`: folder and machine class of the baselines.
 */
#ifndef CLI_CMD_BASELINE_PARTS_H
#define CLI_CMD_BASELINE_PARTS_H

#include "cmd_gate_parts.h"

extern const struct cmd cmd_baseline_list;
extern const struct cmd cmd_baseline_save;
extern const struct cmd cmd_baseline_show;

enum { BASELINE_OUT_MAX = 64 << 20 };

/** Folder and machine class. */
struct place {
    char dir[PATH_MAX];    /**< folder of the baselines */
    const char *given_dir; /**< value of --dir, or NULL */
    const char *config;    /**< value of --config, or NULL */
    char *own_class;       /**< class of this machine; owned */
    const char *class;     /**< class asked for */
    struct gate_options *options;
};

/** The options of all sub-commands except save. */
extern const struct opt cli_baseline_place_opts[];

/**
 * Parses these options. Returns EXIT_OK, or another status after a complaint. Call
 * cli_baseline_place_release() in any case.
 */
int cli_baseline_place_parse(struct place *p, struct args *args);
void cli_baseline_place_release(struct place *p);

/** Complains that the baseline of a bench cannot be read. A file that is not a baseline gets the
    command that replaces it. */
void cli_baseline_complain(const struct place *p, const char *path, const char *bench,
                           const char *machine_class, const tacho_error *err);

/** Parses these options, reads the baseline of the bench that the first operand names, and calls
    the function with it, under the lock of its folder if it `changes` the baseline. Returns the
    status of the function, or another one after a complaint. */
int cli_with_baseline(struct args *args, bool changes,
                      int (*act)(struct tch_baseline *b, const char *path,
                                 const struct args *args));

/** Reads tacho.yaml if there is one, and sets the folder of its baselines. Returns EXIT_OK or
    EXIT_WORK. */
int cli_baseline_find_folder(struct gate_options *o, char dir[PATH_MAX]);

#endif
