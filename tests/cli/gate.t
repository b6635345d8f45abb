# Help.
$ tacho gate --help
| tacho gate - judge the benches of tacho.yaml against baselines or another commit, for CI
| 
| Usage: tacho gate [OPTIONS]
|        tacho gate init
| 
| Runs the benches of tacho.yaml and prints PASS, WARN, FAIL or INCONCLUSIVE for
| each budget, with an interval. A report whose budgets are all kept contains a
| wrong FAIL with a probability of at most 5 %, however many budgets it has. A
| gate that could judge nothing prints NOT JUDGED.
| 
| Prefer --against: it builds another commit in a git worktree and interleaves the
| runs of both sides, so that a change of the machine affects both alike. That
| commit is the merge base of HEAD and REF, so that a branch is not blamed for
| what its target did since. A stored baseline, made by 'tacho baseline save',
| belongs to another session. Its intervals are wider, so smaller changes are not
| found.
| 
| A bench with an open verdict is run again, twice as often, up to max_runs. These
| interim analyses share the probability of a wrong FAIL. With --against, a bench
| that looks worse (p at most 10 %) is run again in a fresh block of up to
| max_runs pairs, which alone decides. Against a baseline, a bench that FAILs is
| run again.
| 
| Commands:
|   init  write a commented tacho.yaml and workflows for GitHub and GitLab
| 
| Options:
|       --against REF          compare with the merge base of this commit and
|                              HEAD, which is built in a git worktree and run
|                              interleaved with ours
|       --exact                with --against: compare with this commit itself,
|                              not with the merge base
|   -c, --config FILE          read the settings from FILE (default tacho.yaml)
|       --build CMD            run CMD by sh -c to build before measuring
|                              (default: 'build' of the settings; true: do not
|                              build)
|   -b, --bench NAME           run only this bench; may be given several times
|   -n, --runs N               runs of each side at the first analysis (default:
|                              'runs' of the settings)
|       --max-runs N           runs of each side at the last analysis (default:
|                              'max_runs' of the settings)
|   -o, --out-dir DIR          folder for run folders (default tacho-out)
|       --session-spread P     assume that sessions differ by P (default: as much
|                              as earlier ones did; 2.6% for times if there are
|                              few)
|       --suspicious FACTOR    warn if a metric became better by more than this
|                              factor (default: 'suspicious' of the settings, or
|                              3x)
|       --require-baseline     fail if a bench has no baseline (default: warn)
|       --save-baseline        add the measured values to the baselines as an
|                              occasion, unless the gate fails
|       --flame-on-regression  on FAIL profile both sides, draw a differential
|                              flamegraph, and name the stacks of counted calls
|                              that were added
|       --md FILE              write a comment for a pull request
|       --junit FILE           write JUnit XML with one test case per budget
|       --prometheus FILE      write gauges in Prometheus's text format
|       --json-file FILE       write the verdict as JSON, tacho.verdict.v1 (--json
|                              prints it)
|       --badge FILE           write an SVG badge with the verdict
|       --html FILE            write the page with distributions to FILE (default
|                              OUT/gate.html)
|       --page-url URL         URL of that page, for the comment
|       --list                 print the names of the benches and exit
|       --dry-run              print what would be run and exit
|       --fail-on-warn         exit with 3 if a verdict is WARN or INCONCLUSIVE,
|                              or a bench has no baseline
|       --json                 print the result as JSON
|   -q, --quiet                show no progress and only essential output
|       --color WHEN           use colours: auto (on a terminal), always or never
|       --width N              fit tables into N columns
|   -h, --help                 show this help
| 
| Examples:
|   tacho gate init
|       Write a tacho.yaml to start from, and CI workflows.
|   tacho gate --against origin/main --build 'make -j'
|       Is this branch slower than main was when it began? Both are built and run
|       interleaved.
|   tacho baseline save && git add .tacho && tacho gate
|       Compare with a stored baseline.
|   tacho gate --against HEAD~1 --md comment.md --junit gate.xml --flame-on-regression
|       In CI: a comment, test results, and flamegraphs when it fails.
| 
| Exit status:
|   0    success
|   1    the command could not do its work
|   2    a budget FAILs, or with --require-baseline there is no baseline
|   3    with --fail-on-warn: a verdict is WARN or INCONCLUSIVE, or a bench has no
|        baseline
|   4    NOT JUDGED: no budget could be judged, or a baseline cannot be used
|   64   wrong usage
|   130  stopped by Ctrl-C (143: SIGTERM, 129: SIGHUP)
| 
| See 'tacho gate COMMAND --help' for the details of a command.

