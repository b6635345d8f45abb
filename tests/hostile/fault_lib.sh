# shellcheck shell=sh
# Shared by tests that make calls inside of tacho fail: the scenarios, and the checks after a fault.
# Whichever call fails, tacho exits in time and is not killed by a signal, leaves no temporary file and
# keeps earlier results. When it exits with 0, all requested outputs exist and are complete.
# shellcheck disable=SC2016 # the commands that are measured expand their variables themselves

tacho=$1
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
need jq timeout
cd "$scratch" || exit 1
unset TACHO_RUN_DIR TACHO_TRACE_OUT TACHO_PROFILE_JSONL

scenarios="run report print recover compare sweep baseline gate flame watch"
seconds=30 # limit for a command, which normally takes less than one
label= # the fault, for messages
injected=0
fine=0 # faults after which the exit status was 0
wrong=0

# whole FILE...: returns whether each file exists and is complete.
whole()
{
    for file; do
        [ -s "$file" ] || return 1
        case $file in
        *.json) jq -e . "$file" >/dev/null 2>&1 || return 1 ;;
        *.html) tail -n 1 "$file" | grep -q '</html>' || return 1 ;;
        *.svg) tail -n 1 "$file" | grep -q '</svg>' || return 1 ;;
        *.xml) tail -n 1 "$file" | grep -q '</testsuite>' || return 1 ;;
        *.csv)
            [ "$(wc -l <"$file")" -ge 2 ] || return 1
            [ -z "$(tail -c 1 "$file")" ] || return 1
            ;;
        esac
    done
}

# Each scenario has four functions. They make the earlier results, run the command with the given words
# before it, check that all requested outputs exist, and check that the earlier results can still be
# read.

sound_run()
{
    whole "$1/run.json" "$1/report.html" "$1/report.md" &&
        [ "$(jq '.samples | length' "$1/run.json")" = 3 ] && "$tacho" witness verify "$1" >/dev/null
}

run_before() { "$tacho" run -q -n 3 -w 0 --seal --name earlier -- true; }
run_do()
{
    "$@" "$tacho" run -n 3 -w 0 --interval 1ms --trace --seal --name r --metric 'x=([0-9]+)' -- \
        sh -c 'echo x=1; echo {} >"$TACHO_RUN_DIR/profile.1.jsonl"'
}
run_done()
{
    sound_run tacho-out/r/latest && whole tacho-out/r/latest/trace.json &&
        [ "$(wc -l <tacho-out/r/latest/profile.jsonl)" = 3 ] && grep -q '^report: ' ../out
}
run_kept() { sound_run tacho-out/earlier/latest; }

report_before() { run_before; }
report_do() { "$@" "$tacho" report tacho-out/earlier/latest; }
report_done() { whole tacho-out/earlier/latest/report.html && [ -s ../out ]; }
report_kept()
{
    whole tacho-out/earlier/latest/report.html tacho-out/earlier/latest/run.json
}

print_before() { run_before; }
print_do() { "$@" "$tacho" report -o - tacho-out/earlier/latest; }
print_done() { tail -n 1 ../out | grep -q '</html>'; }
print_kept() { run_kept; }

# A run that was killed is completed.
recover_before()
{
    "$tacho" run -q -n 9 -w 0 --name k -- sh -c '
        echo {} >"$TACHO_RUN_DIR/profile.1.jsonl"
        [ -e third ] && kill -9 "$(cut -d " " -f 4 /proc/$PPID/stat)" && sleep 9
        [ -e second ] && >third
        >second'
    whole tacho-out/k/latest/samples.jsonl
}
recover_do() { "$@" "$tacho" report tacho-out/k/latest; }
recover_done()
{
    whole tacho-out/k/latest/run.json tacho-out/k/latest/report.html && recover_kept &&
        [ "$(grep -c . tacho-out/k/latest/profile.jsonl)" -ge 2 ] && [ -s ../out ]
}
recover_kept() { [ "$("$tacho" report -f csv tacho-out/k/latest 2>/dev/null | grep -c '^k,[0-9]')" = 2 ]; }

compare_before() { run_before; }
compare_do() { "$@" "$tacho" compare -t 5% --html c.html tacho-out/earlier/latest tacho-out/earlier/latest; }
compare_done() { whole c.html && grep -q 'INCONCLUSIVE\|PASS' ../out; }
compare_kept() { run_kept; }

sweep_before() { "$tacho" sweep -q -n 2 --grid a=1,2 --name s -- true '{a}'; }
sweep_do() { "$@" "$tacho" sweep -n 2 --grid a=1,2,3 --name t -- true '{a}'; }
sweep_done()
{
    whole tacho-out/t/results.csv tacho-out/t/sweep.json tacho-out/t/report.html &&
        [ "$(wc -l <tacho-out/t/results.csv)" = 4 ] && [ -s ../out ]
}
sweep_kept()
{
    whole tacho-out/s/results.csv tacho-out/s/sweep.json tacho-out/s/report.html &&
        [ "$(wc -l <tacho-out/s/results.csv)" = 3 ]
}

