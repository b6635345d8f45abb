/* Getters: what a reader of a witness file has found so far. */
#include "witness_reader.h"

enum tacho_witness_kind tacho_witness_reader_kind(const tacho_witness_reader *r)
{
    return r->kind;
}

bool tacho_witness_reader_is_closed(const tacho_witness_reader *r)
{
    return r->closed;
}

uint64_t tacho_witness_reader_log_count(const tacho_witness_reader *r)
{
    return r->kind == TACHO_WITNESS_LOG ? 1 : r->logs;
}

uint64_t tacho_witness_reader_entry_count(const tacho_witness_reader *r)
{
    return r->entry_count;
}

uint64_t tacho_witness_reader_line(const tacho_witness_reader *r)
{
    return r->line;
}

uint64_t tacho_witness_reader_segment(const tacho_witness_reader *r)
{
    return r->rvf.number;
}

uint64_t tacho_witness_reader_unchecked(const tacho_witness_reader *r)
{
    return r->rvf.unchecked;
}

const char *tacho_witness_reader_hash(const tacho_witness_reader *r)
{
    return r->hash ? r->hash : "";
}

const char *tacho_witness_reader_log_name(const tacho_witness_reader *r)
{
    return r->kind == TACHO_WITNESS_BUNDLE ? r->log.data : NULL;
}

/* Returns a text of a bundle's first line. */
static const char *head_text(const tacho_witness_reader *r, int i)
{
    return r->kind == TACHO_WITNESS_BUNDLE ? r->head.data + r->head_at[i] : NULL;
}

const char *tacho_witness_reader_config(const tacho_witness_reader *r)
{
    return head_text(r, 0);
}

const char *tacho_witness_reader_config_hash(const tacho_witness_reader *r)
{
    return head_text(r, 1);
}

const char *tacho_witness_reader_environment(const tacho_witness_reader *r)
{
    return head_text(r, 2);
}

const char *tacho_witness_reader_environment_hash(const tacho_witness_reader *r)
{
    return head_text(r, 3);
}