$ tacho gate init --help
| tacho gate init - write a commented tacho.yaml and workflows for GitHub and GitLab
| 
| Usage: tacho gate init [--force]
| 
| Detects how the project in this folder is built (cargo, meson, cmake, go,
| configure, make) and writes tacho.yaml, .github/workflows/tacho.yml and
| .gitlab/tacho.yml to start from, and adds tacho-out/ to .gitignore. Existing
| files are kept, and symbolic links are not followed. The workflows build tacho
| from the repository and the commit that the CI's variables TACHO_REPOSITORY and
| TACHO_COMMIT name.
| 
| Options:
|       --force       overwrite existing files
|   -q, --quiet       show no progress and only essential output
|       --color WHEN  use colours: auto (on a terminal), always or never
|       --width N     fit tables into N columns
|   -h, --help        show this help
| 
| Exit status:
|   0   success
|   1   the command could not do its work
|   64  wrong usage

# --dry-run: every bench with its budgets, then some of them.
$ project/try 'tacho gate --list'
| steps
| score
| pages

$ project/try 'tacho gate --dry-run'
| steps
|   command    cat steps
|   in         DIR
|   runs       6, up to 6 while a verdict is open, 1 analysis
|   budgets    steps may be worse by 5 %
|   baseline   DIR/.tacho/baselines/steps/CLASS.json (missing)
| score
|   command    cat score
|   in         DIR
|   runs       6, up to 6 while a verdict is open, 1 analysis
|   budgets    score may be worse by 10 %
|              total must have a median of at most 10
|   baseline   DIR/.tacho/baselines/score/CLASS.json (missing)
| pages
|   command    cat pages
|   in         DIR
|   runs       6, up to 6 while a verdict is open, 1 analysis
|   budgets    pages must have a median of at most 50, required
|   baseline   DIR/.tacho/baselines/pages/CLASS.json (missing)

$ project/try 'tacho gate --dry-run --bench pages --bench steps --runs 8 --max-runs 32'
| steps
|   command    cat steps
|   in         DIR
|   runs       8, up to 32 while a verdict is open, 3 analyses
|   budgets    steps may be worse by 5 %
|   baseline   DIR/.tacho/baselines/steps/CLASS.json (missing)
| pages
|   command    cat pages
|   in         DIR
|   runs       8, up to 32 while a verdict is open, 3 analyses
|   budgets    pages must have a median of at most 50, required
|   baseline   DIR/.tacho/baselines/pages/CLASS.json (missing)

$ project/try 'git init -q; git add .; git -c user.name=x -c user.email=x@localhost commit -qm x; tacho gate --dry-run --against HEAD --build "make -j" | sed "s/([0-9a-f]*) out/(COMMIT) out/"'
| would check HEAD (COMMIT) out into a git worktree below 'tacho-out', run 'make -j' there and in 'DIR', and run both sides interleaved
| 
| steps
|   command    cat steps
|   in         DIR
|   runs       6, up to 6 while a verdict is open, 1 analysis
|   budgets    steps may be worse by 5 %
| score
|   command    cat score
|   in         DIR
|   runs       6, up to 6 while a verdict is open, 1 analysis
|   budgets    score may be worse by 10 %
|              total must have a median of at most 10
| pages
|   command    cat pages
|   in         DIR
|   runs       6, up to 6 while a verdict is open, 1 analysis
|   budgets    pages must have a median of at most 50, required

