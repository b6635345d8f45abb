# A whole report about the machine in machine/.
$ sample doctor machine
| WHAT THIS MACHINE CAN MEASURE
| 
| Performance events
|   ✔  sampling             works: the cpu-clock event opens
|   ✘  hardware counters    none: this CPU or virtual machine provides no counters
|      → on a virtual machine's host: qemu -cpu host,pmu=on
|   !  perf_event_paranoid  2: own processes, without their time in the kernel
|      → sudo sysctl kernel.perf_event_paranoid=1
|   !  kernel names         kptr_restrict 1, perf_event_paranoid 2: this user cannot name kernel functions
|      → sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1
|   ✔  sample buffers       516 KiB per CPU, and 8192 KiB of locked memory
|   ✔  sample rate          up to 100000 samples per second
| 
| Power sources
|   ✘  RAPL                 no energy counter
|      → sudo modprobe intel_rapl_msr
|   ✘  perf power           the kernel provides no energy events
|      → sudo modprobe rapl
|   ✘  hwmon                no sensor that reports power
|      → sudo apt install lm-sensors && sudo sensors-detect --auto
|   –  battery              none
|   –  NVIDIA GPUs          none in this machine
|   –  AMD GPUs             none in this machine
| 
| Clocks
|   ✔  TSC                  invariant; used to measure time
|   ✔  clocksource          tsc
| 
| Memory accounting
|   ✔  cgroups              version 2
|   ✔  memory.peak          recorded for every group
| 
| Tools
|   ✘  perf                 not found: records and counts performance events
|      → sudo apt install linux-perf
|   –  dtrace               not found: on Linux, perf events do its work
|   –  cargo                not found: builds Rust programs
|   –  cargo-flamegraph     not found: tacho flame does its work
|   –  inferno              not found: tacho flame does its work
|   ✘  hyperfine            not found: times commands
|      → sudo apt install hyperfine
|   ✘  gdb                  not found: debugs a program that hangs or crashed
|      → sudo apt install gdb
|   ✘  debuginfod           not found: fetches debug information
|      → sudo apt install debuginfod
|   ✘  valgrind             not found: counts instructions where the CPU has no counters
|      → sudo apt install valgrind
|   ✘  git                  not found: checks out the commit of gate --against
|      → sudo apt install git
| 
| WHAT DISTURBS IT
| 
| CPU
|   ✔  CPUs                 4 online, all usable
|   !  governor             powersave: the frequency follows the load
|      → echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor
|   ✔  turbo                off
|   ✔  SMT                  off: no two threads share a core
|   ✔  NUMA                 one node
| 
| System
|   ✔  load                 0.12 in the last minute, on 4 CPUs
|   ✔  virtual machine      no
|   ✔  container            no
|   !  ASLR                 on: memory addresses differ from run to run
|      → tacho run --no-aslr -- COMMAND
|   ✔  huge pages           only for programs that ask
|   ✔  swap                 not in use
|   ✘  disk                 unknown: cannot examine this folder
|      → cd to a folder that exists
| 
| WHAT TACHO CAN DO HERE
| 
| Features
|   !  flamegraphs          degraded: own processes without their time in the kernel
|      → sudo sysctl kernel.perf_event_paranoid=1
|   ✘  flame --off-cpu      absent: needs performance events and perf_event_paranoid 1 or less
|      → sudo sysctl kernel.perf_event_paranoid=1
|   ✘  flame --all          absent: needs performance events and perf_event_paranoid 0 or less
|      → sudo sysctl kernel.perf_event_paranoid=0
|   ✘  flame preload        absent: 'tacho-sampler.so' is missing
|      → tacho flame --profiler ptrace
|   ✘  flame ptrace         absent: this user may not trace programs
|      → in a container: docker run --cap-add SYS_PTRACE
|   ✔  flame symbols        available: at most 7.629 GiB of memory per capture
|   ✘  count instructions   absent: there is neither a CPU counter nor valgrind
|      → sudo apt install valgrind
|   ✘  count syscalls       absent: there are no seccomp notifications, and this user may not trace programs
|      → in a container: docker run --cap-add SYS_PTRACE
|   ✘  count allocations    absent: 'tacho-allocations.so' is missing
|      → install tacho completely
|   ✘  count faults         absent: this user may not trace programs
|      → in a container: docker run --cap-add SYS_PTRACE
|   ✘  run --no-aslr        absent: ASLR cannot be switched off
|      → in a container: docker run --security-opt seccomp=unconfined
|   ✘  energy               absent: there is no power source that can be read
|      → sudo modprobe intel_rapl_msr
|   –  GPU energy           absent: this machine has no GPU that tacho supports
|   ✔  memory of a tree     available: polled in /proc; a peak between two polls can be missed
|   ✔  traces               available: timed by the TSC
|   ✘  gate --against       absent: git is missing; run folders do not record their commit either
|      → sudo apt install git
| 
| 19 ok, 5 warnings, 22 missing, 8 not applicable

