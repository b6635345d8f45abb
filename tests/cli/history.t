# The messages of tacho history. tests/kit/history/history.sh has its output.

$ tacho history
! tacho history - keep results over time, and find since when they changed
! 
! Usage: tacho history COMMAND ...
! 
! Commands:
!   add    add run folders to the history
!   log    list where benches became faster or slower
!   show   show the points of a bench, the newest first
!   trend  show one row per bench and metric, with its last shift
! 
! See 'tacho history --help' for details.
[64]
$ project/try 'tacho history log'
! tacho: there is no store 'DIR/.tacho/history.db'; 'tacho history add RUN...' makes it
[1]
$ project/try 'mkdir empty && tacho history add --store here/s.db empty missing; echo $?; ls here'
| 0 runs added: here/s.db
| 1
| s.db
! tacho: there is no run folder in 'empty'
! tacho: there is no run folder in 'missing'
$ project/try 'tacho history add --store s.db "$here/compare/b"; tacho history add --store s.db "$here/compare/b"; tacho history trend --width 100 --store s.db; tacho history log --store s.db; tacho history log --store s.db nothing'
| 1 run added: s.db
| 0 runs added, 1 was already there: s.db
| bench  metric       trend        now  points  last shift  at
| b      wall time    ▁       23.20 ms       1  -
| b      CPU time     ▁       23.20 ms       1  -
| b      peak memory  ▁      8.004 MiB       1  -
| b      items/s      ▁           4309       1  -
| no shifts
! tacho: the store has no 'nothing'; 'tacho history trend' lists what it has
[1]
$ project/try 'head -c 5000 /dev/urandom >bad.db; tacho history trend --store bad.db'
! tacho: cannot open the store: 'bad.db' is damaged or not a store (file is not a database); it was left as it is; restore a backup, or move it away and add the runs again
[1]