# Without baselines only the limits are judged.
$ project/try 'tacho gate -q'
| note: steps, score have no baseline for this machine class (CLASS) yet; make one with 'tacho baseline save' and commit it, or compare with another commit: tacho gate --against REF --build CMD
| 
| A: the baselines of CLASS
| B: now
| 
| bench  metric             A    B  change  95 % interval  less        0        more  B > A
| steps  steps              -  100       -                                                   no baseline
| score  score              -    7       -                                                   no baseline
|        total, at most 10  -    9       -                                                   PASS
| pages  pages, at most 50  -   40       -                                                   PASS
| 
| PASS

# A gate that could judge nothing does not pass.
$ project/try 'tacho gate -q -b steps'
| A: the baselines of CLASS
| B: now
| 
| bench  metric  A    B  change  95 % interval  less        0        more  B > A
| steps  steps   -  100       -                                                   no baseline
| 
| NOT JUDGED
! tacho: nothing was judged: steps has no baseline for this machine class (CLASS) yet; make one with 'tacho baseline save' and commit it, or compare with another commit: tacho gate --against REF --build CMD
[4]

$ project/try 'tacho gate -q -b steps --junit x >/dev/null 2>&1; s=$?; cat x; exit $s'
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuite name="tacho gate" tests="2" failures="0" errors="1" skipped="1">
|   <testcase classname="tacho.gate" name="problem 1">
|     <error message="nothing was judged: steps has no baseline for this machine class (CLASS) yet; make one with &#39;tacho baseline save&#39; and commit it, or compare with another commit: tacho gate --against REF --build CMD"/>
|     <system-out>NOT JUDGED</system-out>
|   </testcase>
|   <testcase classname="tacho.gate.steps" name="steps">
|     <skipped message="steps: no baseline"/>
|     <system-out>steps: no baseline</system-out>
|   </testcase>
| </testsuite>
[4]

$ project/try 'tacho gate -q --require-baseline'
| NOT JUDGED
! tacho: 'steps' has no baseline for CLASS; run 'tacho baseline save' on such a machine and commit the file
! tacho: 'score' has no baseline for CLASS; run 'tacho baseline save' on such a machine and commit the file
! tacho: 'pages' has no baseline for CLASS; run 'tacho baseline save' on such a machine and commit the file
[2]

$ project/try 'tacho gate -q --fail-on-warn -b score'
| note: score has no baseline for this machine class (CLASS) yet; make one with 'tacho baseline save' and commit it, or compare with another commit: tacho gate --against REF --build CMD
| 
| A: the baselines of CLASS
| B: now
| 
| bench  metric             A  B  change  95 % interval  less        0        more  B > A
| score  score              -  7       -                                                   no baseline
|        total, at most 10  -  9       -                                                   PASS
| 
| PASS
[3]

# Against baselines: nothing has changed.
$ project/try 'tacho baseline save -q; tacho gate -q'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| note: steps, score: sessions of fewer than 3 days are known, so a change below 2x is WARN, not FAIL; 'tacho baseline save' or 'tacho calibrate' on other days measures how much sessions differ
| note: not interleaved: the verdicts allow for sessions that differ by 2.6 % (--session-spread), so intervals are at least +-7.5 %, however many runs are made; if your sessions differ by more, a FAIL may be due to the machine; interleaved runs have no such limit: tacho gate --against REF --build CMD
| 
| A: the baselines of CLASS
| B: now
| 
| bench  metric               A    B  change  95 % interval     less        0        more  B > A
| steps  steps              100  100   0.0 %  -7.0 % .. +7.5 %  ────────────●────────────   0.50  INCONCLUSIVE, at most +7.5 %
| score  score                7    7   0.0 %  -7.0 % .. +7.5 %  ────────────●────────────   0.50  PASS, at least -7.0 %
|        total, at most 10    -    9       -                                                      PASS
| pages  pages, at most 50    -   40       -                                                      PASS
|   steps: steps 0.0 % [-7.0 % .. +7.5 %], allowed +5.0 %: more runs do not help: without interleaving, the interval is at least +-7.5 %
| 
| INCONCLUSIVE

