#!/bin/sh
# Each source of names and unwind tables alone gives the known profile.
#
#   symbols.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/capture.sh"
programs=$3
workload=$programs/workload
can_sample "$workload"
need objcopy

# profile LABEL COMMAND...: folded stacks in LABEL.folded; $options are tacho's
options=
profile()
{
    label=$1
    shift
    # shellcheck disable=SC2086  # several words, or none
    "$tacho" flame --rate 4987 --folded --force --label "$label" $options -- "$@" >out.txt 2>&1 ||
        { cat out.txt; fail "cannot profile $label"; }
    mv "flamegraph-$label.folded" "$label.folded"
}

# known LABEL: hot, warm and main have their shares
known()
{
    # A few hundred samples: 8 points are more than four standard deviations.
    near "$1, hot" "$(share "$1.folded" hot)" 70 $points
    near "$1, warm" "$(share "$1.folded" warm)" 20 $points
    near "$1, main" "$(share "$1.folded" main)" 100 3
}

unknown()
{
    near "$1, hot" "$(share "$1.folded" hot)" 0 0
}

# at FILE FUNCTION: where it starts in the file, as a function without a name is shown
at()
{
    nm "$1" | awk -v name="$2" '$3 == name { sub(/^0*/, "", $1); print "0x" $1 }'
}

# Functions of stripped code are distinguished by the function starts of .eh_frame, wherever it is loaded.
objcopy --strip-all --remove-section=.gnu_debuglink "$workload" 'odd(1);name'
for label in nameless nameless-again; do
    profile $label './odd(1);name' shares 50
    near "$label, hot" "$(share "$label.folded" "odd(1):name+$(at "$workload" hot)")" 70 $points
    near "$label, warm" "$(share "$label.folded" "odd(1):name+$(at "$workload" warm)")" 20 $points
    near "$label, main" "$(share "$label.folded" "odd(1):name+$(at "$workload" main)")" 100 3
done
for format in svg speedscope pprof; do
    "$tacho" flame convert --to $format nameless.folded -o nameless.$format
done
gzip -dc <nameless.pprof >nameless.pb
for file in nameless.svg nameless.speedscope nameless.pb; do
    grep -qa "odd(1):name+$(at "$workload" hot)" $file || fail "$file does not have the function without a name"
done
library=$programs/libworkload.so
objcopy --strip-all "$library" libstripped.so
profile nameless-library "$workload" dlopen 50 "$scratch/libstripped.so"
near "library, hot" "$(share nameless-library.folded "libstripped.so+$(at "$library" library_hot)")" 67 $points
near "library, exported" "$(share nameless-library.folded library_work)" 100 3

# Debug information that takes all memory, or all time: the child that reads it dies, and symbols are enough.
profile hostile "$programs/workload_hostile" shares 50
known hostile
grep -q 'reading the symbols of workload_hostile .*; its inlined functions are missing' out.txt ||
    { cat out.txt; fail "hostile debug information was read, or not explained"; }
options=--no-inline
profile hostile-symbols "$programs/workload_hostile" shares 20
options=
! grep -q 'reading the symbols' out.txt || { cat out.txt; fail "debug information was read with --no-inline"; }

# Only .debug_frame, in the program or in its debug file, has unwind information.
if readelf -S "$programs/workload_debug_frame" | grep -q '\.debug_frame'; then
    profile debug-frame "$programs/workload_debug_frame" recursion 50
    known debug-frame
    grep -q 'main;.*recurse;recurse;recurse;recurse;.*;hot' debug-frame.folded || fail "recursion is not deep by .debug_frame"
    objcopy --compress-debug-sections=zlib "$programs/workload_debug_frame" debug-frame-packed
    profile debug-frame-packed ./debug-frame-packed recursion 50
    known debug-frame-packed
    objcopy --only-keep-debug "$programs/workload_debug_frame" frame.debug
    objcopy --strip-all --add-gnu-debuglink=frame.debug "$programs/workload_debug_frame" frame
    profile debug-frame-link ./frame recursion 50
    known debug-frame-link
    mv frame.debug elsewhere.debug
    profile debug-frame-none ./frame recursion 50
    near "without .debug_frame, main" "$(share debug-frame-none.folded main)" 0 0
fi

# A program that is deleted, or replaced, while it runs; the new one is not taken for the old one.
for how in deleted replaced; do
    cp "$workload" "$how"
    "./$how" shares 20000 &
    pid=$!
    # The shell's child has become the program.
    eventually [ "/proc/$pid/exe" -ef "$how" ] || fail "$how does not run"
    rm "$how"
    [ $how = deleted ] || cp "$programs/workload_stripped" $how
    "$tacho" flame -p $pid --rate 4987 --duration 1s --folded --label $how >out.txt 2>&1 || { cat out.txt; fail "cannot profile $how"; }
    kill -KILL $pid
    wait $pid 2>/dev/null || :
    mv flamegraph-$how.folded $how.folded
    known $how
