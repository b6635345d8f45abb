/* Runs the tests of perfgate's flamegraph profiler, and checks what its three profilers run and
   report, against <tacho/flame.h>. Stand-ins on PATH play perf, inferno, dtrace and cargo. */
#include <tacho/flame.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance.h"

/* A profiler that the caller implements, as with the reference's trait. */

static int two_stacks(void *ctx, const tacho_flame_request *request, tacho_flame_output *out,
                      tacho_error *err)
{
    int status = tacho_flame_add_stack(out, "main;work;hot", 3, err);

    *(const char **)ctx = request->argv[0];
    if (status == 0)
        status = tacho_flame_add_stack(out, "main;warm", 1, err);
    tacho_flame_set_wait_status(out, 0);
    return status;
}

static const char *profiled;

static tacho_flame_profiler own_profiler(void)
{
    tacho_flame_profiler own = TACHO_FLAME_PROFILER_INIT;

    own.name = "two stacks";
    own.ctx = &profiled;
    own.capture = two_stacks;
    return own;
}

/* Captures `echo` with this label and folder, by the caller's own profiler. */
static tacho_flame *capture(const char *label, const char *folder)
{
    static const char *const argv[] = {"echo", NULL};
    tacho_flame_profiler own = own_profiler();
    tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;
    tacho_flame *flame = NULL;

    request.argv = argv;
    request.output_dir = folder;
    request.label = label;
    request.own = &own;
    CHECK_INT(tacho_flame_capture(&request, &flame, NULL), 0);
    return flame;
}

static const char *file_name(const tacho_flame *flame)
{
    return strrchr(tacho_flame_svg_path(flame), '/') + 1;
}

static void svg_output_path_sanitizes_label(void)
{
    tacho_flame *flame = capture("my bench/test:1", "profiles");

    CHECK_TEXT(file_name(flame), "flamegraph-my_bench_test_1.svg");
    tacho_flame_free(flame);
}

static void svg_output_path_preserves_valid_chars(void)
{
    tacho_flame *flame = capture("bench-name_v2", "profiles");

    CHECK_TEXT(file_name(flame), "flamegraph-bench-name_v2.svg");
    tacho_flame_free(flame);
}

static void profile_error_display(void)
{
    tacho_error err;

    CHECK_INT(tacho_flame_fail(&err, TACHO_FLAME_COMMAND_FAILED, "perf record", "not found"),
              TACHO_EIO);
    CHECK_TEXT(err.message, "profiler command failed: perf record: not found");
    CHECK_INT(err.kind, TACHO_FLAME_COMMAND_FAILED);
    tacho_flame_fail(&err, TACHO_FLAME_NO_OUTPUT, NULL, NULL);
    CHECK_TEXT(err.message, "profiler produced no output");
    CHECK_INT(err.kind, TACHO_FLAME_NO_OUTPUT);
    tacho_flame_fail(&err, TACHO_FLAME_CREATE_DIR, "out", "read-only");
    CHECK_TEXT(err.message, "failed to create output directory out: read-only");
    tacho_flame_fail(&err, TACHO_FLAME_WRITE_SVG, "out/x.svg", "full");
    CHECK_TEXT(err.message, "failed to write flamegraph SVG to out/x.svg: full");
}

static void profile_result_serialization_roundtrip(void)
{
    static const char reference[] = "{\"svg_path\":\"/tmp/profiles/flamegraph-bench.svg\","
                                    "\"profiler_used\":\"perf + inferno\",\"duration_ms\":1234}";
    tacho_flame *flame = NULL, *back = NULL;
    char *json, *again;
    size_t len;

    CHECK_INT(tacho_flame_from_json(reference, strlen(reference), &flame, NULL), 0);
    CHECK_INT(tacho_flame_to_json(flame, &json, &len, NULL), 0);
    CHECK_INT(tacho_flame_from_json(json, len, &back, NULL), 0);
    CHECK_TEXT(tacho_flame_svg_path(back), "/tmp/profiles/flamegraph-bench.svg");
    CHECK_TEXT(tacho_flame_profiler_used(back), "perf + inferno");
    CHECK_INT(tacho_flame_duration_ns(back), 1234000000);
    CHECK_INT(tacho_flame_wait_status(back), -1);
    CHECK_INT(tacho_flame_to_json(back, &again, NULL, NULL), 0);
    CHECK_TEXT(again, json);
    free(json);
    free(again);
    tacho_flame_free(flame);
    tacho_flame_free(back);
}