# One bench of three is worse, another one is better. Nobody measured how much sessions differ, so it does not FAIL.
$ project/try 'tacho baseline save -q; echo steps 130 >steps; echo score 9 of 9 >score; tacho gate -q'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| note: steps, score: sessions of fewer than 3 days are known, so a change below 2x is WARN, not FAIL; 'tacho baseline save' or 'tacho calibrate' on other days measures how much sessions differ
| note: not interleaved: the verdicts allow for sessions that differ by 2.6 % (--session-spread), so intervals are at least +-7.5 %, however many runs are made; if your sessions differ by more, a FAIL may be due to the machine; interleaved runs have no such limit: tacho gate --against REF --build CMD
| 
| A: the baselines of CLASS
| B: now
| 
| bench  metric               A    B   change  95 % interval       less        0        more  B > A
| steps  steps              100  130  +30.0 %  +20.9 % .. +39.7 %              │ ┆    ──●───   1.00  WARN
| score  score                7    9  +28.6 %  +19.6 % .. +38.2 %          ┆   │     ───●───   1.00  PASS, at least +19.6 %
|        total, at most 10    -    9        -                                                        PASS
| pages  pages, at most 50    -   40        -                                                        PASS
|   steps: steps +30.0 % [+20.9 % .. +39.7 %], allowed +5.0 %: no FAIL, as sessions were measured on fewer than 3 days and may differ as much; save baselines on other days, or interleave: tacho gate --against REF
| 
| WARN

# It FAILs if sessions of three days are known, if the user knows how much they differ, or if it is twice as much.
$ project/try 'for i in 1 2 3; do tacho baseline save -q -b steps >/dev/null; done; ./days .tacho/baselines/steps/*.json; echo steps 130 >steps; tacho gate -q -b steps --json | jq -c ".rows[0] | [.verdict, .b.n, .reason]"'
| ["FAIL",6,null]

$ project/try 'tacho baseline save -q -b steps; echo steps 130 >steps; tacho gate -q -b steps --session-spread 3% --json | jq -c ".rows[0] | [.verdict, .b.n, .reason]"'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| ["FAIL",6,null]

$ project/try 'tacho baseline save -q -b steps; echo steps 199 >steps; tacho gate -q -b steps --json | jq -c ".rows[0] | [.verdict, .b.n, .reason]"; echo steps 200 >steps; tacho gate -q -b steps --json | jq -c ".rows[0] | [.verdict, .b.n, .reason]"'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| ["WARN",6,"no FAIL, as sessions were measured on fewer than 3 days and may differ as much; save baselines on other days, or interleave: tacho gate --against REF"]
| ["FAIL",6,null]

# A metric that became much better is a warning: the program may no longer do its work.
$ project/try 'tacho baseline save -q; echo steps 10 >steps; tacho gate -q -b steps'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| note: steps: sessions of fewer than 3 days are known, so a change below 2x is WARN, not FAIL; 'tacho baseline save' or 'tacho calibrate' on other days measures how much sessions differ
| note: not interleaved: the verdicts allow for sessions that differ by 2.6 % (--session-spread), so intervals are at least +-7.5 %, however many runs are made; if your sessions differ by more, a FAIL may be due to the machine; interleaved runs have no such limit: tacho gate --against REF --build CMD
| 
| A: the baselines of CLASS
| B: now
| 
| bench  metric    A   B   change  95 % interval       less        0        more  B > A
| steps  steps   100  10  -90.0 %  -90.7 % .. -89.3 %  ●           │┆              0.00  WARN
|   steps: steps -90.0 % [-90.7 % .. -89.3 %], allowed +5.0 %: 10 times less than before: is the work still done?
| 
| WARN