$ sample doctor machine --width 60
| WHAT THIS MACHINE CAN MEASURE
| 
| Performance events
|   ✔  sampling             works: the cpu-clock event opens
|   ✘  hardware counters    none: this CPU or virtual machine
|                           provides no counters
|      → on a virtual machine's host: qemu -cpu host,pmu=on
|   !  perf_event_paranoid  2: own processes, without their
|                           time in the kernel
|      → sudo sysctl kernel.perf_event_paranoid=1
|   !  kernel names         kptr_restrict 1,
|                           perf_event_paranoid 2: this user
|                           cannot name kernel functions
|      → sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1
|   ✔  sample buffers       516 KiB per CPU, and 8192 KiB of
|                           locked memory
|   ✔  sample rate          up to 100000 samples per second
| 
| Power sources
|   ✘  RAPL                 no energy counter
|      → sudo modprobe intel_rapl_msr
|   ✘  perf power           the kernel provides no energy
|                           events
|      → sudo modprobe rapl
|   ✘  hwmon                no sensor that reports power
|      → sudo apt install lm-sensors && sudo sensors-detect --auto
|   –  battery              none
|   –  NVIDIA GPUs          none in this machine
|   –  AMD GPUs             none in this machine
| 
| Clocks
|   ✔  TSC                  invariant; used to measure time
|   ✔  clocksource          tsc
| 
| Memory accounting
|   ✔  cgroups              version 2
|   ✔  memory.peak          recorded for every group
| 
| Tools
|   ✘  perf                 not found: records and counts
|                           performance events
|      → sudo apt install linux-perf
|   –  dtrace               not found: on Linux, perf events
|                           do its work
|   –  cargo                not found: builds Rust programs
|   –  cargo-flamegraph     not found: tacho flame does its
|                           work
|   –  inferno              not found: tacho flame does its
|                           work
|   ✘  hyperfine            not found: times commands
|      → sudo apt install hyperfine
|   ✘  gdb                  not found: debugs a program that
|                           hangs or crashed
|      → sudo apt install gdb
|   ✘  debuginfod           not found: fetches debug
|                           information
|      → sudo apt install debuginfod
|   ✘  valgrind             not found: counts instructions
|                           where the CPU has no counters
|      → sudo apt install valgrind
|   ✘  git                  not found: checks out the commit
|                           of gate --against
|      → sudo apt install git
| 
| WHAT DISTURBS IT
| 
| CPU
|   ✔  CPUs                 4 online, all usable
|   !  governor             powersave: the frequency follows
|                           the load
|      → echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor
|   ✔  turbo                off
|   ✔  SMT                  off: no two threads share a core
|   ✔  NUMA                 one node
| 
| System
|   ✔  load                 0.12 in the last minute, on 4 CPUs
|   ✔  virtual machine      no
|   ✔  container            no
|   !  ASLR                 on: memory addresses differ from
|                           run to run
|      → tacho run --no-aslr -- COMMAND
|   ✔  huge pages           only for programs that ask
|   ✔  swap                 not in use
|   ✘  disk                 unknown: cannot examine this
|                           folder
|      → cd to a folder that exists
| 
| WHAT TACHO CAN DO HERE
| 
| Features
|   !  flamegraphs          degraded: own processes without
|                           their time in the kernel
|      → sudo sysctl kernel.perf_event_paranoid=1
|   ✘  flame --off-cpu      absent: needs performance events
|                           and perf_event_paranoid 1 or less
|      → sudo sysctl kernel.perf_event_paranoid=1
|   ✘  flame --all          absent: needs performance events
|                           and perf_event_paranoid 0 or less
|      → sudo sysctl kernel.perf_event_paranoid=0
|   ✘  flame preload        absent: 'tacho-sampler.so' is
|                           missing
|      → tacho flame --profiler ptrace
|   ✘  flame ptrace         absent: this user may not trace
|                           programs
|      → in a container: docker run --cap-add SYS_PTRACE
|   ✔  flame symbols        available: at most 7.629 GiB of
|                           memory per capture
|   ✘  count instructions   absent: there is neither a CPU
|                           counter nor valgrind
|      → sudo apt install valgrind
|   ✘  count syscalls       absent: there are no seccomp
|                           notifications, and this user may
|                           not trace programs
|      → in a container: docker run --cap-add SYS_PTRACE
|   ✘  count allocations    absent: 'tacho-allocations.so' is
|                           missing
|      → install tacho completely
|   ✘  count faults         absent: this user may not trace
|                           programs
|      → in a container: docker run --cap-add SYS_PTRACE
|   ✘  run --no-aslr        absent: ASLR cannot be switched
|                           off
|      → in a container: docker run --security-opt seccomp=unconfined
|   ✘  energy               absent: there is no power source
|                           that can be read
|      → sudo modprobe intel_rapl_msr
|   –  GPU energy           absent: this machine has no GPU
|                           that tacho supports
|   ✔  memory of a tree     available: polled in /proc; a peak
|                           between two polls can be missed
|   ✔  traces               available: timed by the TSC
|   ✘  gate --against       absent: git is missing; run
|                           folders do not record their commit
|                           either
|      → sudo apt install git
| 
| 19 ok, 5 warnings, 22 missing, 8 not applicable

