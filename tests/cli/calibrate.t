# Help.
$ tacho calibrate --help | head -n 21
| tacho calibrate - measure which changes this machine can see, and with how many runs
| 
| Usage: tacho calibrate [OPTIONS] --bench NAME
|        tacho calibrate [OPTIONS] -- COMMAND [ARGUMENT...]
|        tacho calibrate [OPTIONS] RUN RUN
| 
| Runs a command against itself in interleaved pairs and reports how much they
| differ with nothing changed: noise within pairs, correlation of neighbouring
| runs, drift, and the session spread from all calibrations and baselines of this
| machine class.
| 
| From these pairs it computes which changes 'tacho gate' finds. The table shows
| the smallest change that it detects in 9 of 10 gates, the page shows the whole
| curve.
| 
| The calibration is saved per bench and machine class, sealed with the
| environment. 'tacho gate' and 'tacho compare' use it: see docs/calibrate.md.
| 
| Arguments:
|   RUN  two interleaved runs of one command; a command to run follows '--'
| 

# From two interleaved runs of one command. The page has the picture.
$ d=$(mktemp -d); tacho calibrate -q --no-save --html $d/page.html --for-metric wall --for-metric memory calibrate/a calibrate/b; grep -c 'probability of detection</text>' $d/page.html; rm -r $d
| calibrated: 30 pairs of 'prog' against itself, 50.00 ms each
| 
|   metric          median  noise  lag-1   drift  sessions
|   wall time     19.95 ms  2.8 %  -0.16  +0.8 %     2.6 %
|   peak memory  8.000 MiB    0 %   0.00  +0.0 %    0.65 %
| 
| smallest change beyond the tolerance that 'tacho gate' detects in 9 of 10 reports:
|   runs   time  wall time  peak memory
|     10  0.5 s      3.7 %          2 %
|     20    1 s        3 %          2 %
|     40    2 s      2.7 %          2 %
|     80    4 s      2.5 %          2 %
| 
| sessions:    this is the first occasion, so the session spread is assumed; calibrate again on other days
| 2

$ d=$(mktemp -d); tacho calibrate --json --no-save --html $d/page.html calibrate/a calibrate/b; rm -r $d
| {"schema":"tacho.calibration.v1","bench":"prog","machine_class":"box-1cpu","occasions":[
| {"id":"20260101-000000-a","at":"2026-01-01T00:00:00Z","commit":"","command":"./prog","environment":{"cpu_model":"box"},"pairs":30,"pair_seconds":0.049999999999999996,"alpha":0.05,"power":0.9,"reports":2000,"false_fails":0.052,"occasions":1,"metrics":[{"name":"wall","median":19952837.5,"noise":0.027709623215777173,"lag1":-0.1586018347626208,"drift":0.0075723756750201154,"session_spread":0.026,"detectable_changes":[{"runs":10,"change":0.03632799999999999,"seconds":0.49999999999999994},{"runs":20,"change":0.029752,"seconds":0.9999999999999999},{"runs":40,"change":0.0267,"seconds":1.9999999999999998},{"runs":80,"change":0.024696000000000003,"seconds":3.9999999999999996}]}],"sha256":"afa7175ee2a16cd4fc62216ccafb217c29891d43e658532e0f8145f7b43999ec"}
| ]}

# Metrics that cannot be calibrated.
$ tacho calibrate --no-save --for-metric tps calibrate/a calibrate/b
! tacho: cannot calibrate: there is no metric 'tps'
[1]

$ tacho calibrate --no-save --for-metric major_faults calibrate/a calibrate/b
! tacho: cannot calibrate: 'major_faults' has values of 0, which have no ratio to calibrate
[1]

$ tacho calibrate --no-save compare/a compare/b
! tacho: 'compare/a' and 'compare/b' are runs of two commands; a calibration compares one with itself
[1]

$ tacho calibrate --no-save calibrate/a plan/pilot
! tacho: 'calibrate/a' and 'plan/pilot' were not interleaved; run the command by 'tacho calibrate -- COMMAND'
[1]

$ tacho calibrate calibrate/none calibrate/b
! tacho: cannot read the run 'calibrate/none': cannot open 'calibrate/none/run.json': No such file or directory
[1]

# Wrong usage.
$ tacho calibrate
! tacho: give --bench NAME, or -- COMMAND
! see 'tacho calibrate --help'
[64]

$ tacho calibrate calibrate/a
! tacho: give two interleaved runs of one command; a command to run follows '--'
! see 'tacho calibrate --help'
[64]

$ tacho calibrate --bench sort -- true
! tacho: cannot combine --bench with a command; remove one of them
! see 'tacho calibrate --help'
[64]

$ tacho calibrate --bench sort --warmup 3
! tacho: --warmup is for a command: put it after '--'; a bench is set up in tacho.yaml
! see 'tacho calibrate --help'
[64]

$ tacho calibrate --config x.yaml -- true
! tacho: --config needs --bench
! see 'tacho calibrate --help'
[64]

$ tacho calibrate --name x calibrate/a calibrate/b
! tacho: --name is for a command: put it after '--'; a bench is set up in tacho.yaml
! see 'tacho calibrate --help'
[64]

$ tacho calibrate -n 9 -- true
! tacho: option '--pairs' needs a number from 10 to 1000000, not '9'
! see 'tacho calibrate --help'
[64]

$ tacho calibrate --alpha 60% -- true
! tacho: --alpha must be at most 50%
! see 'tacho calibrate --help'
[64]

$ tacho calibrate --seal -- true
! tacho: --flame and --seal are for 'tacho run'
! see 'tacho calibrate --help'
[64]

$ tacho calibrate --time soon -- true
! tacho: option '--time' needs a duration such as 90s or 5m, not 'soon'
! see 'tacho calibrate --help'
[64]