done

# Another file under the same name, where the program has its own mounts: without names, not with ours.
if unshare -m true 2>/dev/null; then
    cp "$workload" outside
    objcopy --strip-all --remove-section=.gnu_debuglink "$workload" inside
    profile mounts unshare -m sh -c 'mount --bind inside outside && exec ./outside shares 50'
    unknown mounts
    cp "$workload" inside
    objcopy --strip-all --remove-section=.gnu_debuglink "$workload" outside
    profile mounts unshare -m sh -c 'mount --bind inside outside && exec ./outside shares 50'
    known_inside=$(grep -c '^outside;.*;hot' mounts.folded) || :
    [ "$known_inside" -gt 0 ] || { cat mounts.folded; fail "the file that the program sees is not read"; }
fi

# tacho asks for debug files, not the command, so the cost is not in the command's profile.
mkdir servers
cat >servers/debuginfod-find <<'END'
#!/bin/sh
i=0
while [ $i -lt 100000 ]; do i=$((i + 1)); done
exit 1
END
chmod 755 servers/debuginfod-find
objcopy --strip-all --remove-section=.gnu_debuglink "$workload" asking
options=--debuginfod
PATH=$scratch/servers:$PATH profile asking ./asking shares 100
options=
! grep -q '^debuginfod' asking.folded || fail "debuginfod-find is in the profile"

# Mini debug info.
if command -v xz >/dev/null; then
    objcopy --only-keep-debug "$workload" mini
    objcopy --strip-debug mini
    xz -k mini
    objcopy --strip-all --add-section .gnu_debugdata=mini.xz "$workload" with-mini
    profile mini ./with-mini shares 50
    known mini
    head -c 100 mini.xz >cut.xz
    objcopy --strip-all --add-section .gnu_debugdata=cut.xz "$workload" with-cut
    profile cut ./with-cut shares 20
    unknown cut
fi

# A separate debug file: by .gnu_debuglink beside the program and in .debug, of this build only.
objcopy --only-keep-debug "$workload" the.debug
objcopy --strip-all --add-gnu-debuglink=the.debug "$workload" linked
profile link ./linked shares 50
known link
mkdir .debug
mv the.debug .debug/
profile link-folder ./linked shares 50
known link-folder
objcopy --only-keep-debug "$programs/workload_fp" .debug/the.debug
profile link-other ./linked shares 20
unknown link-other
rm -r .debug

