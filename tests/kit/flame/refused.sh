#!/bin/sh
# The kernel refuses perf events. With --profiler native one message says what to run. Without it
# another profiler is used, and a line says so. norights.sh tests the results of those profilers.
#
#   refused.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/capture.sh"
programs=$3
refuse=$programs/refuse
"$refuse" EPERM true || skip "no seccomp filters here"

# refused ERRNO TEXT OPTION...: fails with that text and with all of the advice
refused()
{
    number=$1
    text=$2
    shift 2
    ! "$refuse" "$number" "$tacho" flame --profiler native "$@" -- "$programs/workload" shares 10 >out.txt 2>err.txt ||
        fail "it should not be allowed: $number $*"
    for line in "tacho: profiler command failed: native: $text" 'sudo setcap cap_perfmon=ep' \
        'docker run --cap-add PERFMON' '--security-opt seccomp=unconfined' 'tacho flame draw'; do
        grep -qF -- "$line" err.txt || { cat err.txt; fail "$number $*: it does not say '$line'"; }
    done
    [ "$(grep -c '^tacho: ' err.txt)" = 1 ] || { cat err.txt; fail "there is more than one message"; }
    [ ! -s out.txt ] || fail "it printed something"
    [ ! -e flamegraph-workload.svg ] || fail "it wrote something"
}

# By a container's filter: for everybody, whatever kernel.perf_event_paranoid is.
refused ENOSYS 'the kernel has no perf events, or the container hides them'
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
    for number in EPERM EACCES; do
        refused $number 'no permission to sample this process: perf events are forbidden in this container'
    done
    refused EPERM 'no permission to sample this process: ' --off-cpu
fi

# By kernel.perf_event_paranoid at 3 and above, which only some kernels know.
at_level()
{
    level=$1
    shift
    echo "$level" >level
    # shellcheck disable=SC2016  # for the inner shell
    unshare -m sh -c 'mount --bind level /proc/sys/kernel/perf_event_paranoid && shift && exec "$@"' sh - "$@"
}
user='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all'
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && at_level 3 true 2>/dev/null; then
    chmod 755 "$scratch"
    mkdir -m 777 open
    cp "$tacho" "$programs/workload" "$refuse" .
    for who in "$user" env; do # env: as root
        for level in 3 4; do
            # shellcheck disable=SC2086  # several words
            ! at_level $level $who ./refuse EACCES ./tacho flame --profiler native --out-dir open -- ./workload shares 10 2>err.txt ||
                fail "it should not be allowed at $level"
            grep -qF "kernel.perf_event_paranoid is $level; run 'sudo sysctl kernel.perf_event_paranoid=2', or run tacho as root" err.txt ||
                { cat err.txt; fail "at $level it does not say what to run"; }
        done
    done
fi

# SystemTap's program called dtrace is not a profiler and must not be used as one.
mkdir systemtap
# shellcheck disable=SC2016  # the stand-in's own word
printf '#!/bin/sh\n[ "$1" != -V ]\n' >systemtap/dtrace
chmod +x systemtap/dtrace
! PATH=$scratch/systemtap:$PATH "$refuse" EPERM "$tacho" flame --off-cpu -- true >out.txt 2>err.txt || fail "SystemTap's dtrace was used as a profiler"
grep -qF 'tacho: profiler command failed: native: ' err.txt || { cat err.txt; fail "the reason is not that of the best profiler"; }

# Another profiler may have rights that tacho lacks. Then it is used, and a message says so.
mkdir bin
cat >bin/perf <<'STAND_IN'
#!/bin/sh
case $1 in
record)
    while [ "$1" != -o ]; do shift; done
    [ "$2" = /dev/null ] || echo data >"$2"
    ;;
script) printf 'prog 1 1.000: 1 cycles:\n\t1 hot (/prog)\n\t2 main (/prog)\n\n' ;;
esac
STAND_IN
chmod +x bin/perf
PATH=$scratch/bin:$PATH "$refuse" EPERM "$tacho" flame --json -- true >out.txt 2>err.txt || { cat err.txt; fail "perf was not used"; }
grep -qF "tacho: profiler 'perf' is used instead of 'native': no permission to sample" err.txt || { cat err.txt; fail "no message says that perf is used"; }
grep -qF "\"notice\":\"profiler 'perf' is used instead of 'native': no permission" out.txt || { cat out.txt; fail "--json does not say that perf is used"; }
grep -qF '"profiler_used":"perf"' out.txt || fail "another profiler is named"
as_schema
