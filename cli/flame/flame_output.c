/* `tacho flame`: writes a profile to stdout or a file and reports that; runs a whole
   sub-command. */
#include <unistd.h>

#include "base/file.h"
#include "cli/core/clean_out.h"
#include "cmd_flame_parts.h"
#include "kit/flame/draw/change_text.h"
#include "kit/flame/draw/file_label.h"
#include "kit/flame/flame_json.h"
#include "kit/text/human_number.h"

static bool to_stdout(const struct flame *f)
{
    return !f->label && (!f->output || strcmp(f->output, "-") == 0);
}

/* Finds the format: by the option, by the command, by the name of the output, or `otherwise`. */
static int find_format(struct flame *f, const char *otherwise)
{
    const struct tch_format *by_path = f->output ? tch_format_by_path(f->output) : NULL;

    if (f->format && by_path && by_path != f->format && !f->chosen)
        return cli_wrong_usage(f->args,
                               "'%s' has the extension of %s, but this command writes %s; "
                               "'tacho flame convert' writes any format",
                               f->output, by_path->name, f->format->name);
    if (!f->format)
        f->format = by_path;
    if (!f->format && !to_stdout(f) && !otherwise)
        return cli_wrong_usage(f->args, "cannot derive the format from the name '%s'; add --to",
                               f->output);
    if (!f->format)
        f->format = tch_format_by_name(otherwise ? otherwise : "tree");
    return EXIT_OK;
}

int cli_flame_choose_format(struct flame *f, const char *otherwise)
{
    int status;

    if (f->label && f->output)
        return cli_wrong_usage(
            f->args, "--label cannot be combined with --output; use --out-dir for the folder");
    if (f->folder && !f->label)
        return cli_wrong_usage(f->args, "--out-dir needs --label; use --output for a file name");
    if (to_stdout(f) && f->args->json)
        return cli_wrong_usage(f->args, "--json describes the written file; add --output FILE");
    status = find_format(f, otherwise);
    if (status != EXIT_OK)
        return status;
    if (to_stdout(f) && isatty(STDOUT_FILENO) &&
        (strcmp(f->format->name, "svg") == 0 || strcmp(f->format->name, "pprof") == 0))
        return cli_wrong_usage(f->args, "%s cannot be written to a terminal; add --output FILE",
                               f->format->name);
    if (f->write.least_percent < 0)
        f->write.least_percent = strcmp(f->format->name, "tree") == 0 ? 0.5 : 0.01;
    return EXIT_OK;
}

static int write_stdout(struct flame *f, const struct tch_profile *profile)
{
    struct tch_sink sink;
    tacho_error err;
    int status;
    int ended;

    if (!f->format->is_for_people)
        cli_stdout_is_data();
    f->write.columns = f->args->out.width;
    f->write.utf8 = f->args->out.utf8;
    tch_sink_init(&sink, tch_sink_to_stdout, NULL, &err);
    status = f->format->write(profile, &f->write, &sink);
    ended = tch_sink_end(&sink);
    if (status == 0 && ended == 0)
        return EXIT_OK;
    cli_complain(NULL, "%s", err.message);
    return EXIT_WORK;
}

