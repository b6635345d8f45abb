/* Writes the files of a run. The README describes the columns. Floats have as many digits as needed
   to read back the same.
 */
#include "record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tacho/csv.h>
#include <tacho/event.h>

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "attention: %s: %s\n", what, why);
    return -1;
}

static int open_csv(struct record *r)
{
    size_t size = strlen(r->o->csv) + 32;

    r->csv_temp = malloc(size);
    if (!r->csv_temp)
        return complain(r->o->csv, "out of memory");
    snprintf(r->csv_temp, size, "%s.%ld.tmp", r->o->csv, (long)getpid());
    r->csv = fopen(r->csv_temp, "we");
    if (!r->csv)
        return complain(r->csv_temp, strerror(errno));
    fprintf(r->csv, "sample_id,seq_len,wall_time_us,peak_mem_bytes,energy_j%s\n",
            r->o->gated ? ",coherence_delta,edges_kept,edges_total,cut_cost" : "");
    return 0;
}

int record_open(struct record *r, const struct options *o)
{
    tacho_error err;

    *r = (struct record){.o = o};
    if (o->csv && open_csv(r) < 0)
        return -1;
    if (o->witness && tacho_witness_open(o->witness, &r->witness, &err) < 0)
        return complain("cannot start the witness log", err.message);
    if (tacho_latency_new(&r->latencies, &err) < 0)
        return complain("cannot record latencies", err.message);
    return 0;
}

static void write_row(struct record *r, const struct sample *s, const struct measured *m)
{
    char text[TACHO_CSV_FLOAT];

    fprintf(r->csv, "%zu,%zu,%llu,%llu,", m->number, s->len,
            (unsigned long long)((m->wall_ns + 500) / 1000), (unsigned long long)m->peak_bytes);
    if (!isnan(m->joules))
        fputs(tacho_csv_float(text, m->joules), r->csv);
    if (r->o->gated) {
        fprintf(r->csv, ",%s,%zu,%zu", tacho_csv_float(text, m->coherence.delta),
                m->gated.edges_kept, m->gated.edges_total);
        fprintf(r->csv, ",%s", tacho_csv_float(text, (double)m->gated.cut_cost));
    }
    fputc('\n', r->csv);
}

static int write_entry(struct record *r, const struct sample *s, const uint8_t *keep,
                       const struct measured *m)
{
    char q_hash[TACHO_SHA256_TEXT];
    char k_hash[TACHO_SHA256_TEXT];
    tacho_witness_entry entry = {.q_hash = q_hash,
                                 .k_hash = k_hash,
                                 .keep_mask = keep,
                                 .keep_count = m->gated.edges_total,
                                 .cut_cost = m->gated.cut_cost,
                                 .lambda = r->o->lambda,
                                 .tau = r->o->tau,
                                 .eps = r->o->eps,
                                 .timestamp = (uint64_t)time(NULL)};
    tacho_error err;

    tacho_tensor_hash(s->q, sample_floats(s), q_hash);
    tacho_tensor_hash(s->k, sample_floats(s), k_hash);
    if (tacho_witness_add(r->witness, &entry, &err) < 0)
        return complain("cannot write the witness log", err.message);
    return 0;
}

static int push_event(const struct record *r, const struct sample *s, const struct measured *m)
{
    const struct gated_result *g = &m->gated;

    if (!r->o->gated)
        return TACHO_EVENT("attention_softmax",
                           TACHO_FIELDS(tacho_u64("sample", m->number),
                                        tacho_u64("seq_len", s->len), tacho_u64("heads", s->heads),
                                        tacho_u64("dim", s->dim)),
                           TACHO_FIELDS(tacho_f64("total", (double)m->wall_ns / 1e3)), false);
    return TACHO_EVENT("attention_mincut",
                       TACHO_FIELDS(tacho_u64("sample", m->number), tacho_u64("seq_len", s->len),
                                    tacho_u64("dim", s->dim),
                                    tacho_u64("edges_kept", g->edges_kept),
                                    tacho_u64("columns_kept", g->columns_kept)),
                       TACHO_FIELDS(tacho_f64("logits", (double)g->logits_ns / 1e3),
                                    tacho_f64("gate", (double)g->gate_ns / 1e3),
                                    tacho_f64("hysteresis", (double)g->hysteresis_ns / 1e3),
                                    tacho_f64("attend", (double)g->attend_ns / 1e3),
                                    tacho_f64("total", (double)m->wall_ns / 1e3)),
                       false);
}

int record_sample(struct record *r, const struct sample *s, const uint8_t *keep,
                  const struct measured *m)
{
    tacho_latency_record latency = {
        .sample_id = m->number, .wall_ns = m->wall_ns, .seq_len = s->len};

    if (r->csv)
        write_row(r, s, m);
    if (tacho_latency_add(r->latencies, &latency, NULL) < 0)
        return complain("cannot record latencies", "out of memory or disk full");
    if (push_event(r, s, m) < 0)
        return complain("cannot write profile events", "see TACHO_PROFILE_JSONL");
    return r->witness ? write_entry(r, s, keep, m) : 0;
}

int record_close(struct record *r)
{
    tacho_witness *w = r->witness;
    FILE *csv = r->csv;
    tacho_error err;

    r->witness = NULL;
    r->csv = NULL;
    if (tacho_witness_close(w, &err) < 0)
        return complain("cannot close the witness log", err.message);
    if (!csv)
        return 0;
    if (ferror(csv) | fclose(csv) || rename(r->csv_temp, r->o->csv) < 0)
        return complain(r->o->csv, strerror(errno));
    return 0;
}

void record_release(struct record *r)
{
    if (r->csv) {
        fclose(r->csv);
        unlink(r->csv_temp);
    }
    (void)!tacho_witness_close(r->witness, NULL);
    tacho_latency_free(r->latencies);
    free(r->csv_temp);
    *r = (struct record){0};
}
