/* The options that the sub-commands of `tacho flame` share. */
#include <stdlib.h>

#include "base/number.h"
#include "cmd_flame_parts.h"

const char *const cli_flame_threads[] = {"merge", "split", NULL};

void cli_flame_init(struct flame *f, struct args *args, const struct tch_format *format)
{
    *f = (struct flame){.args = args, .format = format, .write.least_percent = -1};
}

void cli_flame_release(struct flame *f)
{
    tch_stacks_release(&f->stacks);
    tch_timeline_release(&f->timeline);
    free(f->previous);
}

int cli_flame_take_percent(void *into, const struct args *args, const struct opt *opt)
{
    struct flame *f = into;
    double value;

    (void)opt;
    if (tch_parse_f64(args->value, &value) < 0 || value < 0 || value > 100)
        return cli_wrong_usage(args, "'%s' is not a share of 0 to 100 percent", args->value);
    f->write.least_percent = value;
    return EXIT_OK;
}

int cli_flame_take_all_marks(void *into, const struct args *args, const struct opt *opt)
{
    struct flame *f = into;

    (void)args;
    (void)opt;
    f->read.mark_kernel = f->read.mark_jit = f->read.mark_inlined = true;
    return EXIT_OK;
}

int cli_flame_take_threads(void *into, const struct args *args, const struct opt *opt)
{
    struct flame *f = into;

    (void)opt;
    f->split = cli_choice_index(cli_flame_threads, args->value) == 1;
    f->read.tid = f->split;
    f->read.merge_threads = !f->split;
    return EXIT_OK;
}

int cli_flame_take_format(void *into, const struct args *args, const struct opt *opt)
{
    struct flame *f = into;

    (void)opt;
    f->format = tch_format_by_name(args->value);
    f->chosen = true;
    return EXIT_OK;
}

int cli_flame_take_label(void *into, const struct args *args, const struct opt *opt)
{
    struct flame *f = into;

    (void)opt;
    f->label = f->write.svg.label = args->value;
    return EXIT_OK;
}
