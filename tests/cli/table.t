# Output without a width, as in a pipe, is never truncated.
$ sample table
| name                                                                     time    share
| main                                                                  1.250 s  100.0 %  ████████
| a function whose name is very, very long, as those of templates are  625.0 ms   50.0 %  ████
| 汉字漢字汉字漢字汉字漢字 wide                                        31.00 ms    2.5 %  ▎
| éäô combining                                                        999.6 ns   <0.1 %
| ?[31mnot red?                                                           12 ns   <0.1 %

$ sample table --width 80
| name                                                     time    share
| main                                                  1.250 s  100.0 %  ████████
| a function whose name is very, very long, as those…  625.0 ms   50.0 %  ████
| 汉字漢字汉字漢字汉字漢字 wide                        31.00 ms    2.5 %  ▎
| éäô combining                                        999.6 ns   <0.1 %
| ?[31mnot red?                                           12 ns   <0.1 %

$ sample table --width 60
| name                                 time    share
| main                              1.250 s  100.0 %  ████████
| a function whose name is very,…  625.0 ms   50.0 %  ████
| 汉字漢字汉字漢字汉字漢字 wide    31.00 ms    2.5 %  ▎
| éäô combining                    999.6 ns   <0.1 %
| ?[31mnot red?                       12 ns   <0.1 %

$ sample table --width 40
| name             time    share
| main          1.250 s  100.0 %  ████████
| a function…  625.0 ms   50.0 %  ████
| 汉字漢字汉…  31.00 ms    2.5 %  ▎
| éäô combin…  999.6 ns   <0.1 %
| ?[31mnot r…     12 ns   <0.1 %

$ sample table --width 20
| name            time    share
| main         1.250 s  100.0 %  ████████
| a functio…  625.0 ms   50.0 %  ████
| 汉字漢字…   31.00 ms    2.5 %  ▎
| éäô combi…  999.6 ns   <0.1 %
| ?[31mnot …     12 ns   <0.1 %

$ COLUMNS=60 sample table
| name                                 time    share
| main                              1.250 s  100.0 %  ████████
| a function whose name is very,…  625.0 ms   50.0 %  ████
| 汉字漢字汉字漢字汉字漢字 wide    31.00 ms    2.5 %  ▎
| éäô combining                    999.6 ns   <0.1 %
| ?[31mnot red?                       12 ns   <0.1 %

# An invalid COLUMNS is ignored.
$ COLUMNS=wide sample table | head -2
| name                                                                     time    share
| main                                                                  1.250 s  100.0 %  ████████

$ LC_ALL=C sample table --width 60
| name                                 time    share
| main                              1.250 s  100.0 %  ########
| a function whose name is ver...  625.0 ms   50.0 %  ####
| ???????????? wide                31.00 ms    2.5 %
| e?a?o? combining                 999.6 ns   <0.1 %
| ?[31mnot red?                       12 ns   <0.1 %

$ LC_ALL= LC_CTYPE=de_DE.UTF-8 LANG=C sample table --width 60 | tail -2
| éäô combining                    999.6 ns   <0.1 %
| ?[31mnot red?                       12 ns   <0.1 %

$ sample table --width 40 --color always | tr '\033' '^'
| ^[1mname^[0m             ^[1mtime^[0m    ^[1mshare^[0m
| ^[36mmain^[0m          1.250 s  100.0 %  ████████
| ^[36ma function…^[0m  625.0 ms   50.0 %  ████
| ^[36m汉字漢字汉…^[0m  31.00 ms    2.5 %  ▎
| ^[36méäô combin…^[0m  999.6 ns   <0.1 %
| ^[36m?[31mnot r…^[0m     12 ns   <0.1 %

$ NO_COLOR=1 sample table --color always | tr '\033' '^' | head -1
| ^[1mname^[0m                                                                     ^[1mtime^[0m    ^[1mshare^[0m

# No progress is shown if stderr is not a terminal.
$ sample progress
| done
! tacho: warning: half-way
