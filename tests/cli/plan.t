# Help.
$ tacho plan --help | head -n 21
| tacho plan - compute how many runs a comparison needs, and how long they take
| 
| Usage: tacho plan [OPTIONS] RUN [RUN]
|        tacho plan [OPTIONS] -- COMMAND [ARGUMENT...]
|        tacho plan [OPTIONS] -c LINE [-c LINE]
| 
| Measures the noise of a pilot and says how many pairs of interleaved runs find a
| change of --effect as often as --probability says. The pilot is a run folder,
| whose neighbouring runs are compared with each other, or two folders of
| interleaved runs, or --pilot pairs of runs of a command against itself, or of
| two commands.
| 
| A pilot estimates the noise poorly, and the plan allows for that: over many
| pilots it finds the change as often as --probability says. If a pair of the
| pilot is further than 5 median distances from the median, a warning says not to
| trust the plan.
| 
| The last column is the option of tacho compare that the plan assumes: a FAIL
| needs an estimate of at least --min-effect, whose default of 2 % is too much for
| small effects.
| 

# From the runs of one command: neighbours are pairs.
$ tacho plan plan/pilot
| pilot:    10 pairs, which differ in wall by 2.7 % (standard deviation; at most 4 %, with 90 % confidence)
| question: to find a change of 3 % in 90 % of reports that judge 1 metric, with a wrong FAIL in at most 5 % of them
| plan:     12 pairs, 24 runs in all, about 0.6 s
| 
|   effect  pairs    time  judge with
|      1 %     92   4.6 s  --min-effect 0.5%
|      2 %     24   1.2 s  --min-effect 1%
|      3 %     12   0.6 s  --min-effect 1.5%
|      5 %      7  0.35 s  --min-effect 2%
|     10 %      6   0.3 s  --min-effect 2%

# Another question.
$ tacho plan --effect 4% --probability 80% --metrics 20 plan/pilot
| pilot:    10 pairs, which differ in wall by 2.7 % (standard deviation; at most 4 %, with 90 % confidence)
| question: to find a change of 4 % in 80 % of reports that judge 20 metrics, with a wrong FAIL in at most 5 % of them
| plan:     15 pairs, 30 runs in all, about 0.75 s
| 
|   effect  pairs    time  judge with
|      1 %    141  7.05 s  --min-effect 0.5%
|      2 %     38   1.9 s  --min-effect 1%
|      3 %     20     1 s  --min-effect 1.5%
|      4 %     15  0.75 s  --min-effect 2%
|      5 %     12   0.6 s  --min-effect 2%
|     10 %      9  0.45 s  --min-effect 2%

# Two interleaved runs. Their noise is so small that the minimum number of pairs is enough.
$ tacho plan compare/a compare/b
| pilot:    12 pairs, which differ in wall by 0.0086 % (standard deviation; at most 0.012 %, with 90 % confidence)
| question: to find a change of 3 % in 90 % of reports that judge 1 metric, with a wrong FAIL in at most 5 % of them
| plan:     6 pairs, 12 runs in all, about 260.4 ms
| 
|   effect  pairs      time  judge with
|      1 %      6  260.4 ms  --min-effect 0.5%
|      2 %      6  260.4 ms  --min-effect 1%
|      3 %      6  260.4 ms  --min-effect 1.5%
|      5 %      6  260.4 ms  --min-effect 2%
|     10 %      6  260.4 ms  --min-effect 2%

# A pilot with outliers.
$ tacho plan compare/a
| pilot:    6 pairs, which differ in wall by 0.85 % (standard deviation; at most 1.5 %, with 90 % confidence)
| question: to find a change of 3 % in 90 % of reports that judge 1 metric, with a wrong FAIL in at most 5 % of them
| plan:     6 pairs, 12 runs in all, about 242.2 ms
| warning:  do not trust these numbers: 2 of the 6 pairs are far from the others. Find out what disturbs the runs (tacho doctor), then run a new pilot
| 
|   effect  pairs      time  judge with
|      1 %      9  363.3 ms  --min-effect 0.5%
|      2 %      6  242.2 ms  --min-effect 1%
|      3 %      6  242.2 ms  --min-effect 1.5%
|      5 %      6  242.2 ms  --min-effect 2%
|     10 %      6  242.2 ms  --min-effect 2%

