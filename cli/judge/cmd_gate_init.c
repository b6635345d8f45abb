/* tacho gate init: a tacho.yaml to start from, and workflows, after a look at the repository. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd_gate_parts.h"

enum { FORCE };

/* How a project is built, told by a file that it has. */
static const struct project {
    const char *file;
    const char *build;
    const char *command; /* what a bench may look like */
    const char *setup;   /* for CI: what must be there, or NULL */
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

static void add_settings(struct tch_buf *b, const struct project *p)
{
    tch_buf_adds(
        b, "# What `tacho gate` runs, and what it may cost. All keys: docs/gate.md of tacho.\n"
           "\n"
           "# How to build, in this tree and in the one of `tacho gate --against REF`.\n");
    tch_buf_addf(b, "build: %s\n", p->build);
    tch_buf_adds(
        b, "\n"
           "# The chance of a wrong FAIL in a whole report, however many budgets it has.\n"
           "alpha: 5%\n"
           "\n"
           "defaults:\n"
           "  runs: 10        # at the first look; what is not clear is run again, twice as often\n"
           "  max_runs: 40    # up to this\n"
           "  warmup: 1\n"
           "  timeout: 60s\n"
           "  budgets:\n"
           "    wall:   {tolerance: 5%}   # time from start to end\n"
           "    memory: {tolerance: 5%}   # peak memory\n"
           "\n"
           "benches:\n");
    tch_buf_addf(b, "  - name: example\n    command: %s\n", p->command);
    tch_buf_adds(b,
                 "    # cwd: bench             # relative to this file\n"
                 "    # env: {OMP_NUM_THREADS: 1}\n"
                 "    # work: 200samples       # gives throughput, which can have a budget\n"
                 "    # precision: 1%          # in place of runs: until the median is that sure\n"
                 "    # prepare: sync          # before each run, not measured\n"
                 "    # metrics:\n"
                 "    #   tps: '([0-9.]+) tokens/s'\n"
                 "    # budgets:\n"
                 "    #   wall: {tolerance: 3%, min_effect: 1%, max: 2s}\n"
                 "    #   memory: {max: 512MiB}\n"
                 "    #   tps: {tolerance: 5%, direction: higher}\n"
                 "    #   memory.kv_cache: {max: 256MiB}     # of programs that record themselves\n"
                 "    #   stage:decode.attention_us: {tolerance: 10%, statistic: p95}\n");
}

static void add_github(struct tch_buf *b, const struct project *p)
{
    tch_buf_adds(b, "name: performance\n"
                    "on: pull_request\n"
                    "jobs:\n"
                    "  gate:\n"
                    "    runs-on: ubuntu-latest\n"
                    "    permissions:\n"
                    "      pull-requests: write\n"
                    "    steps:\n"
                    "      - uses: actions/checkout@v4\n"
                    "        with:\n"
                    "          fetch-depth: 0\n");
    if (p->setup)
        tch_buf_addf(b, "      - run: %s\n", p->setup);
    tch_buf_adds(b, "      # Install tacho here.\n"
                    "      - name: tacho gate\n"
                    "        run: >\n"
                    "          tacho gate --against origin/${{ github.base_ref }}\n"
                    "          --md gate.md --junit gate.xml --json-file gate.json\n"
                    "          --flame-on-regression\n"
                    "      - if: always()\n"
                    "        run: gh pr comment ${{ github.event.number }} --body-file gate.md\n"
                    "        env:\n"
                    "          GH_TOKEN: ${{ github.token }}\n"
                    "      - if: always()\n"
                    "        uses: actions/upload-artifact@v4\n"
                    "        with:\n"
                    "          name: tacho\n"
                    "          path: |\n"
                    "            gate.*\n"
                    "            tacho-out/*.html\n"
                    "            tacho-out/*.svg\n");
}

static void add_gitlab(struct tch_buf *b, const struct project *p)
{
    tch_buf_adds(b, "# To be included from .gitlab-ci.yml: include: .gitlab/tacho.yml\n"
                    "performance:\n"
                    "  rules:\n"
                    "    - if: $CI_PIPELINE_SOURCE == \"merge_request_event\"\n"
                    "  variables:\n"
                    "    GIT_DEPTH: 0\n"
                    "  script:\n");
    if (p->setup)
        tch_buf_addf(b, "    - %s\n", p->setup);
    tch_buf_adds(b, "    # Install tacho here.\n"
                    "    - git fetch origin \"$CI_MERGE_REQUEST_TARGET_BRANCH_NAME\"\n"
                    "    - tacho gate --against FETCH_HEAD --md gate.md --junit gate.xml"
                    " --json-file gate.json --flame-on-regression\n"
                    "  artifacts:\n"
                    "    when: always\n"
                    "    paths: [gate.md, gate.json, tacho-out/gate.html]\n"
                    "    reports:\n"
                    "      junit: gate.xml\n");
}

/* What is there stays, unless --force. */
static int write_one(const char *path, bool force, const struct project *p,
                     void (*add)(struct tch_buf *b, const struct project *p))
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    struct tch_buf b;
    tacho_error err;
    int status = EXIT_OK;

    if (!force && access(path, F_OK) == 0) {
        printf("%s is there and stays as it is\n", path);
        return EXIT_OK;
    }
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    tch_buf_init(&b, 1 << 16);
    add(&b, p);
    if (b.failed || tch_mkdirs(folder, &err) < 0 ||
        tch_file_replace(path, b.data, b.len, false, &err) < 0) {
        cli_complain(b.failed ? NULL : &err, "cannot write '%s'", path);
        status = EXIT_WORK;
    } else {
        printf("wrote %s\n", path);
    }
    tch_buf_release(&b);
    return status;
}

static int run_init(struct args *args)
{
    const struct project *p = projects;
    bool force = cli_next_opt(args) != NULL;
    int status;

    while (p->file && access(p->file, F_OK) < 0)
        p++;
    status = write_one(TCH_SETTINGS_FILE, force, p, add_settings);
    if (status == EXIT_OK)
        status = write_one(".github/workflows/tacho.yml", force, p, add_github);
    if (status == EXIT_OK)
        status = write_one(".gitlab/tacho.yml", force, p, add_gitlab);
    if (status == EXIT_OK && !args->quiet)
        printf("\n%s%s%s is built by '%s'. Put what is to be measured under 'benches' in "
               "tacho.yaml, then see what would be run: tacho gate --dry-run\n",
               p->file ? "As there is a " : "Nothing says how this is built; it",
               p->file ? p->file : "", p->file ? ", it" : "", p->build);
    return status;
}

static const struct opt opts[] = {
    {.id = FORCE, .name = "force", .help = "write anew what is there"},
    {.name = NULL},
};

const struct cmd cmd_gate_init = {
    .name = "init",
    .summary = "write a commented tacho.yaml and workflows for GitHub and GitLab",
    .usage = "tacho gate init [--force]",
    .about =
        "Looks at how the project in this folder is built (cargo, meson, cmake, go, configure, "
        "make) and writes tacho.yaml, .github/workflows/tacho.yml and .gitlab/tacho.yml to "
        "start from. Files that are there stay.",
    .opts = opts,
    .run = run_init,
};
