/* Tests the readers of folded stacks and of the text of perf and DTrace, including malformed
   lines. */
#include "support/test.h"

#include "kit/flame/read/profile_read.h"
#include "profile.h"

/* A sample of one frame, so that a case is one line. */
#define EVENT       "prog  42 [000] 1.5: 10 cycles: \n"
#define FRAME(line) EVENT "\t" line "\n\n"

static const struct tch_flame_read_options plain;
static const struct tch_flame_read_options all = {
    .mark_kernel = true, .mark_jit = true, .mark_inlined = true};

struct one {
    const char *line;
    const char *name;
};

static void frames_are_named(void **state)
{
    static const struct one cases[] = {
        {"401b97 main+0x1f (/bin/x)", "main"},
        {"401b97 main (/bin/x)", "main"},
        {"401b97 [unknown] (/usr/lib/libx.so.1)", "[libx.so.1]"},
        {"401b97 [unknown] ([unknown])", "[unknown]"},
        {"401b97 f (inlined)", "f"},
        {"401b97 std::unique_ptr<T>::operator->() const (/bin/x)",
         "std::unique_ptr<T>::operator->"},
        {"401b97 (anonymous namespace)::f(int) (/bin/x)", "(anonymous namespace)::f"},
        {"401b97 a::(anonymous namespace)::f(int) (/bin/x)", "a::(anonymous namespace)::f"},
        {"401b97 std::function<void (int)>::call(int) const (/bin/x)",
         "std::function<void (int)>::call"},
        {"401b97 f(int)::{lambda(long)#2}::operator()+0x1f (/bin/x)",
         "f(int)::{lambda(long)#2}::operator()"},
        {"401b97 net/http.(*Client).Do (/bin/x)", "net/http.(*Client).Do"},
        {"401b97 f(int, char) (/bin/x)", "f"},
        {"401b97 a;b (/bin/x)", "a:b"},
        {"401b97 say\"it's\" (/bin/x)", "say\"it's\""},
        {"401b97 f+0x3 (/opt/my app/lib x.so)", "f"},
        {"401b97 foo+0x3 (/tmp/x (deleted))", "foo"},
        {"401b97 [unknown] (/tmp/x (deleted))", "[x]"},
        {"401b97 __vdso_gettimeofday ([vdso])", "__vdso_gettimeofday"},
        {"401b97 _$LT$alloc..vec..Vec$LT$T$GT$$GT$::push::h0123456789abcdef (/bin/x)",
         "<alloc::vec::Vec<T>>::push"},
        {"401b97 core::ops::$u7b$closure$u7d$::h0123456789abcdef (/bin/x)", "core::ops::{closure}"},
        {"401b97 f+0x3 (/bin/x)\r", "f"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        char wanted[512];

        snprintf(text, sizeof text, FRAME("%s"), cases[i].line);
        snprintf(wanted, sizeof wanted, "prog;%s 10\n", cases[i].name);
        test_folds(text, &plain, wanted);
    }
}

static void frames_are_marked(void **state)
{
    static const struct one cases[] = {
        {"ffff sys_read ([kernel.kallsyms])", "sys_read_[k]"},
        {"ffff f ([nf_tables])", "f_[k]"},
        {"ffff f (/lib/modules/x/vmlinux)", "f_[k]"},
        {"ffff f (/usr/lib/debug/boot/vmlinux-6.1.0-13)", "f_[k]"},
        {"ffff f (/lib/modules/6.1/kernel/fs/ext4/ext4.ko)", "f_[k]"},
        {"ffff __vdso_time ([vdso])", "__vdso_time"},
        {"ffff [unknown] ([unknown])", "[unknown]"},
        {"ffff [unknown] ([vdso])", "[[vdso]]"},
        {"ffff f (/tmp/perf-123.map)", "f_[j]"},
        {"ffff f (/tmp/jitted-123-4.so)", "f_[j]"},
        {"ffff f (/tmp/perf-x.map)", "f"},
        {"ffff f (inlined)", "f_[i]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        char wanted[512];

        snprintf(text, sizeof text, FRAME("%s"), cases[i].line);
        snprintf(wanted, sizeof wanted, "prog;%s 10\n", cases[i].name);
        test_folds(text, &all, wanted);
    }
}

static void events_are_understood(void **state)
{
    static const struct one cases[] = {
        {"V8 WorkerThread 42 [000] 1.5: 10 cycles: ", "V8_WorkerThread"},
        {"pool 1 42 [000] 1.5: 10 cycles: ", "pool_1"},
        {"a 42 1.5: 10 cycles: ", "a"},
        {"   spaced 42 1.5: 10 cycles: ", "spaced"},
        {"x/y:z (k) 41/42 [000] 1.5: 10 cycles:uppp: ", "x/y:z_(k)"},
        {"prog 42 10 cycles: ", "prog"},
        {"prog 42 [000] 1.5: 10 sched:sched_switch: prev_comm=a prev_pid=3 ==> next_comm=b",
         "prog"},
        {"prog 42 [000] 1.5: 10 cpu_core/cycles/u: ", "prog"},
        {"VM:    0 VCPU:001 prog 42 [000] 1.5: 10 cycles: ", "prog"},
        {"a;b 42 1.5: 10 cycles: ", "a:b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        char wanted[512];

        snprintf(text, sizeof text, "%s\n\t401 f (/bin/x)\n\n", cases[i].line);
        snprintf(wanted, sizeof wanted, "%s;f 10\n", cases[i].name);
        test_folds(text, &(struct tch_flame_read_options){.kind = TCH_READ_PERF}, wanted);
    }
}

static void processes_and_threads_are_distinguished(void **state)
{
    (void)state;
    test_folds("p 1/2 1.5: cycles: \n\t4 f (x)\n\n", &(struct tch_flame_read_options){.pid = true},
               "p-1;f 1\n");
    test_folds("p 1/2 1.5: cycles: \n\t4 f (x)\n\n", &(struct tch_flame_read_options){.tid = true},
               "p-1/2;f 1\n");
    test_folds("p 2 1.5: cycles: \n\t4 f (x)\n\n", &(struct tch_flame_read_options){.tid = true},
               "p-?/2;f 1\n");
    test_folds("p-1/2;f 3\np-1/4;f 4\nq-?/7;g 1\nr-x;h 1\n",
               &(struct tch_flame_read_options){.merge_threads = true}, "p;f 7\nq;g 1\nr-x;h 1\n");
}

static void addresses_of_the_unknown_on_request(void **state)
{
    (void)state;
    test_folds(FRAME("7f12 [unknown] (/lib/libc.so.6)"),
               &(struct tch_flame_read_options){.addrs = true}, "prog;[libc.so.6 <7f12>] 10\n");
}

static void java_inlines_are_frames(void **state)
{
    static const char text[] = "java 1 1.5: cycles: \n\t4 La/B;.run->La/C;.go (/tmp/perf-1.map)\n\n"
                               "prog 1 1.5: cycles: \n\t4 a->b (/bin/x)\n\n";

    (void)state;
    test_folds(text, &plain, "java;a/B:.run;a/C:.go_[i] 1\nprog;a->b 1\n");
}

static void samples_end_in_many_ways(void **state)
{
    (void)state;
    test_folds(EVENT "\t401 f (x)", &plain, "prog;f 10\n");
    test_folds(EVENT "\t401 f (x)\n" EVENT "\t401 g (x)\n", &plain, "prog;f 10\nprog;g 10\n");
    test_folds(EVENT "\n", &plain, "prog 10\n");
    test_folds("prog 42 [000] 1.5: 10 cycles:  401 f+0x1 (x)\nprog 42 1.6: 10 cycles:  402 g (x)\n",
               &plain, "prog;f 10\nprog;g 10\n");
    test_folds("prog 42 1.5: 10 cycles: \r\n\t401 f (x)\r\n\r\n", &plain, "prog;f 10\n");
}

static void source_lines_join_the_name(void **state)
{
    static const char text[] =
        EVENT "\t401 f\n  a.c:3 (inlined)\n\t401 main+0x1 (/bin/x)\n  a.c:9\n\n";

    (void)state;
    test_folds(text, &plain, "prog;main;f 10\n");
    test_folds(text, &all, "prog;main;f_[i] 10\n");
    test_folds(text, &(struct tch_flame_read_options){.source = true},
               "prog;main:a.c:9;f:a.c:3 10\n");
    test_folds(EVENT "\tff sys ([kernel.kallsyms])\n  [kernel.kallsyms][ff]\n\t4 g (x)\n  ??:0\n\n",
               &(struct tch_flame_read_options){.source = true}, "prog;g;sys 10\n");
}

/* Some logs remove the blanks. */
static void stack_lines_may_lose_their_blanks(void **state)
{
    struct tch_read_notes notes;
    char *got;

    (void)state;
    test_folds(EVENT "4 f+0x1 (/bin/x)\n5 g (inlined)\n6 main (/bin/x)\n\n" EVENT "4 f (/bin/x)\n",
               &plain, "prog;f 10\nprog;main;g;f 10\n");
    test_folds(EVENT "4 f (/bin/x)\n" EVENT "4 f (/bin/x)\n", &plain, "prog;f 20\n");
    test_folds(EVENT "4 f (/bin/x)\na.c:7\n5 g (/bin/x)\nx[4] (inlined)\n",
               &(struct tch_flame_read_options){.source = true, .mark_inlined = true},
               "prog;g_[i];f:a.c:7 10\n");
    /* A program may have a name of hexadecimal digits. */
    test_folds(EVENT "4 f (/bin/x)\ncafe 7/8 [000] 1.6: 5 cycles: 4 f (/bin/x)\n", &plain,
               "cafe;f 5\nprog;f 10\n");
    test_folds("libc`read+0x1\na`main\n5\n", &plain, "a`main;libc`read 5\n");
    test_folds("a`main;libc`read 5\n", &plain, "a`main;libc`read 5\n");
    /* Neither the frames of another event nor text that is not a stack counts. */
    got = test_fold(EVENT "4 f (/bin/x)\n\nprog 42 1.6: 1 faults: \n4 g (/bin/x)\n5 h (/bin/x)\n\n",
                    &plain, &notes);
    assert_string_equal(got, "prog;f 10\n");
    assert_int_equal(notes.ignored, 0);
    free(got);
    got = test_fold(EVENT "4 f (/bin/x)\n[ perf record: woken up 1 times ]\n", &plain, &notes);
    assert_string_equal(got, "prog;f 10\n");
    assert_int_equal(notes.ignored, 1);
    free(got);
}

static void one_event_is_counted(void **state)
{
    static const char text[] = "p 1 1.5: 7 cycles:u: \n\t4 f (x)\n\n"
                               "p 1 1.6: 9 instructions: \n\t4 g (x)\n\n"
                               "p 1 1.7: 1 cycles: \n\t4 f (x)\n\n";
    struct tch_read_notes notes;

    (void)state;
    free(test_fold(text, &plain, &notes));
    assert_int_equal(notes.samples, 2);
    assert_int_equal(notes.events.count, 1);
    test_folds(text, &plain, "p;f 8\n");
    test_folds(text, &(struct tch_flame_read_options){.event = "instructions"}, "p;g 9\n");
}

static void lines_not_understood_are_counted(void **state)
{
    struct tch_read_notes notes;

    (void)state;
    free(test_fold(EVENT "\t401 f (x)\n\nPROCESSED 3 events\n\n" EVENT "\t401 f (x)\n\n", &plain,
                   &notes));
    assert_int_equal(notes.samples, 2);
    assert_int_equal(notes.ignored, 1);
    assert_int_equal(notes.first_ignored, 4);
}

static void comments_are_skipped(void **state)
{
    (void)state;
    test_folds("# cmdline : /usr/bin/perf record x\n#\n" EVENT "\t401 f (x)\n\n", &plain,
               "prog;f 10\n");
    test_folds("# austin: 3\na;b 5\n\n# duration: 7\n", &plain, "a;b 5\n");
}

static void folded_stacks_are_read_again(void **state)
{
    struct tch_read_notes notes;

    (void)state;
    test_folds("b;c 2\na;b 5\nb;c 3\r\n", &plain, "a;b 5\nb;c 5\n");
    test_folds("a;b 5 6\nb 1 0\n", &plain, "a;b 5 6\nb 1 0\n");
    test_folds("a b;c d 5\n", &plain, "a b;c d 5\n");
    test_folds("x 1 2 3\ny 4\nz 5 6\n", &plain, "x 1 2 3\nz 5 6\n");
    free(test_fold("a;b 5.75\nc 1.0\nnocount\n d 0\n", &plain, &notes));
    assert_true(notes.fractional);
    assert_int_equal(notes.ignored, 1);
    assert_int_equal(notes.first_ignored, 3);
    free(test_fold("memcpy@GLIBC_2.2.5 3\n", &plain, &notes));
    assert_false(notes.fractional);
}

static void stacks_are_shaped(void **state)
{
    (void)state;
    test_folds("a;b;c 5\n", &(struct tch_flame_read_options){.reverse = true}, "c;b;a 5\n");
    test_folds("m;r;r;r;h 1\nm;r;h 2\n",
               &(struct tch_flame_read_options){.collapse_recursion = true}, "m;r;h 3\n");
    test_folds("a;f+0x1F;0xzz 5\n", &(struct tch_flame_read_options){.strip_hex = true},
               "a;f+0x...;0xzz 5\n");
}

static void dtrace_stacks_are_read(void **state)
{
    static const char text[] = "CPU     ID                    FUNCTION:NAME\n"
                               "  0  64091                        :tick-60s\n\n\n"
                               "              libc.so.1`read+0xa\n"
                               "              prog`std::function<void (int)>::call(int)+0x1f\n"
                               "              prog`main+0x2\n"
                               "                7\n\n"
                               "              prog`0x401b97\n"
                               "              prog`main+0x2\n"
                               "               12\n";

    (void)state;
    test_folds(text, &plain,
               "prog`main;prog`0x401b97 12\n"
               "prog`main;prog`std::function<void (int)>::call;libc.so.1`read 7\n");
    test_folds("   a:b`double energy<Vec>(Vec const&)+0x1f\n   a;b`A::operator()(int)\n   7\n",
               &plain, "a:b`A::operator();a:b`energy<Vec> 7\n");
    test_folds("\n   libc`a\n   x`main\n   3\n   5\n   x`cut\n", &plain, "x`main;libc`a 3\n");
}

static void bpftrace_maps_are_read(void **state)
{
    static const char text[] = "Attaching 1 probe...\n\n\n"
                               "@[\n    read+16\n    main+99\n]: 71\n"
                               "@c[\n    ksys_read+4\n    do_syscall_64+0x3\n, \n"
                               "    7f12 read+16 (/lib/libc.so.6)\n    0x401000\n, sh, 42]: 5\n"
                               "@[sh, \n    A::operator()(int)+3\n]: 2\n"
                               "@total: 4\n@[\n    cut+1\n";
    struct tch_read_notes notes;

    (void)state;
    test_folds(text, &plain,
               "main;read 71\n"
               "sh;42;0x401000;read;do_syscall_64;ksys_read 5\n"
               "sh;A::operator() 2\n");
    free(test_fold(text, &plain, &notes));
    assert_int_equal(notes.ignored, 2);
    test_folds("@[\n    f+1\n]: 3\n", &plain, "f 3\n");
}

static void foreign_profiles_are_refused_by_name(void **state)
{
    static const struct {
        const char *text;
        const char *name; /* NULL: the text is read */
    } cases[] = {
        {"# callgrind format\nversion: 1\nevents: Ir\nfn=(1) main\n1 3\n", "callgrind"},
        {"version: 1\npositions: line\nevents: Ir\nsummary: 7\n", "callgrind"},
        {"desc: --x\ncmd: a\ntime_unit: i\n", "massif"},
        {"\n\x04\x08\x01\x10\x02 x", "pprof"},
        {"{\"nodes\":[{\"id\":1,\"callFrame\":{}}]}", ".cpuprofile"},
        {"{\n  \"$schema\": \"https://www.speedscope.app/file-format-schema.json\"}", "speedscope"},
        {"{\"meta\":{\"interval\":1,\"version\":24}}", "Firefox"},
        {"{\"type\": \"attached_probes\", \"data\": {}}", "bpftrace"},
        {"[{\"ph\":\"X\"}]", "Chrome trace"},
        {"{\"a\": 1}", "JSON"},
        {"<?xml version=\"1.0\"?>\n<svg/>", "SVG"},
        {"PERFILE2", "perf.data"},
        {"[unknown];main 3\n", NULL},
        {"{closure};main 3\n", NULL},
        {"\n\nmain 3\n", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_stacks stacks = {0};
        struct tch_flame_reader reader;
        tacho_error err = {0};
        int status;

        tch_read_init(&reader, &stacks, &plain);
        status = tch_read_mem(&reader, cases[i].text, strlen(cases[i].text), &err);
        assert_int_equal(status, cases[i].name ? TACHO_EINVAL : 0);
        assert_true(!cases[i].name || strstr(err.message, cases[i].name));
        assert_int_equal(stacks.count, cases[i].name ? 0 : 1);
        tch_read_release(&reader);
        tch_stacks_release(&stacks);
    }
}

static int fold_all(void *arg)
{
    struct tch_stacks stacks = {0};
    struct tch_timeline timeline = {0};
    struct tch_flame_reader reader;
    int status;

    tch_read_init(&reader, &stacks,
                  &(struct tch_flame_read_options){
                      .source = true, .tid = true, .strip_hex = true, .merge_threads = true});
    reader.timeline = &timeline;
    status = tch_read_mem(&reader, arg, strlen(arg), NULL);
    tch_read_release(&reader);
    tch_timeline_release(&timeline);
    tch_stacks_release(&stacks);
    return status;
}

static void survives_want_of_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(fold_all, "p 1/2 1.5: 1 cycles: \n\t4 f (x)\n  a.c:3\n\n"
                                          "p 1/2 1.5: 1 faults: \n\t4 f (x)\n\n"
                                          "p 1/2 1.5: 1 cycles: 4 g (x)\n");
    test_every_allocation_fails(fold_all, "a-1/2;b 5 6\nc;d 7 8\n");
    test_every_allocation_fails(fold_all, "   x`a\n   x`b\n   3\n");
    test_every_allocation_fails(fold_all, "@[sh, \n   a+1\n]: 3\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_named),
        cmocka_unit_test(frames_are_marked),
        cmocka_unit_test(events_are_understood),
        cmocka_unit_test(processes_and_threads_are_distinguished),
        cmocka_unit_test(addresses_of_the_unknown_on_request),
        cmocka_unit_test(java_inlines_are_frames),
        cmocka_unit_test(samples_end_in_many_ways),
        cmocka_unit_test(source_lines_join_the_name),
        cmocka_unit_test(stack_lines_may_lose_their_blanks),
        cmocka_unit_test(one_event_is_counted),
        cmocka_unit_test(lines_not_understood_are_counted),
        cmocka_unit_test(comments_are_skipped),
        cmocka_unit_test(folded_stacks_are_read_again),
        cmocka_unit_test(stacks_are_shaped),
        cmocka_unit_test(dtrace_stacks_are_read),
        cmocka_unit_test(bpftrace_maps_are_read),
        cmocka_unit_test(foreign_profiles_are_refused_by_name),
        cmocka_unit_test(survives_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