$ tacho plan --fail-on-warn compare/a | tail -n 2; tacho plan -q --fail-on-warn compare/a >/dev/null
|      5 %      6  242.2 ms  --min-effect 2%
|     10 %      6  242.2 ms  --min-effect 2%
[3]

$ tacho plan --json -e 1% plan/pilot
| {"schema":"tacho.plan.v1","tacho_version":"0.1.0","metric":"wall","power":0.9,"alpha":0.05,"metrics":1,"pilot":{"folders":["plan/pilot"],"pairs":10,"pair_seconds":0.05,"spread":0.02725576932961397,"spread_bound":0.04005046480843787,"outliers":0,"trusted":true},"plan":{"effect":0.01,"pairs":92,"seconds":4.6,"min_effect":0.005},"effects":[{"effect":0.01,"pairs":92,"seconds":4.6,"min_effect":0.005},{"effect":0.02,"pairs":24,"seconds":1.2,"min_effect":0.01},{"effect":0.03,"pairs":12,"seconds":0.6,"min_effect":0.015},{"effect":0.05,"pairs":7,"seconds":0.35,"min_effect":0.02},{"effect":0.1,"pairs":6,"seconds":0.3,"min_effect":0.02}]}

# A metric without noise, and metrics that cannot be planned for.
$ tacho plan --for-metric memory plan/pilot | head -n 3
| pilot:    10 pairs, which differ in memory by 0 % (standard deviation; at most 0 %, with 90 % confidence)
| question: to find a change of 3 % in 90 % of reports that judge 1 metric, with a wrong FAIL in at most 5 % of them
| plan:     6 pairs, 12 runs in all, about 300 ms

$ tacho plan --for-metric tps plan/pilot
! tacho: cannot plan: the run 'prog' has no 'tps'
[1]

$ tacho plan --for-metric major_faults plan/pilot
! tacho: cannot plan: 'major_faults' has values of 0, which have no ratio to plan for
[1]

# Wrong usage.
$ tacho plan
! tacho: give one run, two interleaved runs, or -- COMMAND
! see 'tacho plan --help'
[64]

$ tacho plan compare/a compare/b plan/pilot
! tacho: give one run, or two interleaved runs; a command to run follows '--'
! see 'tacho plan --help'
[64]

$ tacho plan compare/a plan/pilot
! tacho: cannot plan: 'a' and 'prog' were not interleaved; plan from one of them, or run both by one 'tacho run -c ... -c ...'
[1]

$ tacho plan --pilot 20 plan/pilot
! tacho: --pilot applies to a pilot that is run: put the command after '--'
! see 'tacho plan --help'
[64]

$ tacho plan --prepare true plan/pilot
! tacho: --prepare applies to a pilot that is run: put the command after '--'
! see 'tacho plan --help'
[64]

$ tacho plan --seal -- true
! tacho: --flame and --seal are for 'tacho run', whose folder can be the pilot: tacho plan RUN
! see 'tacho plan --help'
[64]

$ tacho plan --probability 100% plan/pilot
! tacho: --probability must be at least 50% and below 100%
! see 'tacho plan --help'
[64]

$ tacho plan --effect 0 plan/pilot
! tacho: option '--effect' needs a share such as 3% or 0.03, not '0'
! see 'tacho plan --help'
[64]

$ tacho plan plan/none
! tacho: cannot read the run 'plan/none': cannot open 'plan/none/run.json': No such file or directory
! tacho: to run a pilot, put the command after '--': tacho plan -- COMMAND
[1]
