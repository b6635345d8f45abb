# Help.
$ tacho baseline --help
| tacho baseline - save, list, show, promote and remove baselines of the gate
| 
| Usage: tacho baseline list|promote|remove|save|show [OPTIONS] [ARGUMENTS]
| 
| A baseline is one JSON file per bench and machine class in .tacho/baselines,
| meant to be committed. It contains the values of the latest occasions. One of
| them is the reference that the gate compares with.
| 
| Commands:
|   list     list all baselines
|   promote  make an occasion the reference of the gate
|   remove   remove the baseline of a bench on one machine class
|   save     measure the benches of tacho.yaml and add the values as an occasion
|   show     show the occasions of a baseline and how much they differ
| 
| Options:
|   -h, --help  show this help
| 
| Examples:
|   tacho baseline save
|       Measure the benches of tacho.yaml and store the values.
|   tacho baseline show sort
|       Show what the bench cost on each occasion.
|   tacho baseline promote sort
|       Make the latest occasion the reference.
| 
| See 'tacho baseline COMMAND --help' for the details of a command.

$ tacho baseline save --help
| tacho baseline save - measure the benches of tacho.yaml and add the values as an occasion
| 
| Usage: tacho baseline save [OPTIONS]
|        tacho baseline save --from RUN [--bench NAME]
| 
| Runs each bench max_runs times and adds the values to its baseline, one file per
| bench and machine class, meant to be committed. The first occasion is the
| reference that the gate compares with. Later ones show how much occasions differ
| with nothing changed. 'tacho baseline promote' makes one of them the reference.
| 
| Options:
|       --from RUN     save this run folder instead of measuring; --bench names
|                      its bench (default: its name)
|       --promote      make the new occasion the reference
|       --replace      drop all earlier occasions, such as those of another
|                      command, or an unreadable file
|   -c, --config FILE  read the settings from FILE (default tacho.yaml)
|       --build CMD    run CMD by sh -c to build before measuring (default:
|                      'build' of the settings; true: do not build)
|   -b, --bench NAME   run only this bench; may be given several times
|   -n, --runs N       runs of each side at the first analysis (default: 'runs' of
|                      the settings)
|       --max-runs N   runs of each side at the last analysis (default: 'max_runs'
|                      of the settings)
|   -o, --out-dir DIR  folder for run folders (default tacho-out)
|   -q, --quiet        show no progress and only essential output
|       --color WHEN   use colours: auto (on a terminal), always or never
|       --width N      fit tables into N columns
|   -h, --help         show this help
| 
| Exit status:
|   0    success
|   1    the command could not do its work
|   64   wrong usage
|   130  stopped by Ctrl-C (143: SIGTERM, 129: SIGHUP)

# Baselines of two benches, one of them on two machine classes.
$ tacho baseline list --dir project/baselines
| bench  machine class  occasions  reference             commit
| merge  box-1cpu               1  2026-01-01T00:00:00Z
| merge  box-8cpu               1  2026-02-03T00:00:00Z  0123456789ab
| sort   box-1cpu               2  2026-01-01T00:00:00Z

$ tacho baseline list --dir project/baselines --json
| {"schema":"tacho.baseline.list.v1","baselines":[{"bench":"merge","machine_class":"box-1cpu","occasions":1,"reference":"20260101-000000-a","path":"project/baselines/merge/box-1cpu.json"},{"bench":"merge","machine_class":"box-8cpu","occasions":1,"reference":"20260101-000000-a","path":"project/baselines/merge/box-8cpu.json"},{"bench":"sort","machine_class":"box-1cpu","occasions":2,"reference":"20260101-000000-a","path":"project/baselines/sort/box-1cpu.json"}]}

$ tacho baseline list --dir compare
! tacho: cannot read 'compare/a/run.json', which was not changed: its schema is 'tacho.run.v1', not tacho.baseline.v1; to start over, on a machine of class run: tacho baseline save --replace --bench a
! tacho: cannot read 'compare/b/run.json', which was not changed: its schema is 'tacho.run.v1', not tacho.baseline.v1; to start over, on a machine of class run: tacho baseline save --replace --bench b
[1]

