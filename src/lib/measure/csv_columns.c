/* The columns of each kind of CSV file. */
#include "csv_columns.h"

#define COLUMN(row, field, kind)           \
    {                                      \
#field, kind, offsetof(row, field) \
    }

_Static_assert(offsetof(tacho_csv_result, setting_len) == sizeof(char *),
               "the length of a text follows the text");
_Static_assert(offsetof(tacho_csv_power, source_len) ==
                   offsetof(tacho_csv_power, source) + sizeof(char *),
               "the length of a text follows the text");
_Static_assert(offsetof(tacho_csv_memory_detail, key_len) ==
                   offsetof(tacho_csv_memory_detail, key) + sizeof(char *),
               "the length of a text follows the text");

const struct tch_csv_kind tch_csv_kinds[TCH_CSV_KINDS] = {
    [TACHO_CSV_RESULTS] = {"results",
                           "setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,"
                           "energy_reduction,p95_latency_us,accuracy\n",
                           .count = 7,
                           .columns = {COLUMN(tacho_csv_result, setting, TCH_CSV_TEXT),
                                       COLUMN(tacho_csv_result, coherence_delta, TCH_CSV_F64),
                                       COLUMN(tacho_csv_result, kv_cache_reduction, TCH_CSV_F64),
                                       COLUMN(tacho_csv_result, peak_mem_reduction, TCH_CSV_F64),
                                       COLUMN(tacho_csv_result, energy_reduction, TCH_CSV_F64),
                                       COLUMN(tacho_csv_result, p95_latency_us, TCH_CSV_U64),
                                       COLUMN(tacho_csv_result, accuracy, TCH_CSV_F64)}},
    [TACHO_CSV_LATENCY] = {"latency", "sample_id,wall_time_us,kernel_time_us,seq_len\n", .count = 4,
                           .columns = {COLUMN(tacho_csv_latency, sample_id, TCH_CSV_U64),
                                       COLUMN(tacho_csv_latency, wall_time_us, TCH_CSV_U64),
                                       COLUMN(tacho_csv_latency, kernel_time_us, TCH_CSV_U64),
                                       COLUMN(tacho_csv_latency, seq_len, TCH_CSV_U64)}},
    [TACHO_CSV_MEMORY] = {.file = "memory",
                          .header = "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,"
                                    "temp_buffer_bytes\n",
                          .count = 5,
                          .short_header = "timestamp_us,peak_rss_bytes\n",
                          .short_count = 2,
                          .columns = {COLUMN(tacho_csv_memory, timestamp_us, TCH_CSV_U64),
                                      COLUMN(tacho_csv_memory, peak_rss_bytes, TCH_CSV_U64),
                                      COLUMN(tacho_csv_memory, kv_cache_bytes, TCH_CSV_U64),
                                      COLUMN(tacho_csv_memory, activation_bytes, TCH_CSV_U64),
                                      COLUMN(tacho_csv_memory, temp_buffer_bytes, TCH_CSV_U64)}},
    [TACHO_CSV_POWER] = {"power", "timestamp_us,source,watts,joules\n", .count = 4,
                         .columns = {COLUMN(tacho_csv_power, timestamp_us, TCH_CSV_U64),
                                     COLUMN(tacho_csv_power, source, TCH_CSV_TEXT),
                                     COLUMN(tacho_csv_power, watts, TCH_CSV_F64),
                                     COLUMN(tacho_csv_power, joules, TCH_CSV_F64)}},
    [TACHO_CSV_MEMORY_DETAIL] = {"memory-detail", "timestamp_us,pid,key,value\n", .count = 4,
                                 .columns = {COLUMN(tacho_csv_memory_detail, timestamp_us,
                                                    TCH_CSV_U64),
                                             COLUMN(tacho_csv_memory_detail, pid, TCH_CSV_U64),
                                             COLUMN(tacho_csv_memory_detail, key, TCH_CSV_TEXT),
                                             COLUMN(tacho_csv_memory_detail, value, TCH_CSV_U64)}},
    [TACHO_CSV_LATENCY_NS] = {"latency-ns", "sample_id,wall_ns,kernel_ns,seq_len\n", .count = 4,
                              .columns = {COLUMN(tacho_csv_latency_ns, sample_id, TCH_CSV_U64),
                                          COLUMN(tacho_csv_latency_ns, wall_ns, TCH_CSV_U64),
                                          COLUMN(tacho_csv_latency_ns, kernel_ns, TCH_CSV_U64),
                                          COLUMN(tacho_csv_latency_ns, seq_len, TCH_CSV_U64)}},
};

const struct tch_csv_kind *tch_csv_kind(enum tacho_csv_kind kind)
{
    return (unsigned)kind < (unsigned)TCH_CSV_KINDS ? &tch_csv_kinds[kind] : NULL;
}
