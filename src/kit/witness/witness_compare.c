/* Compares entries pair by pair. */
#include "witness_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tacho/witness.h>

static bool same_f32(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void compare_pair(struct tch_witness_comparison *c, const tacho_witness_entry *a,
                         const tacho_witness_entry *b, tacho_witness_reader *const r[2])
{
    bool inputs = strcmp(a->q_hash, b->q_hash) != 0 || strcmp(a->k_hash, b->k_hash) != 0;
    bool settings =
        !same_f32(a->lambda, b->lambda) || a->tau != b->tau || !same_f32(a->eps, b->eps);
    bool masks =
        a->keep_count != b->keep_count || memcmp(a->keep_mask, b->keep_mask, a->keep_count) != 0;
    bool costs = !same_f32(a->cut_cost, b->cut_cost);

    c->compared++;
    c->inputs += inputs;
    c->settings += settings;
    c->masks += masks;
    c->costs += costs;
    for (int i = 0; i < 2 && (inputs || settings || masks || costs) && c->first_line[1] == 0; i++) {
        const char *log =
            tacho_witness_reader_segment(r[i]) > 0 ? tacho_witness_reader_log_name(r[i]) : "";

        c->first_line[i] = tacho_witness_reader_line(r[i]);
        snprintf(c->first_log[i], sizeof c->first_log[i], "%s", log);
    }
}

static int compare_all(tacho_witness_reader *r[2], struct tch_witness_comparison *c,
                       tacho_error *err)
{
    int more[2] = {1, 1};

    while (more[0] > 0 || more[1] > 0) {
        tacho_witness_entry entry[2];

        for (int i = 0; i < 2; i++) {
            if (more[i] > 0)
                more[i] = tacho_witness_next(r[i], &entry[i], err);
            if (more[i] < 0) {
                c->bad = i;
                return more[i];
            }
            c->entries[i] = tacho_witness_reader_entry_count(r[i]);
            c->closed[i] = tacho_witness_reader_is_closed(r[i]);
        }
        if (more[0] > 0 && more[1] > 0)
            compare_pair(c, &entry[0], &entry[1], r);
    }
    return 0;
}

int tch_witness_compare(const char *a, const char *b, struct tch_witness_comparison *ret,
                        tacho_error *err)
{
    tacho_witness_reader *r[2] = {NULL, NULL};
    int status = tacho_witness_reader_open(a, &r[0], err);

    *ret = (struct tch_witness_comparison){0};
    if (status == 0) {
        ret->bad = 1;
        status = tacho_witness_reader_open(b, &r[1], err);
    }
    if (status == 0)
        status = compare_all(r, ret, err);
    tacho_witness_reader_close(r[0]);
    tacho_witness_reader_close(r[1]);
    return status;
}
