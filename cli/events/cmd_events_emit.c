/* tacho events emit: writes one event from a shell script. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_read.h"
#include "cmd_events_parts.h"
#include "lib/event/event_config.h"

enum { MOST_FIELDS = 1000 };

struct emit {
    struct args *args;
    struct tch_event_env env; /* values of the environment, overwritten by those of the options */
    bool graph_enabled;
    tacho_field shape[MOST_FIELDS];
    size_t shape_count;
    tacho_field stages[MOST_FIELDS];
    size_t stage_count;
};

/* Adds KEY=VALUE. A value that is valid JSON is stored as JSON, any other as text. */
static int add_field(const struct args *args, const struct opt *opt, tacho_field *fields,
                     size_t *count)
{
    char *text = (char *)args->value;
    char *equals = strchr(text, '=');
    const char *value;

    if (!equals || equals == text)
        return cli_wrong_usage(args, "--%s needs KEY=VALUE, not '%s'", opt->name, text);
    if (*count == MOST_FIELDS)
        return cli_wrong_usage(args, "--%s can be given at most %d times", opt->name, MOST_FIELDS);
    *equals = '\0';
    value = equals + 1;
    if (tch_json_check(value, strlen(value), NULL) == 0)
        fields[(*count)++] = tacho_json(text, value);
    else
        fields[(*count)++] = tacho_text(text, value);
    return EXIT_OK;
}

static int take_shape(void *into, const struct args *args, const struct opt *opt)
{
    struct emit *e = into;

    return add_field(args, opt, e->shape, &e->shape_count);
}

static int take_stage(void *into, const struct args *args, const struct opt *opt)
{
    struct emit *e = into;

    return add_field(args, opt, e->stages, &e->stage_count);
}

static int write_event(struct emit *e)
{
    tacho_event_writer *writer = NULL;
    int status = EXIT_WORK;
    tacho_error err;

    if (tacho_event_open(&e->env.config, &writer, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    if (!tacho_event_is_enabled(writer))
        cli_complain(NULL,
                     "no file to write the event to; set TACHO_PROFILE_JSONL, or use --output");
    else if (tacho_event_push(
                 writer, e->args->operands[0], (tacho_fields){e->shape, e->shape_count},
                 (tacho_fields){e->stages, e->stage_count}, e->graph_enabled, &err) < 0)
        cli_complain(NULL, "cannot write the event: %s", err.message);
    else
        status = EXIT_OK;
    tacho_event_close(writer);
    return status;
}

static int run_emit(struct args *args)
{
    struct emit *e = calloc(1, sizeof *e);
    const char *bad;
    int status;

    if (!e)
        return cli_no_memory();
    e->args = args;
    tch_event_env_read(&e->env, (const char *const *)environ);
    status = cli_set_opts(args, e, NULL);
    bad = tch_event_config_check(&e->env.config);
    if (status == EXIT_OK && bad)
        status = cli_wrong_usage(args, "%s", bad);
    if (status == EXIT_OK)
        status = write_event(e);
    free(e);
    return status;
}

static const struct opt opts[] = {
    EVENTS_META_OPTS(struct emit, env.config, graph_enabled),
    {.name = "output",
     .letter = 'o',
     .arg = "FILE",
     .help = "append to this file (default: the file named by TACHO_PROFILE_JSONL)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct emit, env.config.path)},
    {.name = "shape",
     .arg = "KEY=VALUE",
     .help = "add a property of the work, such as its size (repeatable)",
     .take = take_shape},
    {.name = "stage",
     .arg = "KEY=VALUE",
     .help = "add the duration of a stage, in microseconds (repeatable)",
     .take = take_stage},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "EVENT", .help = "name of the event"},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho events emit build --stage compile=12500 --shape files=32 -o profile.jsonl",
     "Append one event to a file."},
    {NULL, NULL},
};

const struct cmd cmd_events_emit = {
    .name = "emit",
    .summary = "write one event from a shell script",
    .usage = "tacho events emit EVENT [--stage KEY=VALUE]... [--shape KEY=VALUE]... [-o FILE]",
    .about =
        "Appends the event to the file that programs linked with libtacho use: the one named by "
        "TACHO_PROFILE_JSONL, or else a file in TACHO_RUN_DIR. Model, commit and the other common "
        "fields come from the TACHO_PROFILE_ variables unless an option gives them. A value that "
        "is valid JSON (12.5, true, {\"a\":1}) is stored as JSON, any other value as text.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .run = run_emit,
};