$ project/try 'tacho baseline save -q; echo steps 10 >steps; tacho gate -q -b steps --suspicious 20x'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| note: steps: sessions of fewer than 3 days are known, so a change below 2x is WARN, not FAIL; 'tacho baseline save' or 'tacho calibrate' on other days measures how much sessions differ
| note: not interleaved: the verdicts allow for sessions that differ by 2.6 % (--session-spread), so intervals are at least +-7.5 %, however many runs are made; if your sessions differ by more, a FAIL may be due to the machine; interleaved runs have no such limit: tacho gate --against REF --build CMD
| 
| A: the baselines of CLASS
| B: now
| 
| bench  metric    A   B   change  95 % interval       less        0        more  B > A
| steps  steps   100  10  -90.0 %  -90.7 % .. -89.3 %  ●           │┆              0.00  PASS, at most -89.3 %
| 
| PASS

$ tacho gate --suspicious 1
! tacho: --suspicious needs a factor above 1 such as 3x, not '1'
! see 'tacho gate --help'
[64]

# One is worse by less than its tolerance, one is above its limit.
$ project/try 'tacho baseline save -q; echo steps 101 >steps; echo pages 60 >pages; tacho gate -q'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| note: steps, score: sessions of fewer than 3 days are known, so a change below 2x is WARN, not FAIL; 'tacho baseline save' or 'tacho calibrate' on other days measures how much sessions differ
| note: not interleaved: the verdicts allow for sessions that differ by 2.6 % (--session-spread), so intervals are at least +-7.5 %, however many runs are made; if your sessions differ by more, a FAIL may be due to the machine; interleaved runs have no such limit: tacho gate --against REF --build CMD
| 
| A: the baselines of CLASS
| B: now
| 
| bench  metric               A    B  change  95 % interval     less        0        more  B > A
| steps  steps              100  101  +1.0 %  -6.0 % .. +8.6 %     ──────────●───────────   1.00  INCONCLUSIVE, at most +8.6 %
| score  score                7    7   0.0 %  -7.0 % .. +7.5 %  ┆───────────●───────────    0.50  PASS, at least -7.0 %
|        total, at most 10    -    9       -                                                      PASS
| pages  pages, at most 50    -   60       -                                                      INCONCLUSIVE, 7 runs advised
|   steps: steps +1.0 % [-6.0 % .. +8.6 %], allowed +5.0 %: more runs do not help: without interleaving, the interval is at least +-7.5 %
| 
| INCONCLUSIVE

# A tolerance smaller than the session term: the gate warns before the first run and does not run up to --max-runs.
$ project/try 'tacho baseline save -q -b steps; tacho gate -b steps --max-runs 24 --json | jq -c ".rows[0] | [.verdict, .b.n, .reason]"'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| ["INCONCLUSIVE",6,"more runs do not help: without interleaving, the interval is at least +-7.5 %"]
! tacho: warning: steps: a tolerance of 5 % for steps cannot PASS if nothing changed: against a baseline the interval is at least +-7.5 %, however many runs are made, as sessions are assumed to differ by 2.6 % (--session-spread); set a tolerance above that in tacho.yaml, or interleave both sides: tacho gate --against REF --build CMD

# With a smaller session spread there is no warning.
$ project/try 'tacho baseline save -q -b steps; tacho gate -b steps --session-spread 1% --json | jq -c ".rows[0] | [.verdict, .b.n, .reason]"'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| ["PASS",6,null]

