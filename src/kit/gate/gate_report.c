/* Writes the results of the gate: files, the page, GitHub. */
#include "gate_report.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"

static bool has_failed(const struct tch_gate *g, const struct tch_gate_bench *b)
{
    for (size_t i = 0; i < b->row_count; i++)
        if (g->findings.rows[b->first_row + i].verdict == TCH_FAIL)
            return true;
    return false;
}

/* Profiles the benches that FAILed. Fills flames, which has room for every bench, and returns how
   many. */
static size_t draw_failed(struct tch_gate *g, struct tch_verdict_flame *flames,
                          const struct tch_gate_watch *watch)
{
    size_t count = 0;

    for (size_t i = 0; i < g->count; i++) {
        struct tch_gate_bench *b = &g->benches[i];

        if (has_failed(g, b) && tch_gate_profile(g, b, watch))
            flames[count++] = (struct tch_verdict_flame){.title = b->bench->name,
                                                         .before = b->run.items[0].folder.path,
                                                         .now = b->run.items[1].folder.path};
    }
    return count;
}

/* Sets the address of the page: the one that was given, that of the CI job, or the file. */
static int set_link(struct tch_gate *g, const struct tch_gate_report *r, tacho_error *err)
{
    const char *server = getenv("GITHUB_SERVER_URL");
    const char *repository = getenv("GITHUB_REPOSITORY");
    const char *id = getenv("GITHUB_RUN_ID");
    const char *job = getenv("CI_JOB_URL");
    char link[PATH_MAX];

    if (r->link)
        snprintf(link, sizeof link, "%s", r->link);
    else if (server && repository && id)
        snprintf(link, sizeof link, "%.200s/%.200s/actions/runs/%.40s", server, repository, id);
    else
        snprintf(link, sizeof link, "%s", job ? job : r->page);
    return tch_findings_set(&g->findings.link, link, err);
}

/* Draws the page, with flamegraphs if they were asked for. */
static int write_page(struct tch_gate *g, const struct tch_gate_report *r,
                      const struct tch_verdict_flame *flames, size_t drawn, tacho_error *err)
{
    char link;

    if (!r->html &&
        readlink(r->page, &link, 1) >= 0) /* only a page that the user asked for may be a link */
        unlink(r->page);
    if (tch_mkdirs_above(r->page, err) < 0)
        return err->code;
    return tch_verdict_save_page(r->page, &g->findings, flames, drawn, err);
}

/* --- GitHub --- */

/* Appends to a file that GitHub names in a variable. */
static void append_to(const char *variable, const struct tch_buf *b,
                      const struct tch_gate_watch *watch)
{
    const char *path = getenv(variable);
    char text[PATH_MAX + 20];
    tacho_error err;
    int fd;

    if (!path || !path[0])
        return;
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    snprintf(text, sizeof text, "cannot add to '%s'", path);
    if (fd < 0 || b->failed || tch_write_all(fd, path, b->data, b->len, &err) < 0)
        watch->warn(watch->ctx, text);
    if (fd >= 0)
        close(fd);
}

/* Writes the summary, which GitHub shows on the page of the run, and the outputs for later steps of
   the workflow. */
static void tell_github(const struct tch_findings *f, const char *page,
                        const struct tch_gate_watch *watch)
{
    const char *word = tch_findings_word(f);
    struct tch_buf b;

    tch_buf_init(&b, 16 << 20);
    tch_verdict_md.write(&b, f);
    append_to("GITHUB_STEP_SUMMARY", &b, watch);
    tch_buf_clear(&b);
    if (!strpbrk(page, "\r\n"))
        tch_buf_addf(&b, "verdict=%s\nreport=%s\n", word ? word : "", page);
    append_to("GITHUB_OUTPUT", &b, watch);
    tch_buf_release(&b);
}

bool tch_on_github(void)
{
    const char *value = getenv("GITHUB_ACTIONS");

    return value && strcmp(value, "true") == 0;
}

/* Complains of a failure. Returns the status of all outputs so far. */
static int join(int status, int code, const tacho_error *err, const struct tch_gate_watch *watch)
{
    if (code < 0)
        watch->complain(watch->ctx, NULL, err->message);
    return status < 0 ? status : code;
}

int tch_gate_write(struct tch_gate *g, struct tch_gate_report *r,
                   const struct tch_gate_watch *watch)
{
    struct tch_verdict_flame *flames = calloc(g->count + 1, sizeof *flames);
    size_t drawn = r->flame && flames ? draw_failed(g, flames, watch) : 0;
    tacho_error err;
    int written;
    int status;

    snprintf(r->page, sizeof r->page, "%.4000s%s", r->html ? r->html : g->how.out,
             r->html ? "" : "/gate.html");
    status = join(0, set_link(g, r, &err), &err, watch);
    written = write_page(g, r, flames, drawn, &err);
    status = join(status, written, &err, watch);
    if (written < 0) /* an older one may be there */
        r->page[0] = '\0';
    free(flames);
    for (size_t i = 0; i < r->file_count; i++)
        if (r->files[i].path && strcmp(r->files[i].path, "-") != 0)
            status = join(
                status, tch_verdict_save(r->files[i].format, r->files[i].path, &g->findings, &err),
                &err, watch);
    if (tch_on_github())
        tell_github(&g->findings, r->page, watch);
    return status;
}
