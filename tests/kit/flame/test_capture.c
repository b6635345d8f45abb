/* Tests the request of <tacho/flame.h> and its error messages. */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/flame.h>

#include "kit/flame/backend/backend.h"
#include "kit/flame/sample/perf_event_kind.h"
#include "kit/flame/sample/perf_rings.h"

static int try(const tacho_flame_request *request, tacho_error *err)
{
    tacho_flame *flame = NULL;
    int status = tacho_flame_capture(request, &flame, err);

    assert_null(flame); /* untouched on failure */
    return status;
}

static void a_request_must_make_sense(void **state)
{
    static const char *const argv[] = {"true", NULL};
    static const char *const empty[] = {NULL};
    tacho_flame_request r = TACHO_FLAME_REQUEST_INIT;
    tacho_error err;

    (void)state;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.argv = empty;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.argv = argv;
    r.pid = 1;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.pid = 0;
    r.rate = 1000000;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.rate = 0;
    r.stack_bytes = 12;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.stack_bytes = 0;
    r.call_graph = 9;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.call_graph = 0;
    r.flags = TACHO_FLAME_USER | TACHO_FLAME_KERNEL;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.flags = 0;
    r.profiler = "no-such";
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    assert_string_equal(err.message, "there is no profiler 'no-such'");
}

static void refuses_what_only_a_later_version_has(void **state)
{
    static const char *const argv[] = {"true", NULL};
    struct {
        tacho_flame_request known;
        uint64_t more;
    } r = {TACHO_FLAME_REQUEST_INIT, 1};
    tacho_error err;

    (void)state;
    r.known.size = sizeof r;
    r.known.argv = argv;
    r.known.output_dir = "/dev/null/folder";
    assert_int_equal(try(&r.known, &err), TACHO_EINVAL);
    r.more = 0;
    assert_int_equal(try(&r.known, &err), TACHO_EIO);
}

static void errors_have_their_messages(void **state)
{
    static const char *const argv[] = {"true", NULL};
    tacho_flame_request r = TACHO_FLAME_REQUEST_INIT;
    tacho_error err;

    (void)state;
    r.argv = argv;
    r.output_dir = "/dev/null/folder";
    assert_int_equal(try(&r, &err), TACHO_EIO);
    assert_memory_equal(err.message, "failed to create output directory /dev/null/folder: ", 52);
    assert_int_equal(err.kind, TACHO_FLAME_CREATE_DIR);
}

static void a_bad_result_is_refused_with_its_position(void **state)
{
    static const struct {
        const char *json, *message;
        uint64_t column;
    } cases[] = {
        {"[]", "a flamegraph result must be a JSON object", 0},
        {"{\"svg_path\":\"a\",\"profiler_used\":\"p\"}", "\"duration_ms\" is missing", 0},
        {"{\"svg_path\":null,\"profiler_used\":\"p\",\"duration_ms\":1}",
         "\"svg_path\" is not a text", 0},
        {"{\"svg_path\":7}", "\"svg_path\" is not a text", 13},
        {"{\"svg_path\":\"a\\u0000\"}", "\"svg_path\" is a text that contains U+0000", 13},
        {"{\"duration_ms\":1.5}", "\"duration_ms\" is not a whole number of at least 0", 16},
        {"{\"lost\":1,\"lost\":1}", "\"lost\" occurs twice", 18},
        {"{\"hottest\":[{\"function\":\"f\"}]}", "\"hottest\" is not an array of functions", 13},
        {"{\"event\":\"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\"}", "\"event\" is too long", 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tacho_flame *flame = NULL;
        tacho_error err;

        assert_int_equal(tacho_flame_from_json(cases[i].json, strlen(cases[i].json), &flame, &err),
                         TACHO_EPARSE);
        assert_null(flame);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(err.column, cases[i].column);
    }
}

static int parse_and_write(void *arg)
{
    static const char json[] =
        "{\"svg_path\":\"a\",\"profiler_used\":\"p\",\"duration_ms\":1,\"warnings\":[\"w\"],"
        "\"hottest\":[{\"function\":\"f\",\"kernel\":true,\"self\":1,\"total\":1}]}";
    tacho_flame *flame = NULL;
    char *text = NULL;
    int status = tacho_flame_from_json(json, sizeof json - 1, &flame, NULL);

    (void)arg;
    if (status == 0)
        status = tacho_flame_to_json(flame, &text, NULL, NULL);
    free(text);
    tacho_flame_free(flame);
    return status;
}

static void a_result_survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(parse_and_write, NULL);
}