# The same for a pull request, as JUnit, as Prometheus's gauges: each bench with its own verdict.
$ project/try 'tacho baseline save -q; echo steps 230 >steps; tacho gate -q --md x >/dev/null; s=$?; cat x; exit $s'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| <!-- tacho gate -->
| ### ❌ tacho: FAIL
| 
| now against the baselines of CLASS. A wrong FAIL appears in at most 1 of 20 reports.
| 
| > steps: run again before FAIL, in a fresh block of 6 runs, which alone decides: it FAILs
| >
| > steps, score: sessions of fewer than 3 days are known, so a change below 2x is WARN, not FAIL; 'tacho baseline save' or 'tacho calibrate' on other days measures how much sessions differ
| >
| > not interleaved: the verdicts allow for sessions that differ by 2.6 % (--session-spread), so intervals are at least +-7.5 %, however many runs are made; if your sessions differ by more, a FAIL may be due to the machine; interleaved runs have no such limit: tacho gate --against REF --build CMD
| 
| | | before | now | change | allowed | |
| | --- | ---: | ---: | ---: | ---: | --- |
| | steps: steps | 100 | 230 | +130.0 % [+114.0 % … +147.2 %] | 5 % | ❌ FAIL |
| 
| <details><summary>3 more within their budgets or without one</summary>
| 
| | | before | now | change | allowed | |
| | --- | ---: | ---: | ---: | ---: | --- |
| | score: score | 7 | 7 | 0.0 % [-7.0 % … +7.5 %] | 10 % | ✅ PASS, at least -7.0 % |
| | score: total, at most 10 | - | 9 |  |  | ✅ PASS |
| | pages: pages, at most 50 | - | 40 |  |  | ✅ PASS |
| 
| </details>
| 
| To reproduce: `tacho gate`
| 
| Full report: tacho-out/gate.html
[2]

$ project/try 'tacho baseline save -q; echo steps 230 >steps; tacho gate -q --junit x >/dev/null; s=$?; cat x; exit $s'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuite name="tacho gate" tests="4" failures="1" skipped="0">
|   <testcase classname="tacho.gate.steps" name="steps">
|     <failure message="steps: steps +130.0 % [+114.0 % .. +147.2 %], allowed +5.0 %"/>
|     <system-out>FAIL: steps: steps +130.0 % [+114.0 % .. +147.2 %], allowed +5.0 %</system-out>
|   </testcase>
|   <testcase classname="tacho.gate.score" name="score">
|     <system-out>PASS, at least -7.0 %: score: score 0.0 % [-7.0 % .. +7.5 %], allowed -10.0 %</system-out>
|   </testcase>
|   <testcase classname="tacho.gate.score" name="total, at most 10">
|     <system-out>PASS: score: total, at most 10 is 9</system-out>
|   </testcase>
|   <testcase classname="tacho.gate.pages" name="pages, at most 50">
|     <system-out>PASS: pages: pages, at most 50 is 40</system-out>
|   </testcase>
| </testsuite>
[2]

$ project/try 'tacho baseline save -q; echo steps 230 >steps; tacho gate -q --prometheus x >/dev/null; s=$?; grep -e _verdict -e _median x; exit $s'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| # HELP tacho_gate_verdict 0 pass, 1 inconclusive, 2 warn, 3 fail
| # TYPE tacho_gate_verdict gauge
| tacho_gate_verdict{bench="steps",metric="steps",budget="ratio"} 3
| tacho_gate_verdict{bench="score",metric="score",budget="ratio"} 0
| tacho_gate_verdict{bench="score",metric="total",budget="max"} 0
| tacho_gate_verdict{bench="pages",metric="pages",budget="max"} 0
| # HELP tacho_gate_median median of a count or a metric now, in its own unit
| # TYPE tacho_gate_median gauge
| tacho_gate_median{bench="steps",metric="steps",budget="ratio"} 230
| tacho_gate_median{bench="score",metric="score",budget="ratio"} 7
| tacho_gate_median{bench="score",metric="total",budget="max"} 9
| tacho_gate_median{bench="pages",metric="pages",budget="max"} 40
[2]

