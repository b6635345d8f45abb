/* Reads the result of a capture, as <tacho/flame.h> declares it. */
#include "capture_result.h"

#include <stdlib.h>
#include <string.h>

void tch_flame_release(struct tacho_flame *flame)
{
    free(flame->svg_path);
    free(flame->previous_path);
    free(flame->warnings);
    for (int i = 0; i < TCH_EXTRAS; i++)
        free(flame->extra_paths[i]);
    for (size_t i = 0; i < flame->hottest_count; i++)
        free(flame->hottest[i].name);
}

void tacho_flame_free(tacho_flame *flame)
{
    if (!flame)
        return;
    tch_flame_release(flame);
    free(flame);
}

const char *tacho_flame_svg_path(const tacho_flame *flame)
{
    return flame->svg_path;
}

const char *tacho_flame_folded_path(const tacho_flame *flame)
{
    return flame->extra_paths[TCH_EXTRA_FOLDED];
}

const char *tacho_flame_pprof_path(const tacho_flame *flame)
{
    return flame->extra_paths[TCH_EXTRA_PPROF];
}

const char *tacho_flame_speedscope_path(const tacho_flame *flame)
{
    return flame->extra_paths[TCH_EXTRA_SPEEDSCOPE];
}

const char *tacho_flame_previous_path(const tacho_flame *flame)
{
    return flame->previous_path;
}

size_t tacho_flame_hottest_count(const tacho_flame *flame)
{
    return flame->hottest_count;
}

const char *tacho_flame_hottest_name(const tacho_flame *flame, size_t index)
{
    return flame->hottest[index].name;
}

double tacho_flame_hottest_self(const tacho_flame *flame, size_t index)
{
    return flame->hottest[index].self;
}

double tacho_flame_hottest_total(const tacho_flame *flame, size_t index)
{
    return flame->hottest[index].total;
}

bool tacho_flame_hottest_is_kernel(const tacho_flame *flame, size_t index)
{
    return flame->hottest[index].kernel;
}

const char *tacho_flame_profiler_used(const tacho_flame *flame)
{
    return flame->profiler;
}

const char *tacho_flame_event(const tacho_flame *flame)
{
    return flame->event;
}

uint64_t tacho_flame_duration_ns(const tacho_flame *flame)
{
    return flame->duration_ns;
}

uint64_t tacho_flame_after_ns(const tacho_flame *flame)
{
    return flame->after_ns;
}

uint64_t tacho_flame_samples(const tacho_flame *flame)
{
    return flame->samples;
}

uint64_t tacho_flame_lost(const tacho_flame *flame)
{
    return flame->lost;
}

uint64_t tacho_flame_truncated(const tacho_flame *flame)
{
    return flame->truncated;
}

bool tacho_flame_has_kernel(const tacho_flame *flame)
{
    return flame->kernel;
}

const char *tacho_flame_notice(const tacho_flame *flame)
{
    return flame->notice[0] ? flame->notice : NULL;
}

const char *tacho_flame_warning(const tacho_flame *flame, size_t index)
{
    const char *at = flame->warnings;

    while (*at && index-- > 0)
        at += strlen(at) + 1;
    return *at ? at : NULL;
}

int tacho_flame_wait_status(const tacho_flame *flame)
{
    return flame->wait_status;
}

const char *const *tacho_flame_profilers(void)
{
    static const char *const names[] = {"native", "perf",   "perf-inferno",   "preload",
                                        "ptrace", "dtrace", "dtrace-inferno", "cargo-flamegraph",
                                        NULL};

    return names;
}
