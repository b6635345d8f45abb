/*
 * tacho gate init: writes a tacho.yaml to start from, and CI workflows that fit the project.
 *
 * The texts are the files of cli/judge/init, which the build embeds. @BUILD@ and similar
 * placeholders in them are replaced by the values of the project.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "cmd_gate_parts.h"

enum { FORCE };

/* How a project is built, by a file that it contains. */
static const struct project {
    const char *file;
    const char *build;
    const char *command; /* example command of a bench */
    const char *setup;   /* command that installs build tools in CI, or NULL */
} projects[] = {
    {"Cargo.toml", "cargo build --release", "./target/release/PROGRAM --bench", NULL},
    {"meson.build", "meson setup build --buildtype=release || true; ninja -C build",
     "./build/PROGRAM", "sudo apt-get install -y meson"},
    {"CMakeLists.txt", "cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j",
     "./build/PROGRAM", NULL},
    {"go.mod", "go build -o bench ./...", "./bench", NULL},
    {"configure", "./configure && make -j", "./PROGRAM", NULL},
    {"Makefile", "make -j", "./PROGRAM", NULL},
    {"makefile", "make -j", "./PROGRAM", NULL},
    {NULL, "true", "./PROGRAM", NULL},
};

/* The files to write. `step` comes before the project's setup in a list of steps. */
static const struct written {
    const char *path;
    const char *text;
    const char *step;
} written[] = {
    {TCH_SETTINGS_FILE, cli_init_settings, ""},
    {".github/workflows/tacho.yml", cli_init_github, "      - run: "},
    {".gitlab/tacho.yml", cli_init_gitlab, "    - "},
};

static void fill(struct tch_buf *b, const struct written *w, const struct project *p)
{
    char step[128] = "";
    const struct {
        const char *name;
        const char *value;
    } fields[] = {{"@BUILD@", p->build}, {"@COMMAND@", p->command}, {"@SETUP@", step}};
    const char *text = w->text;
    const char *at;

    if (p->setup)
        snprintf(step, sizeof step, "%s%s\n", w->step, p->setup);
    while ((at = strchr(text, '@'))) {
        const char *value = "@";
        size_t len = 1;

        for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
            if (strncmp(at, fields[i].name, strlen(fields[i].name)) == 0) {
                value = fields[i].value;
                len = strlen(fields[i].name);
            }
        tch_buf_add(b, text, (size_t)(at - text));
        tch_buf_adds(b, value);
        text = at + len;
    }
    tch_buf_adds(b, text);
}

/* Finds a symbolic link in a relative path and sets `link` to the path up to it. */
static bool has_link(const char *path, char link[PATH_MAX])
{
    const char *end = path;
    struct stat st;

    do {
        end += strcspn(end, "/");
        snprintf(link, PATH_MAX, "%.*s", (int)(end - path), path);
        if (lstat(link, &st) == 0 && S_ISLNK(st.st_mode))
            return true;
    } while (*end++ == '/');
    return false;
}

/* Keeps an existing file, unless --force is given. Never writes through a link. */
static int write_one(const struct written *w, bool force, const struct project *p)
{
    char link[PATH_MAX];
    struct tch_buf b;
    tacho_error err;
    int status = EXIT_OK;

    if (has_link(w->path, link)) {
        cli_complain(
            NULL,
            "cannot write '%s': '%s' is a symbolic link, which tacho does not follow; remove it",
            w->path, link);
        return EXIT_WORK;
    }
    if (!force && access(w->path, F_OK) == 0) {
        printf("%s exists and was not changed\n", w->path);
        return EXIT_OK;
    }
    tch_buf_init(&b, 1 << 16);
    fill(&b, w, p);
    if ((b.failed && tch_fail_memory(&err)) || tch_mkdirs_above(w->path, &err) < 0 ||
        tch_file_replace(w->path, b.data, b.len, false, &err) < 0) {
        cli_complain(&err, "cannot write '%s'", w->path);
        status = EXIT_WORK;
    } else {
        printf("wrote %s\n", w->path);
    }
    tch_buf_release(&b);
    return status;
}

/* Returns whether a line of .gitignore names the folder of the runs. */
static bool is_ignored(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t len;

        line += *line == '/';
        len = strcspn(line, "\r\n");
        if (strncmp(line, "tacho-out/", len) == 0 && len >= strlen("tacho-out"))
            return true;
    }
    return false;
}

/* Adds the folder of the runs to .gitignore, so that nobody commits it. */
static int ignore_runs(void)
{
    char link[PATH_MAX];
    struct tch_buf b;
    tacho_error err;
    int status = EXIT_OK;

    if (has_link(".gitignore", link)) {
        cli_complain(NULL, "cannot write '.gitignore': it is a symbolic link, which tacho does not "
                           "follow; remove it");
        return EXIT_WORK;
    }
    tch_buf_init(&b, 1 << 20);
    if (access(".gitignore", F_OK) == 0 &&
        tch_file_read_regular(".gitignore", 1 << 19, &b, &err) < 0) {
        cli_complain(&err, "cannot read '.gitignore'");
        status = EXIT_WORK;
    } else if (!is_ignored(b.data)) {
        if (b.len > 0 && b.data[b.len - 1] != '\n')
            tch_buf_addc(&b, '\n');
        tch_buf_adds(&b, "tacho-out/\n");
        if ((b.failed && tch_fail_memory(&err)) ||
            tch_file_replace(".gitignore", b.data, b.len, false, &err) < 0) {
            cli_complain(&err, "cannot write '.gitignore'");
            status = EXIT_WORK;
        } else {
            printf("added tacho-out/ to .gitignore\n");
        }
    }
    tch_buf_release(&b);
    return status;
}

static int run_init(struct args *args)
{
    const struct project *p = projects;
    bool force = cli_next_opt(args) != NULL;
    int status = EXIT_OK;

    while (p->file && access(p->file, F_OK) < 0)
        p++;
    for (size_t i = 0; i < sizeof written / sizeof written[0] && status == EXIT_OK; i++)
        status = write_one(&written[i], force, p);
    if (status == EXIT_OK)
        status = ignore_runs();
    if (status == EXIT_OK && !args->quiet)
        printf("\n%s%s%s is built by '%s'. List the programs to measure under 'benches' in "
               "tacho.yaml, then see what would be run: tacho gate --dry-run\n"
               "The workflows build tacho itself: set the variables TACHO_REPOSITORY and "
               "TACHO_COMMIT, as they say.\n",
               p->file ? "As there is a " : "No known build file was found; the project",
               p->file ? p->file : "", p->file ? ", it" : "", p->build);
    return status;
}

static const struct opt opts[] = {
    {.id = FORCE, .name = "force", .help = "overwrite existing files"},
    {.name = NULL},
};

const struct cmd cmd_gate_init = {
    .name = "init",
    .summary = "write a commented tacho.yaml and workflows for GitHub and GitLab",
    .usage = "tacho gate init [--force]",
    .about =
        "Detects how the project in this folder is built (cargo, meson, cmake, go, configure, "
        "make) and writes tacho.yaml, .github/workflows/tacho.yml and .gitlab/tacho.yml to "
        "start from, and adds tacho-out/ to .gitignore. Existing files are kept, and symbolic "
        "links are not followed. The workflows "
        "build tacho from the repository and the commit that the CI's variables TACHO_REPOSITORY "
        "and TACHO_COMMIT name.",
    .opts = opts,
    .run = run_init,
};