# Occasions of a bench: two, one, and those on another machine.
$ tacho baseline show --dir project/baselines --machine-class box-1cpu sort
| sort on box-1cpu
| 
|    occasion           at                    commit  command
| *  20260101-000000-a  2026-01-01T00:00:00Z          ./prog a
|    20260101-000000-b  2026-01-01T00:00:00Z          ./prog b
| 
| metric        reference     latest  runs  spread of occasions
| wall           20.18 ms   23.20 ms    12      2.6 % (assumed)
| cpu            20.18 ms   23.20 ms    12      2.6 % (assumed)
| user           20.18 ms   23.20 ms    12      2.6 % (assumed)
| system             0 ns       0 ns    12      6.5 % (assumed)
| memory        8.004 MiB  8.004 MiB    12     0.65 % (assumed)
| throughput         4955       4309    12      2.6 % (assumed)
| major_faults          0          0    12      6.5 % (assumed)
| tps               49.55      43.09    12      2.6 % (assumed)

$ tacho baseline show --dir project/baselines --machine-class box-1cpu merge
| merge on box-1cpu
| 
|    occasion           at                    commit  command
| *  20260101-000000-a  2026-01-01T00:00:00Z          ./prog a
| 
| metric        reference     latest  runs  spread of occasions
| wall           20.18 ms   20.18 ms    12      2.6 % (assumed)
| cpu            20.18 ms   20.18 ms    12      2.6 % (assumed)
| user           20.18 ms   20.18 ms    12      2.6 % (assumed)
| system             0 ns       0 ns    12      6.5 % (assumed)
| memory        8.004 MiB  8.004 MiB    12     0.65 % (assumed)
| throughput         4955       4955    12      2.6 % (assumed)
| major_faults          0          0    12      6.5 % (assumed)
| tps               49.55      49.55    12      2.6 % (assumed)

$ tacho baseline show --dir project/baselines --machine-class box-8cpu merge
| merge on box-8cpu
| 
|    occasion           at                    commit        command
| *  20260101-000000-a  2026-02-03T00:00:00Z  0123456789ab  ./prog a
| 
| metric        reference     latest  runs  spread of occasions
| wall           20.18 ms   20.18 ms    12      2.6 % (assumed)
| cpu            20.18 ms   20.18 ms    12      2.6 % (assumed)
| user           20.18 ms   20.18 ms    12      2.6 % (assumed)
| system             0 ns       0 ns    12      6.5 % (assumed)
| memory        8.004 MiB  8.004 MiB    12     0.65 % (assumed)
| throughput         4955       4955    12      2.6 % (assumed)
| major_faults          0          0    12      6.5 % (assumed)
| tps               49.55      49.55    12      2.6 % (assumed)

$ tacho baseline show --dir project/baselines --machine-class box-1cpu sort --json
| {
|   "schema": "tacho.baseline.v1",
|   "bench": "sort",
|   "machine_class": "box-1cpu",
|   "reference": "20260101-000000-a",
|   "occasions": [
|     {
|       "id": "20260101-000000-a",
|       "at": "2026-01-01T00:00:00Z",
|       "commit": "",
|       "command": "./prog a",
|       "environment": {"cpu_model":"box"},
|       "metrics": {
|         "wall": [20000000.0,20379000.0,20351000.0,20323000.0,20295000.0,20222000.0,20194000.0,20166000.0,20138000.0,20110000.0,20037000.0,20009000.0],
|         "cpu": [19999000.0,20378000.0,20350000.0,20322000.0,20294000.0,20221000.0,20193000.0,20165000.0,20137000.0,20109000.0,20036000.0,20008000.0],
|         "user": [19999000.0,20378000.0,20350000.0,20322000.0,20294000.0,20221000.0,20193000.0,20165000.0,20137000.0,20109000.0,20036000.0,20008000.0],
|         "system": [0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],
|         "memory": [8388608.0,8392704.0,8396800.0,8388608.0,8392704.0,8396800.0,8388608.0,8392704.0,8396800.0,8388608.0,8392704.0,8396800.0],
|         "throughput": [5000.0,4907.012120319938,4913.763451427449,4920.533385819022,4927.3220004927325,4945.109286915241,4951.965930474399,4958.841614598829,4965.736418710895,4972.650422675286,4990.767080900335,4997.7510120445795],
|         "major_faults": [0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],
|         "tps": [50.0,49.07,49.138,49.205,49.273,49.451,49.52,49.588,49.657,49.727,49.908,49.978]
|       }
|     },
|     {
|       "id": "20260101-000000-b",
|       "at": "2026-01-01T00:00:00Z",
|       "commit": "",
|       "command": "./prog b",
|       "environment": {"cpu_model":"box"},
|       "metrics": {
|         "wall": [23000000.0,23434500.0,23400950.0,23367400.0,23333850.0,23255300.0,23221750.0,23188200.0,23154650.0,23121100.0,23042550.0,23009000.0],
|         "cpu": [22999000.0,23433500.0,23399950.0,23366400.0,23332850.0,23254300.0,23220750.0,23187200.0,23153650.0,23120100.0,23041550.0,23008000.0],
|         "user": [22999000.0,23433500.0,23399950.0,23366400.0,23332850.0,23254300.0,23220750.0,23187200.0,23153650.0,23120100.0,23041550.0,23008000.0],
|         "system": [0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],
|         "memory": [8388608.0,8392704.0,8396800.0,8388608.0,8392704.0,8396800.0,8388608.0,8392704.0,8396800.0,8388608.0,8392704.0,8396800.0],
|         "throughput": [4347.826086956521,4267.212869914016,4273.330783579299,4279.466264967434,4285.619389856367,4300.095032100209,4306.307664151065,4312.53827377718,4318.786939124539,4325.053738792704,4339.797461652464,4346.125429179887],
|         "major_faults": [0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],
|         "tps": [43.478,42.672,42.733,42.795,42.856,43.001,43.063,43.125,43.188,43.251,43.398,43.461]
|       }
|     }
|   ]
| }

