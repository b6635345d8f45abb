/* The options that the sub-commands of `tacho flame` share. */
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
}

static int take_percent(struct flame *f)
{
    double value;

    if (tch_parse_f64(f->args->value, &value) < 0 || value < 0 || value > 100)
        return cli_wrong_usage(f->args, "'%s' is not a share of 0 to 100 percent", f->args->value);
    f->write.least_percent = value;
    return EXIT_OK;
}

static int take_width(struct flame *f)
{
    enum { LEAST = 320, MOST = 100000 };
    uint64_t value;

    if (tch_parse_u64(f->args->value, MOST, &value) < 0 || value < LEAST)
        return cli_wrong_usage(f->args, "'%s' is not a width of %d to %d pixels", f->args->value,
                               LEAST, MOST);
    f->write.svg.width = (unsigned)value;
    return EXIT_OK;
}

static void take_marks(struct flame *f, int id)
{
    f->read.mark_kernel |= id == FLAME_KERNEL || id == FLAME_ALL;
    f->read.mark_jit |= id == FLAME_JIT || id == FLAME_ALL;
    f->read.mark_inlined |= id == FLAME_INLINE || id == FLAME_ALL;
}

static void take_threads(struct flame *f)
{
    f->split = cli_choice_index(cli_flame_threads, f->args->value) == 1;
    f->read.tid = f->split;
    f->read.merge_threads = !f->split;
}

/* How the input is read; false: not one of these. */
static bool take_read(struct flame *f, int id, const char *value)
{
    switch (id) {
    case FLAME_FROM:
        f->read.kind = (enum tch_read_kind)cli_choice_index(tch_read_kinds, value);
        return true;
    case FLAME_PID:
        return f->read.pid = true;
    case FLAME_TID:
        return f->read.tid = true;
    case FLAME_ADDRS:
        return f->read.addrs = true;
    case FLAME_KERNEL:
    case FLAME_JIT:
    case FLAME_INLINE:
    case FLAME_ALL:
        take_marks(f, id);
        return true;
    case FLAME_SRCLINE:
        return f->read.source = true;
    case FLAME_EVENT:
        f->read.event = value;
        return true;
    case FLAME_COLLAPSE:
        return f->read.collapse_recursion = true;
    case FLAME_REVERSE:
        return f->read.reverse = true;
    case FLAME_THREADS:
        take_threads(f);
        return true;
    default:
        return false;
    }
}

/* What the picture looks like. */
static void take_look(struct flame *f, int id, const char *value)
{
    struct tch_svg_options *svg = &f->write.svg;

    switch (id) {
    case FLAME_INVERTED:
        svg->inverted = true;
        break;
    case FLAME_TITLE:
        svg->title = value;
        break;
    case FLAME_SUBTITLE:
        svg->subtitle = value;
        break;
    case FLAME_NOTES:
        svg->notes = value;
        break;
    case FLAME_COUNT_NAME:
        svg->count_name = value;
        break;
    case FLAME_PALETTE:
        svg->palette = (enum tch_palette)cli_choice_index(tch_palettes, value);
        break;
    case FLAME_THEME:
        svg->theme = (enum tch_theme)cli_choice_index(tch_themes, value);
        break;
    default:
        break;
    }
}

int cli_flame_take_opt(struct flame *f, const struct opt *opt)
{
    const char *value = f->args->value;

    switch (opt->id) {
    case FLAME_MIN_WIDTH:
        return take_percent(f);
    case FLAME_WIDTH:
        return take_width(f);
    case FLAME_OUTPUT:
        f->output = value;
        break;
    case FLAME_FORMAT:
        f->format = tch_format_by_name(value);
        f->chosen = true;
        break;
    case FLAME_LABEL:
        f->label = f->write.svg.label = value;
        break;
    case FLAME_OUT:
        f->folder = value;
        break;
    case FLAME_FORCE:
        f->force = true;
        break;
    default:
        if (!take_read(f, opt->id, value))
            take_look(f, opt->id, value);
        break;
    }
    return EXIT_OK;
}
