/* Lists the output formats, and implements the two that need a layout: svg and frames. */
#include "profile_formats.h"

#include <math.h>
#include <strings.h>

int tch_profile_layout(const struct tch_profile *profile, const struct tch_format_options *options,
                       size_t most, struct tch_layout *ret, tacho_error *err)
{
    double total = (double)tch_stacks_total(profile->stacks);
    double before = tch_stacks_total_before(profile->stacks);
    double least = ceil((total > before ? total : before) * options->least_percent / 100.0);
    int status = tch_layout_make(profile->stacks, least < 1 ? 1 : (uint64_t)least, ret, err);

    return status < 0 ? status : tch_layout_limit(ret, most, err);
}

static int write_svg(const struct tch_profile *profile, const struct tch_format_options *options,
                     struct tch_sink *sink)
{
    struct tch_layout layout = {0};
    int status = tch_profile_layout(profile, options, TCH_SVG_FRAMES, &layout, sink->err);

    if (status == 0)
        status = tch_svg_write(profile->stacks, &layout, &options->svg, sink);
    tch_layout_release(&layout);
    return status;
}

static int write_frames(const struct tch_profile *profile, const struct tch_format_options *options,
                        struct tch_sink *sink)
{
    struct tch_layout layout = {0};
    int status = tch_profile_layout(profile, options, SIZE_MAX, &layout, sink->err);

    if (status == 0)
        tch_frames_write(profile->stacks, &layout, options->svg.count_name, sink);
    tch_layout_release(&layout);
    return status;
}

#define EXTENSIONS(...)   \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

const struct tch_format tch_formats[] = {
    {"changes", EXTENSIONS(".changes"), .is_for_people = true, .write = tch_write_changes},
    {"chrome", EXTENSIONS(".trace.json"), .in_time = true, .write = tch_write_chrome},
    {"folded", EXTENSIONS(".folded", ".collapsed", ".txt"), .write = tch_write_folded},
    {"frames", EXTENSIONS(".tsv"), .write = write_frames},
    {"pprof", EXTENSIONS(".pb.gz", ".pprof"), .write = tch_write_pprof},
    {"speedscope", EXTENSIONS(".json"), .in_time = true, .write = tch_write_speedscope},
    {"svg", EXTENSIONS(".svg"), .write = write_svg},
    {"tree", EXTENSIONS(".tree"), .is_for_people = true, .write = tch_write_tree},
    {.name = NULL},
};

const struct tch_format *tch_format_by_name(const char *name)
{
    for (const struct tch_format *f = tch_formats; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

static bool has_extension(const char *path, const char *extension)
{
    size_t len = strlen(path);
    size_t n = strlen(extension);

    return len > n && strcasecmp(path + len - n, extension) == 0;
}

const struct tch_format *tch_format_by_path(const char *path)
{
    /* The table has ".trace.json" before ".json". */
    for (const struct tch_format *f = tch_formats; f->name; f++)
        for (const char *const *e = f->extensions; *e; e++)
            if (has_extension(path, *e))
                return f;
    return NULL;
}