# The second becomes the reference; the other bench does not change.
$ project/try 'p="--dir baselines --machine-class box-1cpu"; tacho baseline promote $p sort 20260101-000000-b && tacho baseline list --dir baselines'
| sort: the reference is 20260101-000000-b of 2026-01-01T00:00:00Z
| bench  machine class  occasions  reference             commit
| merge  box-1cpu               1  2026-01-01T00:00:00Z
| merge  box-8cpu               1  2026-02-03T00:00:00Z  0123456789ab
| sort   box-1cpu               2  2026-01-01T00:00:00Z

$ project/try 'p="--dir baselines --machine-class box-1cpu"; tacho baseline promote $p sort && tacho baseline show $p sort | head -5'
| sort: the reference is 20260101-000000-b of 2026-01-01T00:00:00Z
| sort on box-1cpu
| 
|    occasion           at                    commit  command
|    20260101-000000-a  2026-01-01T00:00:00Z          ./prog a
| *  20260101-000000-b  2026-01-01T00:00:00Z          ./prog b

# Removing one class of a bench keeps the other.
$ project/try 'tacho baseline remove --dir baselines --machine-class box-1cpu merge; tacho baseline list --dir baselines'
| removed baselines/merge/box-1cpu.json
| bench  machine class  occasions  reference             commit
| merge  box-8cpu               1  2026-02-03T00:00:00Z  0123456789ab
| sort   box-1cpu               2  2026-01-01T00:00:00Z

# Two run folders are saved as occasions, under a bench's name and under their own. Their commands
# differ, so they cannot be occasions of one bench.
$ project/try 'cp -r "$here/compare" .; for r in a b; do tacho baseline save --from compare/$r --bench prog; tacho baseline save --from compare/$r; done; tacho baseline list'
| DIR/.tacho/baselines/prog/box-1cpu.json: 1 occasion
| DIR/.tacho/baselines/a/box-1cpu.json: 1 occasion
| DIR/.tacho/baselines/b/box-1cpu.json: 1 occasion
| bench  machine class  occasions  reference             commit
| a      box-1cpu               1  2026-01-01T00:00:00Z
| b      box-1cpu               1  2026-01-01T00:00:00Z
| prog   box-1cpu               1  2026-01-01T00:00:00Z
! tacho: cannot save 'compare/b' as a baseline: the baseline was not changed: it was measured with './prog a', the bench is './prog b'; to start over: tacho baseline save --replace --bench prog

# Measures every bench of tacho.yaml, then two of them again.
$ project/try 'tacho baseline save -q && tacho baseline save -q -b pages -b score && find .tacho -name "*.json" | sort | xargs grep -c \"id\"'
| DIR/.tacho/baselines/steps/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 1 occasion
| DIR/.tacho/baselines/pages/CLASS.json: 1 occasion
| DIR/.tacho/baselines/score/CLASS.json: 2 occasions
| DIR/.tacho/baselines/pages/CLASS.json: 2 occasions
| .tacho/baselines/pages/CLASS.json:2
| .tacho/baselines/score/CLASS.json:2
| .tacho/baselines/steps/CLASS.json:1