static int bad_stacks(void *ctx, const tacho_flame_request *request, tacho_flame_output *out,
                      tacho_error *err)
{
    (void)ctx;
    (void)request;
    assert_int_equal(tacho_flame_add_stack(out, "", 1, err), TACHO_EINVAL);
    assert_int_equal(tacho_flame_add_stack(out, ";;", 1, err), TACHO_EINVAL);
    assert_int_equal(tacho_flame_add_stack(out, "a\nb", 1, err), TACHO_EINVAL);
    *err = (tacho_error){.message = ""};
    return TACHO_EIO; /* without a reason */
}

static void a_profiler_of_ones_own_is_checked(void **state)
{
    static const char *const argv[] = {"true", NULL};
    tacho_flame_profiler own = TACHO_FLAME_PROFILER_INIT;
    tacho_flame_request r = TACHO_FLAME_REQUEST_INIT;
    char name[65] = "";
    tacho_error err;

    (void)state;
    r.argv = argv;
    r.output_dir = "/tmp";
    r.own = &own;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    own.name = "mine";
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    own.capture = bad_stacks;
    assert_int_equal(try(&r, &err), TACHO_EIO);
    assert_string_equal(err.message, "profiler command failed: mine: TACHO_EIO");
    own.name = memset(name, 'n', 64);
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
}

static void every_profiler_has_a_name(void **state)
{
    const char *const *names = tacho_flame_profilers();
    size_t i;

    (void)state;
    for (i = 0; names[i]; i++)
        assert_string_equal(names[i], tch_backends[i]->name);
    assert_null(tch_backends[i]);
}

/* The message names the level that is enough, whatever the current level is. */
static void no_permission_says_what_to_run(void **state)
{
    struct tch_flame_sampler_options o = {.target = TCH_FLAME_TARGET_CHILD};
    tacho_error err;

    (void)state;
    for (int64_t level = 3; level <= 4; level++) {
        char wanted[200];

        snprintf(
            wanted, sizeof wanted,
            "no permission to sample this process: kernel.perf_event_paranoid is %d; run 'sudo "
            "sysctl kernel.perf_event_paranoid=2', or run tacho as root",
            (int)level);
        assert_int_equal(tch_flame_event_no_permission(level, &o, &err), TACHO_EUNSUPPORTED);
        assert_string_equal(err.message, wanted);
    }
    o.space = TCH_SPACE_KERNEL;
    tch_flame_event_no_permission(2, &o, &err);
    assert_non_null(strstr(err.message, "sysctl kernel.perf_event_paranoid=1"));
    o.target = TCH_FLAME_TARGET_ALL;
    tch_flame_event_no_permission(2, &o, &err);
    assert_non_null(strstr(err.message, "sysctl kernel.perf_event_paranoid=0"));
    o = (struct tch_flame_sampler_options){.target = TCH_FLAME_TARGET_CHILD};
    tch_flame_event_no_permission(1, &o, &err); /* the level does not forbid it */
    assert_non_null(strstr(err.message, "container"));
}

static void refusals_name_their_reason(void **state)
{
    struct tch_flame_sampler_options o = {.pid = 77};
    tacho_error err;

    (void)state;
    assert_int_equal(tch_flame_event_refused(ENOENT, &o, "cycles", &err), TACHO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "--event cpu-clock"));
    assert_int_equal(tch_flame_event_refused(ENOSYS, &o, "cycles", &err), TACHO_EUNSUPPORTED);
    assert_int_equal(tch_flame_event_refused(ESRCH, &o, "cycles", &err), TACHO_EINVAL);
    assert_string_equal(err.message, "there is no process 77");
    assert_int_equal(tch_flame_event_refused(EMFILE, &o, "cycles", &err), TACHO_EIO);
    assert_int_equal(tch_flame_event_refused(EIO, &o, "cycles", &err), TACHO_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_must_make_sense),
        cmocka_unit_test(refuses_what_only_a_later_version_has),
        cmocka_unit_test(errors_have_their_messages),
        cmocka_unit_test(a_bad_result_is_refused_with_its_position),
        cmocka_unit_test(a_result_survives_every_allocation_failing),
        cmocka_unit_test(a_profiler_of_ones_own_is_checked),
        cmocka_unit_test(every_profiler_has_a_name),
        cmocka_unit_test(no_permission_says_what_to_run),
        cmocka_unit_test(refusals_name_their_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
