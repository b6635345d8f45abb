/*
 * What the files of `tacho baseline` share: where baselines are, and of which class of machines.
 */
#ifndef CLI_CMD_BASELINE_PARTS_H
#define CLI_CMD_BASELINE_PARTS_H

#include "cmd_gate_parts.h"

extern const struct cmd cmd_baseline_list;
extern const struct cmd cmd_baseline_save;
extern const struct cmd cmd_baseline_show;

enum { BASELINE_OUT_MAX = 64 << 20 };

/** Where, and of what. */
struct place {
    char dir[PATH_MAX];    /**< of the baselines */
    const char *given_dir; /**< by --dir; or NULL */
    const char *config;    /**< by --config; or NULL */
    char *own_class;       /**< of this machine; owned */
    const char *class;     /**< the one asked for */
    struct gate_options *options;
};

/** The options of all sub-commands but save. */
extern const struct opt cli_baseline_place_opts[];

/** Takes these options. EXIT_OK, or another status after a complaint; cli_baseline_place_release()
 * in any case.
 */
int cli_baseline_place_parse(struct place *p, struct args *args);
void cli_baseline_place_release(struct place *p);

/** Takes these options, reads the baseline of the bench that the first operand names, and does
    something with it, under the lock of its folder when it `changes` it. Its status, or another one
    after a complaint. */
int cli_with_baseline(struct args *args, bool changes,
                      int (*act)(struct tch_baseline *b, const char *path,
                                 const struct args *args));

/** Reads tacho.yaml where there is one, and says where its baselines are. EXIT_OK or EXIT_WORK. */
int cli_baseline_find_folder(struct gate_options *o, char dir[PATH_MAX]);

#endif
