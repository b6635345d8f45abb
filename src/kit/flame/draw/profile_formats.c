/* Lists the output formats, and implements the two that need a layout: svg and frames. */
#include "profile_formats.h"

#include <math.h>
#include <strings.h>

#include "flame_detail.h"

/* Returns the samples that are this part of the larger profile, at least 1. */
static uint64_t samples_of(const struct tch_profile *profile, double share)
{
    double total = (double)tch_stacks_total(profile->stacks);
    double before = tch_stacks_total_before(profile->stacks);
    double samples = ceil(fmax(total, before) * share);

    return samples < 1 ? 1 : (uint64_t)samples;
}

int tch_profile_layout(const struct tch_profile *profile, const struct tch_format_options *options,
                       size_t most, struct tch_layout *ret, tacho_error *err)
{
    uint64_t least = samples_of(profile, options->least_percent / 100);
    int status = tch_layout_make(profile->stacks, least, ret, err);

    return status < 0 ? status : tch_layout_limit(ret, most, err);
}

/* Draws the wide frames, and hands over the narrower ones for the script. */
static int write_svg(const struct tch_profile *profile, const struct tch_format_options *options,
                     struct tch_sink *sink)
{
    uint64_t least = samples_of(profile, options->least_percent / 100);
    uint64_t least_packed = samples_of(profile, TCH_DETAIL_SHARE);
    struct tch_layout all = {0};
    struct tch_layout layout = {0};
    int status = tch_layout_make(profile->stacks, least < least_packed ? least : least_packed, &all,
                                 sink->err);

    if (status == 0)
        status = tch_layout_wider(&all, least, TCH_SVG_FRAMES, &layout, sink->err);
    if (status == 0)
        status = tch_layout_limit(&all, TCH_SVG_FRAMES + TCH_DETAIL_FRAMES, sink->err);
    if (status == 0)
        status = tch_svg_write(profile->stacks, &layout, &all, &options->svg, sink);
    tch_layout_release(&layout);
    tch_layout_release(&all);
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
