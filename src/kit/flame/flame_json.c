/* Writes the documents tacho.flame.v1 and tacho.flame.capture.v1. */
#include "flame_json.h"

#include <math.h>
#include <sys/wait.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "kit/flame/draw/change_text.h"

void tch_flame_capture_json(struct tch_buf *b, const tacho_flame *flame)
{
    int status = tacho_flame_wait_status(flame);

    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.flame.capture.v1");
    tch_json_put_text(b, "svg_path", tacho_flame_svg_path(flame));
    tch_json_put_text(b, "folded_path", tacho_flame_folded_path(flame));
    tch_json_put_text(b, "pprof_path", tacho_flame_pprof_path(flame));
    tch_json_put_text(b, "speedscope_path", tacho_flame_speedscope_path(flame));
    tch_json_put_text(b, "previous_path", tacho_flame_previous_path(flame));
    tch_json_put_text(b, "profiler_used", tacho_flame_profiler_used(flame));
    tch_json_put_text(b, "notice", tacho_flame_notice(flame));
    tch_json_key(b, "warnings");
    tch_json_begin_array(b);
    for (size_t i = 0; tacho_flame_warning(flame, i); i++)
        tch_json_text(b, tacho_flame_warning(flame, i));
    tch_json_end_array(b);
    tch_json_put_text(b, "event", tacho_flame_event(flame));
    tch_json_put_bool(b, "kernel_frames", tacho_flame_has_kernel(flame));
    tch_json_put_u64(b, "duration_ms", tacho_flame_duration_ns(flame) / 1000000);
    tch_json_put_u64(b, "after_command_ms", tacho_flame_after_ns(flame) / 1000000);
    tch_json_put_u64(b, "samples", tacho_flame_samples(flame));
    tch_json_put_u64(b, "lost", tacho_flame_lost(flame));
    tch_json_put_u64(b, "truncated", tacho_flame_truncated(flame));
    tch_json_key(b, "hottest");
    tch_json_begin_array(b);
    for (size_t i = 0; i < tacho_flame_hottest_count(flame); i++) {
        tch_json_begin_object(b);
        tch_json_put_text(b, "function", tacho_flame_hottest_name(flame, i));
        tch_json_put_bool(b, "kernel", tacho_flame_hottest_is_kernel(flame, i));
        tch_json_put_f64(b, "self", tacho_flame_hottest_self(flame, i));
        tch_json_put_f64(b, "total", tacho_flame_hottest_total(flame, i));
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
    tch_json_key(b, "exit_status");
    if (status != -1 && WIFEXITED(status))
        tch_json_u64(b, (uint64_t)WEXITSTATUS(status));
    else
        tch_json_null(b);
    tch_json_key(b, "signal");
    if (status != -1 && WIFSIGNALED(status))
        tch_json_u64(b, (uint64_t)WTERMSIG(status));
    else
        tch_json_null(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
}

int tacho_flame_to_json(const tacho_flame *flame, char **ret, size_t *ret_len, tacho_error *err)
{
    enum { LIMIT = 16 << 20 };
    struct tch_buf b;
    size_t len;
    char *text;

    tch_buf_init(&b, LIMIT);
    tch_flame_capture_json(&b, flame);
    len = b.len;
    text = tch_buf_take(&b);
    if (!text) {
        tch_buf_release(&b);
        return tch_fail_memory(err);
    }
    text[--len] = '\0'; /* replaces the line feed */
    *ret = text;
    if (ret_len)
        *ret_len = len;
    return 0;
}

void tch_flame_written_json(struct tch_buf *b, const struct tch_flame_written *written)
{
    const struct tch_stacks *stacks = written->stacks;

    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.flame.v1");
    tch_json_put_text(b, "path", written->path);
    if (written->previous)
        tch_json_put_text(b, "previous_path", written->previous);
    tch_json_put_text(b, "format", written->format);
    tch_json_put_text(b, "input", written->input);
    tch_json_put_u64(b, "samples", written->samples);
    tch_json_put_text(b, "unit", written->unit);
    tch_json_put_u64(b, "weight", tch_stacks_total(stacks));
    if (stacks->before)
        tch_json_put_u64(b, "weight_before", (uint64_t)llround(tch_stacks_total_before(stacks)));
    tch_json_put_u64(b, "stacks", stacks->count);
    tch_json_put_u64(b, "names", stacks->names.count);
    if (written->changes)
        tch_changes_json(b, stacks, written->changes);
    tch_json_end_object(b);
    tch_json_line_end(b);
}