/* Writes a temporary file and renames it when it is complete. */
static int write_file(struct flame *f, const struct tch_profile *profile, const char *path)
{
    struct tch_replace file;
    struct tch_sink sink;
    tacho_error err;
    int status;
    int ended;

    f->write.utf8 = true;
    if ((f->label ? tch_label_replace : tch_replace_open)(&file, path, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    tch_sink_init(&sink, tch_sink_to_replace, &file, &err);
    status = f->format->write(profile, &f->write, &sink);
    ended = tch_sink_end(&sink);
    if (status == 0 && ended == 0 && f->label)
        status = tch_label_keep_previous(path, &f->previous, &err);
    if (status == 0 && ended == 0)
        status = tch_replace_commit(&file, &err);
    tch_replace_abort(&file);
    if (status == 0 && ended == 0)
        return EXIT_OK;
    cli_complain(NULL, "%s", err.message);
    return EXIT_WORK;
}

/* Makes DIR/flamegraph-LABEL.svg and checks that no other label owns it. */
static int labelled_path(const struct flame *f, struct tch_buf *path)
{
    tacho_error err;
    int status = 0;

    if (f->folder && tch_mkdirs(f->folder, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    if (f->folder)
        tch_buf_addf(path, "%s/", f->folder);
    tch_label_file(path, f->label);
    if (path->failed) {
        cli_complain(NULL, "cannot name a file after a label of %zu bytes", strlen(f->label));
        return EXIT_WORK;
    }
    if (!f->force)
        status = tch_label_check(path->data, f->label, &err);
    if (status < 0)
        cli_complain(NULL, "%s", err.message);
    return status < 0 ? EXIT_WORK : EXIT_OK;
}

/* Prints the functions that changed most, unless that is what was written. */
static int print_changes(const struct flame *f, const struct tch_changes *changes)
{
    struct tch_buf b;

    if (f->args->quiet || strcmp(f->format->name, "changes") == 0)
        return EXIT_OK;
    tch_buf_init(&b, 1 << 20);
    tch_changes_text(&b, &f->stacks, changes, f->args->out.width);
    return cli_print(&b);
}

static int report_written(const struct flame *f, const char *path,
                          const struct tch_changes *changes)
{
    uint64_t weight = tch_stacks_total(&f->stacks);
    struct tch_buf b;

    tch_buf_init(&b, 1 << 20);
    if (f->args->json) {
        tch_flame_written_json(&b, &(struct tch_flame_written){
                                       .stacks = &f->stacks,
                                       .samples = f->samples,
                                       .unit = f->write.svg.count_name,
                                       .path = path,
                                       .previous = f->previous,
                                       .format = f->format->name,
                                       .input = f->input,
                                       .changes = changes,
                                   });
        return cli_print(&b);
    }
    tch_buf_addf(&b, "%s: ", path);
    tch_add_grouped(&b, f->samples);
    tch_buf_adds(&b, f->samples == 1 ? " sample" : " samples");
    if (weight != f->samples) {
        tch_buf_adds(&b, " (");
        tch_add_grouped(&b, weight);
        tch_buf_addf(&b, " %s)", f->write.svg.count_name);
    }
    tch_buf_adds(&b, " in ");
    tch_add_grouped(&b, f->stacks.count);
    tch_buf_adds(&b, f->stacks.count == 1 ? " stack" : " stacks");
    if (f->previous)
        tch_buf_addf(&b, "; the earlier file was renamed to %s", f->previous);
    if (!f->args->quiet)
        fprintf(stderr, "%s\n", b.data);
    tch_buf_release(&b);
    return changes ? print_changes(f, changes) : EXIT_OK;
}

/* Reports the written file, and the changes of a differential. */
static int report(const struct flame *f, const char *path)
{
    struct tch_changes changes;
    tacho_error err;

    if (!f->stacks.before)
        return report_written(f, path, NULL);
    if (tch_stacks_changes(&f->stacks, &changes, &err) == 0)
        return report_written(f, path, &changes);
    cli_complain(NULL, "%s", err.message);
    return EXIT_WORK;
}

int cli_flame_write(struct flame *f)
{
    struct tch_profile profile = {
        .stacks = &f->stacks,
        .timeline = &f->timeline,
        .name = f->input,
        .unit = f->write.svg.count_name,
        .measure = f->stacks.counted.measure[0] ? f->stacks.counted.measure : NULL,
        .period_ns = f->stacks.counted.period_ns,
    };
    struct tch_buf path;
    int status = EXIT_OK;

    if (to_stdout(f))
        return write_stdout(f, &profile);
    tch_buf_init(&path, PATH_MAX);
    if (f->label)
        status = labelled_path(f, &path);
    else
        tch_buf_adds(&path, f->output);
    if (status == EXIT_OK)
        status = write_file(f, &profile, path.data);
    if (status == EXIT_OK)
        status = report(f, path.data);
    tch_buf_release(&path);
    return status;
}

int cli_flame_run(struct args *args, const char *format, bool both)
{
    struct flame f;
    int status;

    cli_flame_init(&f, args, format ? tch_format_by_name(format) : NULL);
    status = cli_set_opts(args, &f, NULL);
    if (status == EXIT_OK)
        status = cli_flame_choose_format(&f, format);
    /* A picture shows kernel functions by colour, so the marks are needed. */
    if (status == EXIT_OK && strcmp(f.format->name, "svg") == 0)
        f.read.mark_kernel = true;
    if (status == EXIT_OK)
        status = cli_flame_read(&f, args->count ? args->operands[0] : NULL, both);
    if (status == EXIT_OK)
        status = cli_flame_write(&f);
    cli_flame_release(&f);
    return status;
}