static void ensure_output_dir_creates_nested_dirs(void)
{
    CHECK(access("a", F_OK) < 0);
    tacho_flame_free(capture("x", "a/b/c"));
    CHECK(access("a/b/c", F_OK) == 0);
}

static void ensure_output_dir_succeeds_if_exists(void)
{
    CHECK_INT(mkdir("there", 0777), 0);
    tacho_flame_free(capture("x", "there"));
}

/* The trait: stacks of the caller's own profiler are drawn, counted and described. */
static void own_profiler_is_used(void)
{
    tacho_flame *flame = capture("x", "out");
    char *svg = read_whole(tacho_flame_svg_path(flame), NULL);

    CHECK_TEXT(profiled, "echo");
    CHECK_TEXT(tacho_flame_profiler_used(flame), "two stacks");
    CHECK_INT(tacho_flame_samples(flame), 4);
    CHECK_TEXT(tacho_flame_hottest_name(flame, 0), "hot");
    CHECK_INT(tacho_flame_wait_status(flame), 0);
    CHECK_CONTAINS(svg, ">hot");
    free(svg);
    tacho_flame_free(flame);
}

static int draws_itself(void *ctx, const tacho_flame_request *request, tacho_flame_output *out,
                        tacho_error *err)
{
    const char *svg = ctx;

    (void)request;
    return tacho_flame_set_svg(out, svg, strlen(svg), err);
}

static int fails(void *ctx, const tacho_flame_request *request, tacho_flame_output *out,
                 tacho_error *err)
{
    (void)ctx, (void)request, (void)out;
    return tacho_flame_fail(err, TACHO_FLAME_COMMAND_FAILED, "my sampler", "no licence");
}

static int fail_with(tacho_flame_request *request, tacho_error *err)
{
    tacho_flame *flame = NULL;
    int status = tacho_flame_capture(request, &flame, err);

    CHECK(status < 0 && !flame);
    return err->kind;
}

static void own_profiler_may_draw_or_fail(void)
{
    static const char *const argv[] = {"echo", NULL};
    tacho_flame_profiler own = own_profiler();
    tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;
    tacho_flame *flame = NULL;
    tacho_error err;
    char picture[] = "<svg><text>mine</text></svg>", *svg;

    request.argv = argv;
    request.output_dir = "out";
    request.own = &own;
    own.capture = draws_itself;
    own.ctx = picture;
    CHECK_INT(tacho_flame_capture(&request, &flame, &err), 0);
    svg = read_whole(tacho_flame_svg_path(flame), NULL);
    CHECK_CONTAINS(svg, "mine");
    free(svg);
    tacho_flame_free(flame);
    request.flags = TACHO_FLAME_FOLDED;
    CHECK_INT(fail_with(&request, &err), TACHO_FLAME_OTHER);
    CHECK_INT(err.code, TACHO_EUNSUPPORTED);
    request.flags = 0;
    own.capture = fails;
    CHECK_INT(fail_with(&request, &err), TACHO_FLAME_COMMAND_FAILED);
    CHECK_TEXT(err.message, "profiler command failed: my sampler: no licence");
    request.profiler = "perf";
    CHECK_INT(fail_with(&request, &err), TACHO_FLAME_OTHER);
    CHECK_INT(err.code, TACHO_EINVAL);
}

/* The profilers of the reference, played by stand-ins that log their arguments. */

static void stand_in(const char *name, const char *script)
{
    char path[64], text[2048];

    mkdir("bin", 0777);
    snprintf(path, sizeof path, "bin/%s", name);
    snprintf(text, sizeof text,
             "#!/bin/sh\n"
             "{ printf '%%s|' %s \"$@\"; echo; } >>\"$LOG\"\n%s",
             name, script);
    write_whole(path, text);
    CHECK_INT(chmod(path, 0755), 0);
}

static const char perf[] = "case $1 in\n"
                           "record)\n"
                           "    while [ \"$1\" != -o ]; do shift; done\n"
                           "    echo data >\"$2\"\n"
                           "    shift 3\n"
                           "    exec \"$@\" ;;\n"
                           "script) echo text ;;\n"
                           "esac\n";
static const char collapses[] = "cat >/dev/null\necho 'prog;main;hot 3'\n";
static const char draws[] = "echo '<svg><text>inferno drew this</text></svg>'\n";