$ sample doctor machine --quiet --color always --width 80 | tr '\033' '^'
| ^[1mWHAT THIS MACHINE CAN MEASURE^[0m
| 
| ^[1mPerformance events^[0m
|   ^[31m✘^[0m  hardware counters    none: this CPU or virtual machine provides no counters
|      ^[36m→ on a virtual machine's host: qemu -cpu host,pmu=on^[0m
|   ^[33m!^[0m  perf_event_paranoid  2: own processes, without their time in the kernel
|      ^[36m→ sudo sysctl kernel.perf_event_paranoid=1^[0m
|   ^[33m!^[0m  kernel names         kptr_restrict 1, perf_event_paranoid 2: this user
|                           cannot name kernel functions
|      ^[36m→ sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1^[0m
| 
| ^[1mPower sources^[0m
|   ^[31m✘^[0m  RAPL                 no energy counter
|      ^[36m→ sudo modprobe intel_rapl_msr^[0m
|   ^[31m✘^[0m  perf power           the kernel provides no energy events
|      ^[36m→ sudo modprobe rapl^[0m
|   ^[31m✘^[0m  hwmon                no sensor that reports power
|      ^[36m→ sudo apt install lm-sensors && sudo sensors-detect --auto^[0m
| 
| ^[1mTools^[0m
|   ^[31m✘^[0m  perf                 not found: records and counts performance events
|      ^[36m→ sudo apt install linux-perf^[0m
|   ^[31m✘^[0m  hyperfine            not found: times commands
|      ^[36m→ sudo apt install hyperfine^[0m
|   ^[31m✘^[0m  gdb                  not found: debugs a program that hangs or crashed
|      ^[36m→ sudo apt install gdb^[0m
|   ^[31m✘^[0m  debuginfod           not found: fetches debug information
|      ^[36m→ sudo apt install debuginfod^[0m
|   ^[31m✘^[0m  valgrind             not found: counts instructions where the CPU has no
|                           counters
|      ^[36m→ sudo apt install valgrind^[0m
|   ^[31m✘^[0m  git                  not found: checks out the commit of gate --against
|      ^[36m→ sudo apt install git^[0m
| 
| ^[1mWHAT DISTURBS IT^[0m
| 
| ^[1mCPU^[0m
|   ^[33m!^[0m  governor             powersave: the frequency follows the load
|      ^[36m→ echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor^[0m
| 
| ^[1mSystem^[0m
|   ^[33m!^[0m  ASLR                 on: memory addresses differ from run to run
|      ^[36m→ tacho run --no-aslr -- COMMAND^[0m
|   ^[31m✘^[0m  disk                 unknown: cannot examine this folder
|      ^[36m→ cd to a folder that exists^[0m
| 
| ^[1mWHAT TACHO CAN DO HERE^[0m
| 
| ^[1mFeatures^[0m
|   ^[33m!^[0m  flamegraphs          degraded: own processes without their time in the
|                           kernel
|      ^[36m→ sudo sysctl kernel.perf_event_paranoid=1^[0m
|   ^[31m✘^[0m  flame --off-cpu      absent: needs performance events and
|                           perf_event_paranoid 1 or less
|      ^[36m→ sudo sysctl kernel.perf_event_paranoid=1^[0m
|   ^[31m✘^[0m  flame --all          absent: needs performance events and
|                           perf_event_paranoid 0 or less
|      ^[36m→ sudo sysctl kernel.perf_event_paranoid=0^[0m
|   ^[31m✘^[0m  flame preload        absent: 'tacho-sampler.so' is missing
|      ^[36m→ tacho flame --profiler ptrace^[0m
|   ^[31m✘^[0m  flame ptrace         absent: this user may not trace programs
|      ^[36m→ in a container: docker run --cap-add SYS_PTRACE^[0m
|   ^[31m✘^[0m  count instructions   absent: there is neither a CPU counter nor valgrind
|      ^[36m→ sudo apt install valgrind^[0m
|   ^[31m✘^[0m  count syscalls       absent: there are no seccomp notifications, and this
|                           user may not trace programs
|      ^[36m→ in a container: docker run --cap-add SYS_PTRACE^[0m
|   ^[31m✘^[0m  count allocations    absent: 'tacho-allocations.so' is missing
|      ^[36m→ install tacho completely^[0m
|   ^[31m✘^[0m  count faults         absent: this user may not trace programs
|      ^[36m→ in a container: docker run --cap-add SYS_PTRACE^[0m
|   ^[31m✘^[0m  run --no-aslr        absent: ASLR cannot be switched off
|      ^[36m→ in a container: docker run --security-opt seccomp=unconfined^[0m
|   ^[31m✘^[0m  energy               absent: there is no power source that can be read
|      ^[36m→ sudo modprobe intel_rapl_msr^[0m
|   ^[31m✘^[0m  gate --against       absent: git is missing; run folders do not record
|                           their commit either
|      ^[36m→ sudo apt install git^[0m
| 
| ^[32m19 ok^[0m, ^[33m5 warnings^[0m, ^[31m22 missing^[0m, ^[2m8 not applicable^[0m

$ LC_ALL=C sample doctor machine --quiet | head -6
| WHAT THIS MACHINE CAN MEASURE
| 
| Performance events
|   x  hardware counters    none: this CPU or virtual machine provides no counters
|      -> on a virtual machine's host: qemu -cpu host,pmu=on
|   !  perf_event_paranoid  2: own processes, without their time in the kernel

$ sample doctor machine --json
| {"schema":"tacho.doctor.v1","tacho_version":"0.1.0","counts":{"ok":19,"warning":5,"missing":22,"not_applicable":8},"probes":[{"group":"events","disturbs":false,"name":"sampling","status":"ok","found":"works: the cpu-clock event opens","fix":null},{"group":"events","disturbs":false,"name":"hardware counters","status":"missing","found":"none: this CPU or virtual machine provides no counters","fix":"on a virtual machine's host: qemu -cpu host,pmu=on"},{"group":"events","disturbs":false,"name":"perf_event_paranoid","status":"warning","found":"2: own processes, without their time in the kernel","fix":"sudo sysctl kernel.perf_event_paranoid=1"},{"group":"events","disturbs":false,"name":"kernel names","status":"warning","found":"kptr_restrict 1, perf_event_paranoid 2: this user cannot name kernel functions","fix":"sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"},{"group":"events","disturbs":false,"name":"sample buffers","status":"ok","found":"516 KiB per CPU, and 8192 KiB of locked memory","fix":null},{"group":"events","disturbs":false,"name":"sample rate","status":"ok","found":"up to 100000 samples per second","fix":null},{"group":"power","disturbs":false,"name":"RAPL","status":"missing","found":"no energy counter","fix":"sudo modprobe intel_rapl_msr"},{"group":"power","disturbs":false,"name":"perf power","status":"missing","found":"the kernel provides no energy events","fix":"sudo modprobe rapl"},{"group":"power","disturbs":false,"name":"hwmon","status":"missing","found":"no sensor that reports power","fix":"sudo apt install lm-sensors && sudo sensors-detect --auto"},{"group":"power","disturbs":false,"name":"battery","status":"not_applicable","found":"none","fix":null},{"group":"power","disturbs":false,"name":"NVIDIA GPUs","status":"not_applicable","found":"none in this machine","fix":null},{"group":"power","disturbs":false,"name":"AMD GPUs","status":"not_applicable","found":"none in this machine","fix":null},{"group":"clock","disturbs":false,"name":"TSC","status":"ok","found":"invariant; used to measure time","fix":null},{"group":"clock","disturbs":false,"name":"clocksource","status":"ok","found":"tsc","fix":null},{"group":"memory","disturbs":false,"name":"cgroups","status":"ok","found":"version 2","fix":null},{"group":"memory","disturbs":false,"name":"memory.peak","status":"ok","found":"recorded for every group","fix":null},{"group":"tools","disturbs":false,"name":"perf","status":"missing","found":"not found: records and counts performance events","fix":"sudo apt install linux-perf"},{"group":"tools","disturbs":false,"name":"dtrace","status":"not_applicable","found":"not found: on Linux, perf events do its work","fix":null},{"group":"tools","disturbs":false,"name":"cargo","status":"not_applicable","found":"not found: builds Rust programs","fix":null},{"group":"tools","disturbs":false,"name":"cargo-flamegraph","status":"not_applicable","found":"not found: tacho flame does its work","fix":null},{"group":"tools","disturbs":false,"name":"inferno","status":"not_applicable","found":"not found: tacho flame does its work","fix":null},{"group":"tools","disturbs":false,"name":"hyperfine","status":"missing","found":"not found: times commands","fix":"sudo apt install hyperfine"},{"group":"tools","disturbs":false,"name":"gdb","status":"missing","found":"not found: debugs a program that hangs or crashed","fix":"sudo apt install gdb"},{"group":"tools","disturbs":false,"name":"debuginfod","status":"missing","found":"not found: fetches debug information","fix":"sudo apt install debuginfod"},{"group":"tools","disturbs":false,"name":"valgrind","status":"missing","found":"not found: counts instructions where the CPU has no counters","fix":"sudo apt install valgrind"},{"group":"tools","disturbs":false,"name":"git","status":"missing","found":"not found: checks out the commit of gate --against","fix":"sudo apt install git"},{"group":"cpu","disturbs":true,"name":"CPUs","status":"ok","found":"4 online, all usable","fix":null},{"group":"cpu","disturbs":true,"name":"governor","status":"warning","found":"powersave: the frequency follows the load","fix":"echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor"},{"group":"cpu","disturbs":true,"name":"turbo","status":"ok","found":"off","fix":null},{"group":"cpu","disturbs":true,"name":"SMT","status":"ok","found":"off: no two threads share a core","fix":null},{"group":"cpu","disturbs":true,"name":"NUMA","status":"ok","found":"one node","fix":null},{"group":"system","disturbs":true,"name":"load","status":"ok","found":"0.12 in the last minute, on 4 CPUs","fix":null},{"group":"system","disturbs":true,"name":"virtual machine","status":"ok","found":"no","fix":null},{"group":"system","disturbs":true,"name":"container","status":"ok","found":"no","fix":null},{"group":"system","disturbs":true,"name":"ASLR","status":"warning","found":"on: memory addresses differ from run to run","fix":"tacho run --no-aslr -- COMMAND"},{"group":"system","disturbs":true,"name":"huge pages","status":"ok","found":"only for programs that ask","fix":null},{"group":"system","disturbs":true,"name":"swap","status":"ok","found":"not in use","fix":null},{"group":"system","disturbs":true,"name":"disk","status":"missing","found":"unknown: cannot examine this folder","fix":"cd to a folder that exists"},{"group":"features","disturbs":false,"name":"flamegraphs","status":"warning","found":"degraded: own processes without their time in the kernel","fix":"sudo sysctl kernel.perf_event_paranoid=1"},{"group":"features","disturbs":false,"name":"flame --off-cpu","status":"missing","found":"absent: needs performance events and perf_event_paranoid 1 or less","fix":"sudo sysctl kernel.perf_event_paranoid=1"},{"group":"features","disturbs":false,"name":"flame --all","status":"missing","found":"absent: needs performance events and perf_event_paranoid 0 or less","fix":"sudo sysctl kernel.perf_event_paranoid=0"},{"group":"features","disturbs":false,"name":"flame preload","status":"missing","found":"absent: 'tacho-sampler.so' is missing","fix":"tacho flame --profiler ptrace"},{"group":"features","disturbs":false,"name":"flame ptrace","status":"missing","found":"absent: this user may not trace programs","fix":"in a container: docker run --cap-add SYS_PTRACE"},{"group":"features","disturbs":false,"name":"flame symbols","status":"ok","found":"available: at most 7.629 GiB of memory per capture","fix":null},{"group":"features","disturbs":false,"name":"count instructions","status":"missing","found":"absent: there is neither a CPU counter nor valgrind","fix":"sudo apt install valgrind"},{"group":"features","disturbs":false,"name":"count syscalls","status":"missing","found":"absent: there are no seccomp notifications, and this user may not trace programs","fix":"in a container: docker run --cap-add SYS_PTRACE"},{"group":"features","disturbs":false,"name":"count allocations","status":"missing","found":"absent: 'tacho-allocations.so' is missing","fix":"install tacho completely"},{"group":"features","disturbs":false,"name":"count faults","status":"missing","found":"absent: this user may not trace programs","fix":"in a container: docker run --cap-add SYS_PTRACE"},{"group":"features","disturbs":false,"name":"run --no-aslr","status":"missing","found":"absent: ASLR cannot be switched off","fix":"in a container: docker run --security-opt seccomp=unconfined"},{"group":"features","disturbs":false,"name":"energy","status":"missing","found":"absent: there is no power source that can be read","fix":"sudo modprobe intel_rapl_msr"},{"group":"features","disturbs":false,"name":"GPU energy","status":"not_applicable","found":"absent: this machine has no GPU that tacho supports","fix":null},{"group":"features","disturbs":false,"name":"memory of a tree","status":"ok","found":"available: polled in /proc; a peak between two polls can be missed","fix":null},{"group":"features","disturbs":false,"name":"traces","status":"ok","found":"available: timed by the TSC","fix":null},{"group":"features","disturbs":false,"name":"gate --against","status":"missing","found":"absent: git is missing; run folders do not record their commit either","fix":"sudo apt install git"}]}

$ sample doctor machine --fail-on-warn | tail -1
| 19 ok, 5 warnings, 22 missing, 8 not applicable

$ sample doctor machine --fail-on-warn --json > /dev/null
[3]

# A machine whose /proc and /sys are empty.
$ sample doctor /nowhere
| WHAT THIS MACHINE CAN MEASURE
| 
| Performance events
|   ✔  sampling             works: the cpu-clock event opens
|   ✘  hardware counters    none: this CPU or virtual machine provides no counters
|      → on a virtual machine's host: qemu -cpu host,pmu=on
|   ✘  perf_event_paranoid  this kernel has no performance events
|      → boot a kernel built with CONFIG_PERF_EVENTS
| 
| Power sources
|   ✘  RAPL                 no energy counter
|      → sudo modprobe intel_rapl_msr
|   ✘  perf power           the kernel provides no energy events
|      → sudo modprobe rapl
|   ✘  hwmon                no sensor that reports power
|      → install the package lm-sensors && sudo sensors-detect --auto
|   –  battery              none
|   –  NVIDIA GPUs          none in this machine
|   –  AMD GPUs             none in this machine
| 
| Clocks
|   ✘  TSC                  unknown: cannot read /proc/cpuinfo
|      → sudo mount -t proc proc /proc
| 
| Memory accounting
|   ✘  cgroups              not mounted
|      → sudo mount -t cgroup2 none /sys/fs/cgroup
|   ✘  memory.peak          not recorded; tacho polls the memory of a process tree instead
|      → fix cgroups first; the peak needs Linux 5.19 or newer
| 
| Tools
|   ✘  perf                 not found: records and counts performance events
|      → install the package linux-perf
|   –  dtrace               not found: on Linux, perf events do its work
|   –  cargo                not found: builds Rust programs
|   –  cargo-flamegraph     not found: tacho flame does its work
|   –  inferno              not found: tacho flame does its work
|   ✘  hyperfine            not found: times commands
|      → install the package hyperfine
|   ✘  gdb                  not found: debugs a program that hangs or crashed
|      → install the package gdb
|   ✘  debuginfod           not found: fetches debug information
|      → install the package debuginfod
|   ✘  valgrind             not found: counts instructions where the CPU has no counters
|      → install the package valgrind
|   ✘  git                  not found: checks out the commit of gate --against
|      → install the package git
| 
| WHAT DISTURBS IT
| 
| CPU
|   –  governor             none: the CPU or the host sets the frequency
|   –  turbo                this machine has no switch for it
|   ✔  SMT                  off: no two threads share a core
|   ✔  NUMA                 one node
| 
| System
|   ✘  proc                 not mounted: what the kernel reports there is unknown
|      → sudo mount -t proc proc /proc
|   ✘  sys                  not mounted: what the kernel reports there is unknown
|      → sudo mount -t sysfs sys /sys
|   ✔  virtual machine      no
|   ✔  container            no
|   ✘  disk                 unknown: cannot examine this folder
|      → cd to a folder that exists
| 
| WHAT TACHO CAN DO HERE
| 
| Features
|   !  flamegraphs          degraded: own processes without their time in the kernel
|      → sudo sysctl kernel.perf_event_paranoid=1
|   ✘  flame --off-cpu      absent: needs performance events and perf_event_paranoid 1 or less
|      → sudo sysctl kernel.perf_event_paranoid=1
|   ✘  flame --all          absent: needs performance events and perf_event_paranoid 0 or less
|      → sudo sysctl kernel.perf_event_paranoid=0
|   ✘  flame preload        absent: 'tacho-sampler.so' is missing
|      → tacho flame --profiler ptrace
|   ✘  flame ptrace         absent: this user may not trace programs
|      → in a container: docker run --cap-add SYS_PTRACE
|   ✔  flame symbols        available: at most 8.000 GiB of memory per capture
|   ✘  count instructions   absent: there is neither a CPU counter nor valgrind
|      → install the package valgrind
|   ✘  count syscalls       absent: there are no seccomp notifications, and this user may not trace programs
|      → in a container: docker run --cap-add SYS_PTRACE
|   ✘  count allocations    absent: 'tacho-allocations.so' is missing
|      → install tacho completely
|   ✘  count faults         absent: this user may not trace programs
|      → in a container: docker run --cap-add SYS_PTRACE
|   ✘  run --no-aslr        absent: ASLR cannot be switched off
|      → in a container: docker run --security-opt seccomp=unconfined
|   ✘  energy               absent: there is no power source that can be read
|      → sudo modprobe intel_rapl_msr
|   –  GPU energy           absent: this machine has no GPU that tacho supports
|   ✘  memory of a tree     absent: /proc is not mounted
|      → sudo mount -t proc proc /proc
|   !  traces               degraded: recording a span costs more, because CLOCK_MONOTONIC times it
|      → sudo mount -t proc proc /proc
|   ✘  gate --against       absent: git is missing; run folders do not record their commit either
|      → install the package git
| 
| 6 ok, 2 warnings, 29 missing, 10 not applicable