# A bench that fails, a bench that prints no number.
$ project/try 'sed -i "s/cat pages/false/" tacho.yaml; tacho gate -q'
| note: steps, score have no baseline for this machine class (CLASS) yet; make one with 'tacho baseline save' and commit it, or compare with another commit: tacho gate --against REF --build CMD
| 
| A: the baselines of CLASS
| B: now
| 
| bench  metric             A    B  change  95 % interval  less        0        more  B > A
| steps  steps              -  100       -                                                   no baseline
| score  score              -    7       -                                                   no baseline
|        total, at most 10  -    9       -                                                   PASS
| 
| NOT JUDGED
! tacho: pages: 'false' failed with status 1 in the working tree
[1]

$ project/try 'echo none >pages; tacho gate -q'
| note: steps, score have no baseline for this machine class (CLASS) yet; make one with 'tacho baseline save' and commit it, or compare with another commit: tacho gate --against REF --build CMD
| 
| A: the baselines of CLASS
| B: now
| 
| bench  metric             A    B  change  95 % interval  less        0        more  B > A
| steps  steps              -  100       -                                                   no baseline
| score  score              -    7       -                                                   no baseline
|        total, at most 10  -    9       -                                                   PASS
| pages  pages, at most 50  -    -       -                                                   FAIL
|   pages: pages, at most 50: it is required but was not measured
| 
| FAIL
[2]

# A baseline of another command, bench or machine class is not used.
$ project/try 'tacho baseline save -q; sed -i "s|cat steps|cat ./steps|" tacho.yaml; cd .tacho/baselines; cp steps/*.json "$(ls score/*.json)"; sed -i "s/\"machine_class\": \"/&x/" pages/*.json; cd ../..; tacho gate -q'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| A: the baselines of CLASS
| B: now
| 
| bench  metric             A    B  change  95 % interval  less        0        more  B > A
| steps  steps              -  100       -                                                   not judged
| score  score              -    7       -                                                   not judged
|        total, at most 10  -    9       -                                                   PASS
| pages  pages, at most 50  -   40       -                                                   PASS
| 
| NOT JUDGED
! tacho: the baseline 'DIR/.tacho/baselines/steps/CLASS.json' cannot be used and was not changed: it was measured with 'cat steps', the bench is 'cat ./steps'; to start over: tacho baseline save --replace --bench steps
! tacho: the baseline 'DIR/.tacho/baselines/score/CLASS.json' cannot be used and was not changed: it is the baseline of 'steps' on CLASS, not of 'score' on CLASS; to start over: tacho baseline save --replace --bench score
! tacho: the baseline 'DIR/.tacho/baselines/pages/CLASS.json' cannot be used and was not changed: it is the baseline of 'pages' on xCLASS, not of 'pages' on CLASS; to start over: tacho baseline save --replace --bench pages
[4]

# --replace replaces a baseline of another command, and a damaged one.
$ project/try 'tacho baseline save -q >x; echo damaged >"$(ls .tacho/baselines/score/*)"; sed -i "s|cat steps|cat ./steps|" tacho.yaml; tacho baseline save -q -b score; tacho baseline save -q --replace; tacho gate -q >x; echo $?'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| 0
! tacho: the baseline 'DIR/.tacho/baselines/score/CLASS.json' cannot be used and was not changed: expected a value, found 'd'; to start over: tacho baseline save --replace --bench score

# Wrong settings: each message names the mistake and its position.
$ tacho gate --config nowhere.yaml
! tacho: there is no 'nowhere.yaml', the file that lists the programs to measure and their budgets; 'tacho gate init' writes one to start from
[1]

$ tacho gate --config project/twice.yaml
! tacho: cannot read 'project/twice.yaml': line 4, column 10: there are two benches called 'a'
[1]

$ project/try 'tacho gate --bench nothing'
! tacho: there is no bench 'nothing'; 'tacho gate --list' lists them
[1]

$ project/try 'sed -i "s/direction: lower}/direction: sideways}/" tacho.yaml; tacho gate'
! tacho: cannot read 'tacho.yaml': line 8, column 39: 'direction' must be lower or higher, whichever is better
[1]