static void use_stand_ins(void)
{
    char folder[1024], value[2048];

    CHECK(getcwd(folder, sizeof folder) != NULL);
    snprintf(value, sizeof value, "%s/bin:/usr/bin:/bin", folder);
    setenv("PATH", value, 1);
    snprintf(value, sizeof value, "%s/log", folder);
    setenv("LOG", value, 1);
    stand_in("perf", perf);
    stand_in("inferno-collapse-perf", collapses);
    stand_in("inferno-collapse-dtrace", collapses);
    stand_in("inferno-flamegraph", draws);
    stand_in("dtrace", "while [ \"$1\" != -o ]; do shift; done\necho text >\"$2\"\n");
    stand_in("cargo", "while [ \"$1\" != --output ]; do shift; done\n"
                      "echo '<svg><text>cargo drew this</text></svg>' >\"$2\"\n");
    stand_in("cargo-flamegraph", "");
}

/* A request for a command that prints its working directory and environment. */
static tacho_flame_request request_for(const char *profiler)
{
    static const char *const argv[] = {"sh", "-c", "pwd >seen; echo \"$NAME\" >>seen", NULL};
    static const char *const env[] = {"NAME=a value", NULL};
    tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;

    mkdir("work", 0777);
    request.argv = argv;
    request.output_dir = "out";
    request.label = "x";
    request.cwd = "work";
    request.env = env;
    request.profiler = profiler;
    return request;
}

static void captures(tacho_flame_request *request, const char *used)
{
    tacho_flame *flame = NULL;
    tacho_error err = {.message = ""};

    if (tacho_flame_capture(request, &flame, &err) < 0)
        CHECK_TEXT(err.message, "");
    CHECK_TEXT(tacho_flame_svg_path(flame), "out/flamegraph-x.svg");
    CHECK_TEXT(tacho_flame_profiler_used(flame), used);
    CHECK(tacho_flame_duration_ns(flame) > 0);
    tacho_flame_free(flame);
}

static int files_in(const char *folder)
{
    char command[64];
    FILE *ls;
    int lines = 0, c;

    snprintf(command, sizeof command, "ls -A %s", folder);
    ls = popen(command, "r");
    CHECK(ls != NULL);
    while ((c = getc(ls)) != EOF)
        lines += c == '\n';
    pclose(ls);
    return lines;
}

static void perf_profiler_captures(void)
{
    tacho_flame_request request;
    char *text;

    use_stand_ins();
    request = request_for("perf-inferno");
    captures(&request, "perf + inferno");
    CHECK_INT(files_in("out"), 1); /* perf.data was removed */
    text = read_whole("work/seen", NULL);
    CHECK_CONTAINS(text, "/work\na value\n");
    free(text);
    text = read_whole("log", NULL);
    CHECK_CONTAINS(text, "perf|record|");
    CHECK_CONTAINS(text, "perf|record|-q|--no-bpf-event|-g|--call-graph|dwarf|-o|");
    CHECK_CONTAINS(text, "|--|sh|-c|pwd >seen; echo \"$NAME\" >>seen|\n");
    CHECK_CONTAINS(text, "perf|script|");
    CHECK_CONTAINS(text, "inferno-collapse-perf|\n");
    CHECK_CONTAINS(text, "inferno-flamegraph|");
    free(text);
}

static void perf_profiler_errors_name_the_command(void)
{
    static const struct {
        const char *program, *script, *message;
        int kind;
    } cases[] = {
        {"perf", "echo 'not allowed' >&2\nexit 1\n",
         "profiler command failed: perf record: not allowed", TACHO_FLAME_COMMAND_FAILED},
        {"perf",
         "case $1 in record) while [ \"$1\" != -o ]; do shift; done; echo data >\"$2\" ;;\n"
         "script) echo 'bad file' >&2; exit 1 ;; esac\n",
         "profiler command failed: perf script: bad file", TACHO_FLAME_COMMAND_FAILED},
        {"inferno-collapse-perf", "echo 'bad text' >&2\nexit 1\n",
         "profiler command failed: inferno-collapse-perf: bad text", TACHO_FLAME_COMMAND_FAILED},
        {"inferno-flamegraph", "echo 'no stacks' >&2\nexit 1\n",
         "profiler command failed: inferno-flamegraph: no stacks", TACHO_FLAME_COMMAND_FAILED},
        {"inferno-flamegraph", "", "profiler produced no output", TACHO_FLAME_NO_OUTPUT},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tacho_flame_request request;
        tacho_error err;

        use_stand_ins();
        stand_in(cases[i].program, cases[i].script);
        request = request_for("perf-inferno");
        CHECK_INT(fail_with(&request, &err), cases[i].kind);
        CHECK_TEXT(err.message, cases[i].message);
        CHECK_INT(files_in("out"), 0);
    }
}

