/* Sources without hardware: a fixed number of watts, and the replay of a power.csv. */
#include <inttypes.h>
#include <math.h>

#include <tacho/csv.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/number.h"
#include "power_meter.h"

static int fixed_read(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    (void)err;
    ret->watts = *(double *)ctx;
    return 0;
}

static int fixed_open(const char *where, tacho_power_source *ret, tacho_error *err)
{
    double watts;
    double *ctx;

    if (tch_parse_f64(where, &watts) < 0 || !(watts >= 0) || isinf(watts))
        return tch_fail(err, TACHO_EINVAL, 0, "'%s' is not a number of watts, as in fixed:100",
                        where);
    ctx = malloc(sizeof *ctx);
    if (!ctx)
        return tch_fail_memory(err);
    *ctx = watts;
    tch_power_add_domain(ret, "given");
    ret->ctx = ctx;
    ret->read = fixed_read;
    ret->close = free;
    return 0;
}

const struct tch_power_kind tch_power_fixed = {.name = "fixed", .what = "", .open = fixed_open};

enum { REPLAY_LIMIT = 1024 * 1024 * 1024 };

struct replay {
    size_t next;
    uint64_t shift_us; /* added to all times: 1 if the first is 0, which means "now" in a reading */
    struct tch_buf rows; /* an array of tacho_power_sample */
};

static void replay_close(void *ctx)
{
    struct replay *r = ctx;

    if (r)
        tch_buf_release(&r->rows);
    free(r);
}

static int replay_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    struct replay *r = ctx;
    tacho_power_sample sample = {row->as.power.timestamp_us, row->as.power.watts};

    if (r->rows.len == 0 && sample.timestamp_us == 0)
        r->shift_us = 1;
    tch_buf_add(&r->rows, &sample, sizeof sample);
    return r->rows.failed ? tch_fail_memory(err) : 0;
}

static int replay_read(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    struct replay *r = ctx;
    const tacho_power_sample *samples = (const tacho_power_sample *)(const void *)r->rows.data;

    if (r->next >= r->rows.len / sizeof *samples)
        return tch_fail(err, TACHO_EIO, 0, "the replay has ended");
    ret->watts = samples[r->next].watts;
    ret->timestamp_us = samples[r->next].timestamp_us + r->shift_us;
    r->next++;
    return 0;
}

static int replay_open(const char *where, tacho_power_source *ret, tacho_error *err)
{
    struct replay *r = calloc(1, sizeof *r);
    tacho_error why = {0};
    int status;

    if (!r)
        return tch_fail_memory(err);
    tch_buf_init(&r->rows, REPLAY_LIMIT);
    status = tacho_csv_read(where, TACHO_CSV_POWER, replay_row, r, &why);
    if (status != 0) {
        replay_close(r);
        if (status == TACHO_EPARSE)
            return tch_fail(err, status, why.line, "'%.100s', line %" PRIu64 ": %.120s", where,
                            why.line, why.message);
        if (err)
            *err = why;
        return status;
    }
    tch_power_add_domain(ret, "recorded");
    ret->ctx = r;
    ret->read = replay_read;
    ret->close = replay_close;
    return 0;
}

const struct tch_power_kind tch_power_replay = {.name = "replay", .what = "", .open = replay_open};