# Wrong usage: each message names the mistake.
$ tacho baseline
! tacho baseline - save, list, show, promote and remove baselines of the gate
! 
! Usage: tacho baseline list|promote|remove|save|show [OPTIONS] [ARGUMENTS]
! 
! Commands:
!   list     list all baselines
!   promote  make an occasion the reference of the gate
!   remove   remove the baseline of a bench on one machine class
!   save     measure the benches of tacho.yaml and add the values as an occasion
!   show     show the occasions of a baseline and how much they differ
! 
! See 'tacho baseline --help' for details.
[64]

$ tacho baseline shwo sort
! tacho: unknown command 'shwo'; did you mean 'show'?
! see 'tacho baseline --help'
[64]

$ tacho baseline show
! tacho: BENCH is missing
! see 'tacho baseline show --help'
[64]

$ tacho baseline show --dir project/baselines --machine-class box-1cpu nothing
! tacho: 'nothing' has no baseline for box-1cpu in 'project/baselines'; 'tacho baseline list' shows all, 'tacho baseline save' makes one
[1]

$ tacho baseline show --dir project/baselines --machine-class box-1cpu ../sort
! tacho: cannot read 'project/baselines/../sort/box-1cpu.json', which was not changed: '../sort' is not a valid name of a bench; use letters, digits, '.', '_' and '-', and no '.' at the beginning
[1]

$ tacho baseline promote --dir project/baselines --machine-class box-1cpu sort 2025
! tacho: 'project/baselines/sort/box-1cpu.json' has no occasion '2025'; 'tacho baseline show sort' lists them
[1]

$ tacho baseline remove --dir project/baselines --machine-class box-2cpu sort
! tacho: cannot remove 'project/baselines/sort/box-2cpu.json': No such file or directory
[1]

$ tacho baseline save --config nowhere.yaml
! tacho: there is no 'nowhere.yaml', the file that lists the programs to measure and their budgets; 'tacho gate init' writes one to start from
[1]

$ tacho baseline save --from compare/nowhere
! tacho: cannot save 'compare/nowhere' as a baseline: cannot open 'compare/nowhere/run.json': No such file or directory
[1]

$ tacho baseline save --from compare/a -n 5
! tacho: option '--runs' needs a number of at least 6, not '5'
! see 'tacho baseline save --help'
[64]

$ project/try 'cp baselines/sort/box-1cpu.json baselines/merge; tacho baseline list --dir baselines; tacho baseline show --dir baselines --machine-class box-1cpu merge; tacho baseline promote --dir baselines --machine-class box-1cpu merge'
| bench  machine class  occasions  reference             commit
| merge  box-8cpu               1  2026-02-03T00:00:00Z  0123456789ab
| sort   box-1cpu               2  2026-01-01T00:00:00Z
! tacho: 'baselines/merge/box-1cpu.json' is the baseline of 'sort' on box-1cpu, which belongs in 'baselines/sort/box-1cpu.json'
! tacho: cannot read 'baselines/merge/box-1cpu.json', which was not changed: it is the baseline of 'sort' on box-1cpu, not of 'merge' on box-1cpu
! tacho: cannot read 'baselines/merge/box-1cpu.json', which was not changed: it is the baseline of 'sort' on box-1cpu, not of 'merge' on box-1cpu
[1]

$ project/try 'echo "{}" >baselines/sort/box-1cpu.json; tacho baseline show --dir baselines --machine-class box-1cpu sort; tacho baseline list --dir baselines'
| bench  machine class  occasions  reference             commit
| merge  box-1cpu               1  2026-01-01T00:00:00Z
| merge  box-8cpu               1  2026-02-03T00:00:00Z  0123456789ab
! tacho: cannot read 'baselines/sort/box-1cpu.json', which was not changed: 'schema' is missing; to start over, on a machine of class box-1cpu: tacho baseline save --replace --bench sort
! tacho: cannot read 'baselines/sort/box-1cpu.json', which was not changed: 'schema' is missing; to start over, on a machine of class box-1cpu: tacho baseline save --replace --bench sort
[1]

$ project/try ': >baselines/sort/box-1cpu.json; tacho baseline show --dir baselines --machine-class box-1cpu sort'
! tacho: cannot read 'baselines/sort/box-1cpu.json', which was not changed: the file is empty; to start over, on a machine of class box-1cpu: tacho baseline save --replace --bench sort
[1]

$ tacho baseline save -n 20 --max-runs 10
! tacho: --runs 20 is above --max-runs 10; change one of them
! see 'tacho baseline save --help'
[64]

$ tacho baseline save --from tacho-out/x --runs 20
! tacho: --from saves a run that was measured before; leave out --runs, --max-runs and --build
! see 'tacho baseline save --help'
[64]