occasions() { jq '.occasions | length' .tacho/baselines/steps/*.json; }
baseline_before()
{
    echo "steps 100" >steps
    cat >tacho.yaml <<'END_YAML'
defaults: {runs: 6, max_runs: 6}
benches:
- name: steps
  command: cat steps
  metrics: {steps: 'steps ([0-9]+)'}
  budgets:
    steps: {tolerance: 5%, direction: lower}
END_YAML
    "$tacho" baseline save -q
}
baseline_do() { "$@" "$tacho" baseline save; }
baseline_done() { [ "$(occasions)" = 2 ] && [ -s ../out ]; }
baseline_kept() { [ "$(occasions)" -ge 1 ]; }

gate_before() { baseline_before; }
gate_do()
{
    "$@" "$tacho" gate --md g.md --junit g.xml --prometheus g.prom --json-file g.json \
        --badge g.svg --html g.html --save-baseline
}
gate_done()
{
    whole g.md g.xml g.prom g.json g.svg g.html && [ "$(occasions)" = 2 ] && grep -q INCONCLUSIVE ../out
}
gate_kept() { baseline_kept; }

flame_before() { flame_do env && cp f/flamegraph-x.svg earlier.svg; }
flame_do()
{
    "$@" "$tacho" flame --out-dir f --label x -- sh -c 'i=0; while [ $i -lt 9999 ]; do i=$((i+1)); done'
}
flame_done()
{
    whole f/flamegraph-x.svg && ! cmp -s f/flamegraph-x.svg earlier.svg && [ -s ../out ]
}
flame_kept()
{
    for file in f/*; do
        ! cmp -s "$file" earlier.svg || return 0
    done
    return 1
}

watch_before() { :; }
watch_do() { "$@" "$tacho" watch --interval 10ms --csv w --json -- sleep 0.5; }
watch_done() { whole w/memory.csv w/memory-detail.csv && jq -e . ../out >/dev/null 2>&1; }
watch_kept() { :; }

# complain WHAT: reports a wrong reaction to the fault that was just injected.
complain()
{
    wrong=$((wrong + 1))
    echo "$label: $1" >&2
    grep -E 'INJECTED|failed' "$scratch/log" | head -n 3 | cut -c 1-300 >&2
    sed 's/^/    /' "$scratch/err" | head -n 5 >&2
}

# inject SCENARIO WORDS...: runs the command of the scenario with these words before it, in a fresh copy
# of the earlier results.
inject()
{
    name=$1
    shift
    rm -rf work
    cp -r "before.$name" work
    cd work || exit 1
    "${name}_do" timeout -k 5 $seconds "$@" >../out 2>../err
    status=$?
    cd ..
}

# judge SCENARIO: checks how tacho reacted to the fault.
judge()
{
    injected=$((injected + 1))
    case $status in
    124 | 137) complain "did not end" ;;
    12[89] | 1[3-9]? | 2??) complain "ended by signal $((status - 128))" ;;
    esac
    left=$(find work -name '.?*' ! -name .tacho ! -name .lock)
    [ -z "$left" ] || complain "left $left"
    cd work || exit 1
    "${1}_kept" || complain "lost earlier results"
    [ "$status" -ne 0 ] || "${1}_done" || complain "exits with 0 and lacks something"
    cd ..
    [ "$status" -ne 0 ] || fine=$((fine + 1))
    [ "$status" -eq 0 ] || [ -s err ] || grep -q 'write(2' log || complain "gives no reason"
}

# prepare SCENARIO WORDS...: makes the earlier results, and runs the command with these words without a
# fault. Returns false when the machine cannot do that.
prepare()
{
    name=$1
    shift
    mkdir "before.$name"
    cd "before.$name" || exit 1
    if ! "${name}_before" >../out 2>&1; then
        [ "$name" = flame ] || fail "$name cannot be prepared: $(cat ../out)"
        echo "tacho flame cannot sample here, so it is left out: $(cat ../out)"
        cd ..
        return 1
    fi
    cp -r . ../work
    cd ../work || exit 1
    "${name}_do" "$@" >../out 2>../err || fail "$name fails without faults: $(cat ../err)"
    "${name}_done" || fail "$name lacks something without faults"
    cd ..
}

# all_scenarios [SCENARIO...]: calls scenario() for each given scenario, by default for all, and prints a
# summary.
all_scenarios()
{
    # shellcheck disable=SC2086 # words
    [ $# -gt 0 ] || set -- $scenarios
    for each_name; do
        before=$injected
        scenario "$each_name"
        rm -rf work
        echo "$each_name: $((injected - before)) faults"
    done
    echo "$injected faults injected: $fine survived, $((injected - fine)) reported, $wrong wrong"
    [ $wrong -eq 0 ]
}
