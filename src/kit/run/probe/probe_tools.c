/* Programs that tacho can use or that go well with it, and how to install them. */
#include "base/spawn.h"
#include "probe_read.h"

/* The names of packages, by the program that installs them. */
struct manager {
    const char *ids; /* of /etc/os-release, ID or ID_LIKE */
    const char *install;
    const char *packages[TCH_PACKAGE_SENSORS + 1];
};

static const struct manager managers[] = {
    {"ubuntu",
     "sudo apt install",
     {"linux-tools-generic", "cargo", "hyperfine", "gdb", "debuginfod", "lm-sensors"}},
    {"debian",
     "sudo apt install",
     {"linux-perf", "cargo", "hyperfine", "gdb", "debuginfod", "lm-sensors"}},
    {"fedora rhel",
     "sudo dnf install",
     {"perf", "cargo", "hyperfine", "gdb", "elfutils-debuginfod-client", "lm_sensors"}},
    {"arch", "sudo pacman -S", {"perf", "rust", "hyperfine", "gdb", "debuginfod", "lm_sensors"}},
    {"suse opensuse",
     "sudo zypper install",
     {"perf", "cargo", "hyperfine", "gdb", "debuginfod-client", "sensors"}},
    {"alpine", "sudo apk add", {"perf", "cargo", "hyperfine", "gdb", "elfutils", "lm-sensors"}},
};

static bool shares_word(const char *words, const char *ids)
{
    char word[32];

    while (*words) {
        size_t len = strcspn(words, " \"");

        snprintf(word, sizeof word, "%.*s", (int)(len < sizeof word ? len : sizeof word - 1),
                 words);
        if (len > 0 && tch_text_word(ids, word))
            return true;
        words += len + (words[len] != '\0');
    }
    return false;
}

void tch_install_command(struct tch_probes *p, enum tch_package package, char *out, size_t size)
{
    static const char *const keys[] = {"ID", "ID_LIKE"};
    const struct manager *found = NULL;
    char ids[128];
    struct tch_buf b;

    tch_buf_init(&b, 1 << 16);
    tch_probe_read(p, &b, "/etc/os-release");
    for (size_t k = 0; k < 2 && !found; k++) {
        tch_text_field(b.data, keys[k], ids, sizeof ids);
        for (size_t i = 0; i < sizeof managers / sizeof managers[0] && !found; i++)
            if (shares_word(ids, managers[i].ids))
                found = &managers[i];
    }
    tch_buf_release(&b);
    if (found)
        snprintf(out, size, "%s %s", found->install, found->packages[package]);
    else
        snprintf(out, size, "install the package %s", managers[1].packages[package]);
}

struct tool {
    const char *name;
    const char *program;
    const char *what; /* it is for */
    const char *fix;  /* or NULL: the package's */
    enum tch_package package;
};

static const struct tool tools[] = {
    {"perf", "perf", "records and counts performance events", NULL, TCH_PACKAGE_PERF},
    {"cargo", "cargo", "builds Rust programs", NULL, TCH_PACKAGE_CARGO},
    {"cargo-flamegraph", "cargo-flamegraph", "flamegraphs of Rust programs",
     "cargo install flamegraph", 0},
    {"inferno", "inferno-flamegraph", "draws flamegraphs", "cargo install inferno", 0},
    {"hyperfine", "hyperfine", "times commands", NULL, TCH_PACKAGE_HYPERFINE},
    {"gdb", "gdb", "looks into a program that hangs or crashed", NULL, TCH_PACKAGE_GDB},
    {"debuginfod", "debuginfod-find", "fetches debug information", NULL, TCH_PACKAGE_DEBUGINFOD},
};

static void probe_tool(struct tch_probes *p, const struct tool *tool)
{
    char path[PATH_MAX];
    char fix[128];

    if (tch_find_program(tool->program, path, sizeof path, NULL) == 0) {
        tch_probes_add(p, tool->name, TCH_PROBE_OK, NULL, "%s", path);
        return;
    }
    if (!tool->fix)
        tch_install_command(p, tool->package, fix, sizeof fix);
    tch_probes_add(p, tool->name, TCH_PROBE_MISSING, tool->fix ? tool->fix : fix, "not found: %s",
                   tool->what);
}

/* On Linux its work is done by perf events, so that nothing is missing without it. */
static void probe_dtrace(struct tch_probes *p)
{
    char path[PATH_MAX];
    bool found = tch_find_program("dtrace", path, sizeof path, NULL) == 0;

    tch_probes_add(p, "dtrace", TCH_PROBE_OK, NULL, "%s",
                   found ? path : "not found, and not needed where there are perf events");
}

static void probe_tools(struct tch_probes *p)
{
    probe_tool(p, &tools[0]);
    probe_dtrace(p);
    for (size_t i = 1; i < sizeof tools / sizeof tools[0]; i++)
        probe_tool(p, &tools[i]);
}

const struct tch_probe_group tch_probe_tools = {
    .name = "tools",
    .title = "Tools",
    .run = probe_tools,
};
