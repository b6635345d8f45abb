/* Programs that tacho uses or that complement it, and how to install them. */
#include "probe_read.h"
#include "process/spawn.h"

/* A package manager and the names of its packages. */
struct manager {
    const char *ids; /* values of ID or ID_LIKE in /etc/os-release */
    const char *install;
    const char *packages[TCH_PACKAGES];
};

static const struct manager managers[] = {
    {"ubuntu",
     "sudo apt install",
     {"linux-tools-generic", "cargo", "hyperfine", "gdb", "debuginfod", "lm-sensors", "valgrind",
      "git"}},
    {"debian",
     "sudo apt install",
     {"linux-perf", "cargo", "hyperfine", "gdb", "debuginfod", "lm-sensors", "valgrind", "git"}},
    {"fedora rhel",
     "sudo dnf install",
     {"perf", "cargo", "hyperfine", "gdb", "elfutils-debuginfod-client", "lm_sensors", "valgrind",
      "git"}},
    {"arch",
     "sudo pacman -S",
     {"perf", "rust", "hyperfine", "gdb", "debuginfod", "lm_sensors", "valgrind", "git"}},
    {"suse opensuse",
     "sudo zypper install",
     {"perf", "cargo", "hyperfine", "gdb", "debuginfod-client", "sensors", "valgrind", "git"}},
    {"alpine",
     "sudo apk add",
     {"perf", "cargo", "hyperfine", "gdb", "elfutils", "lm-sensors", "valgrind", "git"}},
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
    const char *what; /* its purpose, or why it is not needed */
    enum tch_package package;
    bool rust;   /* only for Rust programs: not applicable without cargo */
    bool unused; /* not needed by tacho: never missing */
};

static const struct tool tools[] = {
    {"perf", "perf", "records and counts performance events", .package = TCH_PACKAGE_PERF},
    {"dtrace", "dtrace", "on Linux, perf events do its work", .unused = true},
    {"cargo", "cargo", "builds Rust programs", .package = TCH_PACKAGE_CARGO, .rust = true},
    {"cargo-flamegraph", "cargo-flamegraph", "tacho flame does its work", .unused = true},
    {"inferno", "inferno-flamegraph", "tacho flame does its work", .unused = true},
    {"hyperfine", "hyperfine", "times commands", .package = TCH_PACKAGE_HYPERFINE},
    {"gdb", "gdb", "debugs a program that hangs or crashed", .package = TCH_PACKAGE_GDB},
    {"debuginfod", "debuginfod-find", "fetches debug information",
     .package = TCH_PACKAGE_DEBUGINFOD},
    {"valgrind", "valgrind", "counts instructions where the CPU has no counters",
     .package = TCH_PACKAGE_VALGRIND},
    {"git", "git", "checks out the commit of gate --against", .package = TCH_PACKAGE_GIT},
};

static void probe_tool(struct tch_probes *p, const struct tool *tool)
{
    char path[PATH_MAX];
    bool cargo = tch_find_program("cargo", path, sizeof path, NULL) == 0;
    char fix[128] = "";

    if (tch_find_program(tool->program, path, sizeof path, NULL) == 0) {
        tch_probes_add(p, tool->name, TCH_PROBE_OK, NULL, "%s", path);
        return;
    }
    tch_install_command(p, tool->package, fix, sizeof fix);
    tch_probes_add(p, tool->name,
                   tool->unused || (tool->rust && !cargo) ? TCH_PROBE_NOT_APPLICABLE
                                                          : TCH_PROBE_MISSING,
                   fix, "not found: %s", tool->what);
}

static void probe_tools(struct tch_probes *p)
{
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        probe_tool(p, &tools[i]);
}

const struct tch_probe_group tch_probe_tools = {
    .name = "tools",
    .title = "Tools",
    .run = probe_tools,
};