static void output_errors_name_the_path(void)
{
    tacho_flame_request request;
    tacho_error err;

    use_stand_ins();
    request = request_for("perf-inferno");
    request.output_dir = "/dev/null/out";
    CHECK_INT(fail_with(&request, &err), TACHO_FLAME_CREATE_DIR);
    CHECK_CONTAINS(err.message, "failed to create output directory /dev/null/out: ");
    request.output_dir = "out";
    CHECK_INT(mkdir("out", 0777), 0);
    CHECK_INT(mkdir("out/flamegraph-x.svg", 0777), 0);
    CHECK_INT(fail_with(&request, &err), TACHO_FLAME_WRITE_SVG);
    CHECK_CONTAINS(err.message, "failed to write flamegraph SVG to out/flamegraph-x.svg: ");
}

static void dtrace_profiler_captures(void)
{
    static const char *const argv[] = {"./prog", "a", "b", NULL};
    tacho_flame_request request;
    char *text;

    use_stand_ins();
    request = request_for("dtrace-inferno");
    request.argv = argv;
    captures(&request, "dtrace + inferno");
    CHECK_INT(files_in("out"), 1); /* the file of stacks was removed */
    text = read_whole("log", NULL);
    CHECK_CONTAINS(text, "dtrace|-x|ustackframes=100|-n|profile-997 /execname == \"prog\"/ { "
                         "@[ustack(100)] = count(); }|-c|./prog a b|-o|");
    CHECK_CONTAINS(text, "inferno-collapse-dtrace|\n");
    CHECK_CONTAINS(text, "inferno-flamegraph|");
    free(text);
}

/* Different on purpose: the reference joins the arguments by blanks, so dtrace splits them
   differently. */
static void dtrace_refuses_what_it_would_split(void)
{
    static const char *const words[] = {"a b", "a\tb", "", "a\\b"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *const argv[] = {"./prog", words[i], NULL};
        tacho_flame_request request;
        tacho_error err;

        use_stand_ins();
        request = request_for("dtrace-inferno");
        request.argv = argv;
        CHECK_INT(fail_with(&request, &err), TACHO_FLAME_OTHER);
        CHECK_INT(err.code, TACHO_EINVAL);
    }
}

static void cargo_flamegraph_profiler_captures(void)
{
    tacho_flame_request request;
    tacho_error err;
    char *text;

    use_stand_ins();
    request = request_for("cargo-flamegraph");
    captures(&request, "cargo-flamegraph");
    text = read_whole("log", NULL);
    CHECK_CONTAINS(text, "cargo|flamegraph|--output|");
    CHECK_CONTAINS(text, "|--|sh|-c|");
    free(text);
    stand_in("cargo", "echo 'no Cargo.toml' >&2\nexit 101\n");
    CHECK_INT(fail_with(&request, &err), TACHO_FLAME_COMMAND_FAILED);
    CHECK_TEXT(err.message, "profiler command failed: cargo flamegraph: no Cargo.toml");
    stand_in("cargo", "");
    CHECK_INT(fail_with(&request, &err), TACHO_FLAME_NO_OUTPUT);
    CHECK_TEXT(err.message, "profiler produced no output");
}

/* Different on purpose: the flamegraph of a command that fails is often the one that is needed. */
static void a_failing_command_is_profiled(void)
{
    static const char *const argv[] = {"sh", "-c", "exit 3", NULL};
    tacho_flame_request request;
    tacho_flame *flame = NULL;

    use_stand_ins();
    request = request_for("perf-inferno");
    request.argv = argv;
    CHECK_INT(tacho_flame_capture(&request, &flame, NULL), 0);
    CHECK_INT(WEXITSTATUS(tacho_flame_wait_status(flame)), 3);
    tacho_flame_free(flame);
}

static const struct conformance_case cases[] = {
    CASE(svg_output_path_sanitizes_label),
    CASE(svg_output_path_preserves_valid_chars),
    CASE(profile_error_display),
    CASE(profile_result_serialization_roundtrip),
    CASE(ensure_output_dir_creates_nested_dirs),
    CASE(ensure_output_dir_succeeds_if_exists),
    CASE(own_profiler_is_used),
    CASE(own_profiler_may_draw_or_fail),
    CASE(perf_profiler_captures),
    CASE(perf_profiler_errors_name_the_command),
    CASE(output_errors_name_the_path),
    CASE(dtrace_profiler_captures),
    CASE(dtrace_refuses_what_it_would_split),
    CASE(cargo_flamegraph_profiler_captures),
    CASE(a_failing_command_is_profiled),
};

CONFORMANCE_MAIN(cases)