$ project/try 'sed -i "s/tolerance: 5%/tolerance: much/" tacho.yaml; tacho gate'
! tacho: cannot read 'tacho.yaml': line 8, column 24: 'tolerance' needs a share such as 5% or 0.05, not 'much'
[1]

$ project/try 'sed -i "s/runs: 6,/runs: 2,/" tacho.yaml; tacho gate'
! tacho: cannot read 'tacho.yaml': line 2, column 18: 'runs' must be at least 6; with fewer there is no interval
[1]

$ project/try 'sed -i "s/budgets:/bugdets:/" tacho.yaml; tacho gate'
! tacho: cannot read 'tacho.yaml': line 8, column 5: 'bugdets' is not a key of a bench; use name,command,import,tolerance,work,cwd,env,keep_env,timeout,runs,max_runs,precision,warmup,setup,idle,prepare,conclude,cleanup,shell,metrics,count,count_runs,check,budgets,layouts
[1]

$ project/try 'echo "benches: []" >tacho.yaml; tacho gate'
! tacho: cannot read 'tacho.yaml': line 1, column 10: there is no list of benches
[1]

$ project/try 'echo "benches: [" >tacho.yaml; tacho gate'
! tacho: cannot read 'tacho.yaml': line 2, column 1: did not find expected node content
[1]

# Wrong options.
$ tacho gate extra
! tacho: unknown command 'extra'
! see 'tacho gate --help'
[64]

$ tacho gate --runs 2
! tacho: option '--runs' needs a number of at least 6, not '2'
! see 'tacho gate --help'
[64]

$ project/try 'tacho gate --against HEAD'
! tacho: --against needs a build command: --build 'CMD', or 'build' in the settings; use --build true if there is nothing to build
! see 'tacho gate --help'
[64]

$ project/try 'tacho gate -q --build "echo broken; exit 3"'
| NOT JUDGED
! tacho: cannot build the working tree: 'echo broken; exit 3' exited with status 3; its output is in 'tacho-out/build-now.log'
! broken
[1]

# gate init never overwrites existing files.
$ project/try 'rm tacho.yaml; tacho gate init; ls -A | grep -v -e baselines -e try -e twice -e steps -e score -e pages; tacho gate --dry-run >/dev/null'
| wrote tacho.yaml
| wrote .github/workflows/tacho.yml
| wrote .gitlab/tacho.yml
| added tacho-out/ to .gitignore
| 
| No known build file was found; the project is built by 'true'. List the programs to measure under 'benches' in tacho.yaml, then see what would be run: tacho gate --dry-run
| The workflows build tacho itself: set the variables TACHO_REPOSITORY and TACHO_COMMIT, as they say.
| .github
| .gitignore
| .gitlab
| days
| tacho.yaml

$ project/try 'tacho gate init'
| tacho.yaml exists and was not changed
| wrote .github/workflows/tacho.yml
| wrote .gitlab/tacho.yml
| added tacho-out/ to .gitignore
| 
| No known build file was found; the project is built by 'true'. List the programs to measure under 'benches' in tacho.yaml, then see what would be run: tacho gate --dry-run
| The workflows build tacho itself: set the variables TACHO_REPOSITORY and TACHO_COMMIT, as they say.

# It adds the folder of the runs to .gitignore once.
$ project/try 'printf "*.o" >.gitignore; tacho gate init -q >x; tail -1 x; tacho gate init -q >x; grep -c gitignore x; cat .gitignore'
| added tacho-out/ to .gitignore
| 0
| *.o
| tacho-out/

$ tacho gate -n 20 --max-runs 10
! tacho: --runs 20 is above --max-runs 10; change one of them
! see 'tacho gate --help'
[64]
$ project/try 'printf "defaults: {runs: 20, max_runs: 10}\nbenches:\n- {name: a, command: true}\n" >tacho.yaml; tacho gate'
! tacho: cannot read 'tacho.yaml': line 1, column 18: 'runs' is above 'max_runs'; change one of them
[1]