# By the build ID, in a folder of debug files.
id=$(readelf -n "$workload" | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug "$workload" by-id.debug
objcopy --strip-all "$workload" stripped
if [ -n "$id" ] && [ -d /usr/lib/debug ] && with_mounts true 2>/dev/null; then
    rest=${id#??}
    first=${id%"$rest"}
    # shellcheck disable=SC2016  # for the inner shell
    with_mounts sh -eu -c '
        mount -t tmpfs none /usr/lib/debug
        mkdir -p "/usr/lib/debug/.build-id/$2"
        cp by-id.debug "/usr/lib/debug/.build-id/$2/$3.debug"
        "$1" flame --rate 4987 --folded --label build-id -- ./stripped shares 50' sh "$tacho" "$first" "$rest" >out.txt 2>&1 ||
        { cat out.txt; fail "cannot profile with a folder of debug files"; }
    mv flamegraph-build-id.folded build-id.folded
    known build-id
fi

# From a server, through debuginfod-find, and only with --debuginfod.
mkdir bin
cat >bin/debuginfod-find <<STAND_IN
#!/bin/sh
echo "\$*" >>"$scratch/asked"
[ "\$2" = "$id" ] && echo "$scratch/by-id.debug"
STAND_IN
chmod +x bin/debuginfod-find
PATH=$scratch/bin:$PATH
profile not-asked ./stripped shares 20
[ ! -e asked ] || fail "debuginfod was asked without --debuginfod"
unknown not-asked
options=--debuginfod
profile asked ./stripped shares 50
options=
grep -qx "debuginfo $id" asked || fail "debuginfod was not asked for the program"
known asked

# Lambdas, operators and methods of C++ have different names, inlined or not. Versions of g++ differ in clones,
# and in which lambdas have a symbol, which includes their arguments.
if command -v g++ >/dev/null; then
    g++ -O2 -g -o lambdas "$1/tests/kit/flame/lambdas.cpp" || fail "g++"
    profile lambdas ./lambdas 60
    sed 's/ \[clone [^]]*\]//g; s/{lambda(long)#/{lambda#/g; s/method(int)/method/g' lambdas.folded >plain.folded
    for frame in 'run(int)::{lambda#1}::operator()' 'run(int)::{lambda#2}::operator()' 'run(int)::{lambda#3}::operator()' \
        'run(int)::{lambda#4}::operator()' '(anonymous namespace)::Worker::work' 'Functor::operator()' 'energy<int>' \
        '(anonymous namespace)::Worker::method::{lambda#1}::operator()'; do
        near "$frame" "$(share plain.folded "$frame")" 12.5 7
    done
    ! grep -q ';run;run[; ]' lambdas.folded || { cat lambdas.folded; fail "a lambda has the name of the function around it"; }
else
    echo "not tested: C++, because there is no g++"
fi

# The kernel's page of code in every process.
profile vdso "$workload" vdso 400
near "vdso, teller" "$(share vdso.folded teller)" 100 3
if grep -q vdso "/proc/$$/maps" && [ "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" = tsc ]; then
    grep -q 'teller;.*__vdso_clock_gettime\|teller;.*clock_gettime;' vdso.folded || { cat vdso.folded; fail "the vdso has no names"; }
    ! grep -q '\[vdso\]' vdso.folded || fail "code of the vdso has no name"
fi

# Languages with a JIT compiler, named by the maps that they write. TMPDIR of the maps is /tmp.
# compiled LABEL HOT WARM COMMAND...
compiled()
{
    label=$1
    hot=$2
    warm=$3
    shift 3
    options=--per-thread
    profile "$label" "$@"
    options=
    sed -n 's|^[^;]*-\([0-9]*\)/.*|/tmp/perf-\1.map|p' "$label.folded" | sort -u | xargs rm -f
    awk -v hot="$hot" -v warm="$warm" '
        { n = $NF } index($0, hot) { h += n } index($0, warm) { w += n }
        END { printf "%s: %d samples, %s: %d\n", hot, h, warm, w; exit !(h > 1.6 * w && h < 3.2 * w) }' "$label.folded" ||
        fail "$label: the shares of hot and warm are not 70 to 30"
}
if command -v node >/dev/null; then
    cat >work.js <<'JS'
function step(x, i) { return (x * 31 + i) % 1000003; }
function hotWork(n) { let x = 1; for (let i = 0; i < n; i++) x = step(x, i); return x; }
function warmWork(n) { let x = 1; for (let i = 0; i < n; i++) x = step(x, i); return x; }
let sum = 0;
for (let k = 0; k < 100; k++) sum += hotWork(350000) + warmWork(150000);
console.log(sum);
JS
    compiled node hotWork warmWork node --perf-basic-prof --interpreted-frames-native-stack work.js
    ! grep -q 'of its stacks' out.txt || { cat out.txt; fail "there is advice about node although its functions have names"; }
    profile node-nameless node work.js
    grep -q 'run node with --perf-basic-prof' out.txt || { cat out.txt; fail "there is no advice about node"; }
fi
if command -v javac >/dev/null; then
    cat >Work.java <<'JAVA'
public class Work {
    static int step(int x, int i) { return (x * 31 + i) % 1000003; }
    static int hotWork(int n) { int x = 1; for (int i = 0; i < n; i++) x = step(x, i); return x; }
    static int warmWork(int n) { int x = 1; for (int i = 0; i < n; i++) x = step(x, i); return x; }
    public static void main(String[] args)
    {
        long sum = 0;
        for (int k = 0; k < 200; k++)
            sum += hotWork(700000) + warmWork(300000);
        System.out.println(sum);
    }
}
JAVA
    javac Work.java
    profile java-nameless java Work
    advice=$(sed -n 's/.*run java with \(-XX.*DumpPerfMapAtExit\).*/\1/p' out.txt)
    [ -n "$advice" ] || { cat out.txt; fail "there is no advice about java"; }
    # shellcheck disable=SC2086  # what was advised, word by word
    compiled java hotWork warmWork java $advice Work
    ! grep -q 'run java with' out.txt || { cat out.txt; fail "there is advice about java although its methods have names"; }
fi
cat >work.py <<'PY'
def hot_work(n):
    x = 1
    for i in range(n):
        x = (x * 31 + i) % 1000003
    return x

def warm_work(n):
    x = 1
    for i in range(n):
        x = (x * 31 + i) % 1000003
    return x

for k in range(30):
    hot_work(70000)
    warm_work(30000)
PY
profile python-nameless python3 work.py
grep -q "do so with 'python3 -X perf'" out.txt || { cat out.txt; fail "there is no advice about python"; }
for python in python3 python3.14 python3.13 python3.12; do
    if "$python" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null; then
        compiled python hot_work warm_work "$python" -X perf work.py
        ! grep -q 'of its stacks' out.txt || { cat out.txt; fail "stacks of Python are truncated"; }
        break
    fi
done
