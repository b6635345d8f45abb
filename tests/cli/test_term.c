/* What is shown on a terminal and what elsewhere: the sample command runs on a pty of its own. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/progress.h"
#include "cli/term.h"

/* Runs the sample with its stdout, or stderr, on a terminal 50 columns wide; what comes there. */
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
    /* A pty ends with EIO when the last holder of the other side is gone. */
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
    assert_non_null(strstr(out, "a function whose name \u2026   625 ms   50.0%  \u2588"));
}

static void leaves_colours_out_when_told(void **state)
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
    message = strstr(out, "\r\033[Ktacho: warning: half-way"); /* not on the progress's line */
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

static void line_is(const struct progress *p, uint64_t elapsed_ns, const char *want)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    progress_line(&b, p, elapsed_ns);
    assert_string_equal(b.data, want);
    tch_buf_release(&b);
}

static void tells_share_count_and_time_left(void **state)
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
    p.done = 0; /* no rate to tell from */
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
    term_init(&term, STDOUT_FILENO, WHEN_AUTO, 0);
    assert_true(term.utf8);
    setenv("LC_ALL", "C", 1);
    setenv("LANG", "en_US.UTF-8", 1);
    term_init(&term, STDOUT_FILENO, WHEN_AUTO, 0);
    assert_false(term.utf8); /* the first that is set decides */
    setenv("LC_ALL", "", 1);
    unsetenv("LC_CTYPE");
    term_init(&term, STDOUT_FILENO, WHEN_AUTO, 0);
    assert_true(term.utf8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(colours_a_terminal, set_plain_environment),
        cmocka_unit_test_setup(fits_the_terminal, set_plain_environment),
        cmocka_unit_test_setup(leaves_colours_out_when_told, set_plain_environment),
        cmocka_unit_test_setup(draws_progress_and_erases_it, set_plain_environment),
        cmocka_unit_test_setup(draws_no_progress_when_quiet, set_plain_environment),
        cmocka_unit_test(tells_share_count_and_time_left),
        cmocka_unit_test_setup(reads_the_locale_by_its_name, set_plain_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
