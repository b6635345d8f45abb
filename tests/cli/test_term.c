/* Tests of the output on a terminal and elsewhere. The sample command runs on its own pty. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/core/progress.h"
#include "cli/core/term.h"

/* Runs the sample with its stdout or stderr on a terminal of 50 columns and stores what it prints
   there. */
static void run_on_terminal(const char *const *argv, int stream, char *out, size_t size)
{
    int ours = posix_openpt(O_RDWR | O_NOCTTY);
    const struct winsize shape = {.ws_col = 50, .ws_row = 24};
    size_t len = 0;
    ssize_t got;
    pid_t pid;

    assert_true(ours >= 0 && grantpt(ours) == 0 && unlockpt(ours) == 0);
    assert_int_equal(ioctl(ours, TIOCSWINSZ, &shape), 0);
    pid = fork();
    if (pid == 0) {
        int theirs = open(ptsname(ours), O_RDWR | O_NOCTTY);
        int null = open("/dev/null", O_WRONLY);

        dup2(stream == STDOUT_FILENO ? null : theirs, STDERR_FILENO);
        dup2(stream == STDOUT_FILENO ? theirs : null, STDOUT_FILENO);
        close(theirs);
        execv(TACHO_SAMPLE, (char *const *)(uintptr_t)argv);
        _exit(99);
    }
    assert_true(pid > 0);
    /* Reading a pty fails with EIO when the last holder of the other side has closed it. */
    while (len + 1 < size && (got = read(ours, out + len, size - 1 - len)) > 0)
        len += (size_t)got;
    out[len] = '\0';
    close(ours);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static int set_plain_environment(void **state)
{
    (void)state;
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("COLUMNS");
    unsetenv("NO_COLOR");
    return 0;
}

static void colours_a_terminal(void **state)
{
    const char *const argv[] = {"tacho", "table", NULL};
    char out[4096];

    (void)state;
    run_on_terminal(argv, STDOUT_FILENO, out, sizeof out);
    assert_non_null(strstr(out, "\033[36mmain\033[0m"));
}

static void fits_the_terminal(void **state)
{
    const char *const argv[] = {"tacho", "table", "--color", "never", NULL};
    char out[4096];

    (void)state;
    run_on_terminal(argv, STDOUT_FILENO, out, sizeof out);
    assert_non_null(strstr(out, "a function whose nam\u2026  625.0 ms   50.0 %  \u2588"));
}

static void leaves_out_colours_on_request(void **state)
{
    const char *const argv[] = {"tacho", "table", NULL};
    const char *const never[] = {"tacho", "table", "--color=never", NULL};
    char out[4096];

    (void)state;
    run_on_terminal(never, STDOUT_FILENO, out, sizeof out);
    assert_null(strstr(out, "\033["));
    setenv("NO_COLOR", "1", 1);
    run_on_terminal(argv, STDOUT_FILENO, out, sizeof out);
    assert_null(strstr(out, "\033["));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    run_on_terminal(argv, STDOUT_FILENO, out, sizeof out);
    assert_null(strstr(out, "\033["));
}

static void draws_progress_and_erases_it(void **state)
{
    const char *const argv[] = {"tacho", "progress", NULL};
    char out[4096];
    const char *drawn, *message;

    (void)state;
    run_on_terminal(argv, STDERR_FILENO, out, sizeof out);
    drawn = strstr(out, "0/3");
    message = strstr(out, "\r\033[Ktacho: warning: half-way"); /* not on the progress line */
    assert_true(drawn && message && drawn < message);
    assert_string_equal(out + strlen(out) - strlen("\r\033[K"), "\r\033[K");
}

static void draws_no_progress_when_quiet(void **state)
{
    const char *const argv[] = {"tacho", "progress", "--quiet", NULL};
    char out[4096];

    (void)state;
    run_on_terminal(argv, STDERR_FILENO, out, sizeof out);
    assert_string_equal(out, "tacho: warning: half-way\r\n");
}

/* Stores what `body` writes to stderr while stderr is declared a terminal. */
static void read_stderr(void (*body)(const struct args *args), char *text, size_t size)
{
    const struct args args = {.err = {.is_tty = true, .width = 80}};
    FILE *file = tmpfile();
    int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

    assert_true(file && saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    body(&args);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static size_t lines_begun(void (*body)(const struct args *args))
{
    static const char start[] = "\r\033[K";
    char text[64 * 1024];
    size_t count = 0;

    read_stderr(body, text, sizeof text);
    for (const char *at = text; (at = strstr(at, start)); at += strlen(start))
        count++;
    return count;
}

static uint64_t spent_ns;

static void step_for_a_while(const struct args *args)
{
    uint64_t start = tch_now_ns();
    struct progress p;

    cli_progress_begin(&p, args, "stepping", 1000);
    for (uint64_t i = 0; tch_now_ns() - start < 30000000; i++)
        cli_progress_step(&p, i);
    cli_progress_end(&p);
    spent_ns = tch_now_ns() - start;
}

static void draws_progress_ten_times_a_second_at_most(void **state)
{
    size_t begun;

    (void)state;
    begun = lines_begun(step_for_a_while);
    assert_true(begun >= 2); /* at the start, and to erase it */
    assert_true(begun <= 2 + spent_ns / 100000000);
}

static void hide_and_step(const struct args *args)
{
    struct progress p;

    cli_progress_begin(&p, args, "hiding", 3);
    cli_progress_hide();
    cli_progress_hide(); /* nothing is left to erase */
    cli_progress_step(&p, 1);
    cli_progress_end(&p);
    cli_progress_hide();
}

static void draws_hidden_progress_again_at_the_next_step(void **state)
{
    (void)state;
    assert_int_equal(lines_begun(hide_and_step), 4); /* drawn, erased, drawn, erased */
}

static void complain_of_places(const struct args *args)
{
    tacho_error err = {.line = 1, .column = 1, .message = "why"};

    (void)args;
    cli_complain(&err, "cannot read '%s'", "a");
    err.column = 0;
    cli_complain(&err, "cannot read '%s'", "b\n\033[2J");
    err.line = 0;
    cli_complain(&err, "cannot read '%s'", "c");
    cli_complain(NULL, "cannot read '%s'", "d");
}

static void errors_name_line_and_column_if_known(void **state)
{
    char text[1024];

    (void)state;
    read_stderr(complain_of_places, text, sizeof text);
    assert_string_equal(text, "tacho: cannot read 'a': line 1, column 1: why\n"
                              "tacho: cannot read 'b??[2J': line 1: why\n"
                              "tacho: cannot read 'c': why\n"
                              "tacho: cannot read 'd'\n");
}

static void line_is(const struct progress *p, uint64_t elapsed_ns, const char *want)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    cli_progress_line(&b, p, elapsed_ns);
    assert_string_equal(b.data, want);
    tch_buf_release(&b);
}

static void shows_share_count_and_time_left(void **state)
{
    const uint64_t second = 1000000000;
    struct progress p = {.what = "run", .done = 5, .total = 20, .term = {.width = 80}};

    (void)state;
    line_is(&p, 20 * second, "run  ######                     25%  5/20  1:00 left");
    line_is(&p, 5000 * second, "run  ######                     25%  5/20  4:10:00 left");
    p.term.width = 40; /* no room for the bar */
    line_is(&p, 20 * second, "run   25%  5/20  1:00 left");
    p.done = 30; /* more than was planned */
    line_is(&p, 20 * second, "run  100%  20/20");
    p.done = 0; /* no rate to estimate from */
    line_is(&p, 20 * second, "run    0%  0/20");
    p.total = 0;
    p.done = 7;
    line_is(&p, 65 * second, "run  7  1:05");
}

static void reads_the_locale_by_its_name(void **state)
{
    struct term term;

    (void)state;
    setenv("LC_ALL", "en_US.utf8", 1);
    cli_term_init(&term, STDOUT_FILENO, WHEN_AUTO, 0);
    assert_true(term.utf8);
    setenv("LC_ALL", "C", 1);
    setenv("LANG", "en_US.UTF-8", 1);
    cli_term_init(&term, STDOUT_FILENO, WHEN_AUTO, 0);
    assert_false(term.utf8); /* the first that is set decides */
    setenv("LC_ALL", "", 1);
    unsetenv("LC_CTYPE");
    cli_term_init(&term, STDOUT_FILENO, WHEN_AUTO, 0);
    assert_true(term.utf8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(colours_a_terminal, set_plain_environment),
        cmocka_unit_test_setup(fits_the_terminal, set_plain_environment),
        cmocka_unit_test_setup(leaves_out_colours_on_request, set_plain_environment),
        cmocka_unit_test_setup(draws_progress_and_erases_it, set_plain_environment),
        cmocka_unit_test_setup(draws_no_progress_when_quiet, set_plain_environment),
        cmocka_unit_test(draws_progress_ten_times_a_second_at_most),
        cmocka_unit_test(draws_hidden_progress_again_at_the_next_step),
        cmocka_unit_test(errors_name_line_and_column_if_known),
        cmocka_unit_test(shows_share_count_and_time_left),
        cmocka_unit_test_setup(reads_the_locale_by_its_name, set_plain_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
