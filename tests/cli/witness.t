# Witness logs, bundles and seals: their contents, and how changes are detected.
$ tacho witness verify witness/a.jsonl witness/b.jsonl
| ok   witness/a.jsonl: 3 entries
|      c9b70a600007db3918b53cc7ad6537ebb0296607376729604c6f5d5d1f3d2911
| ok   witness/b.jsonl: 3 entries
|      9aa8cfceab97d6ab57ea52240404ce1818b0e066c5a04bedbc3de20552fe5c47
$ tacho witness verify witness/changed.jsonl
| BAD  witness/changed.jsonl: line 2: the line was changed: its hash does not match its bytes
[2]
$ tacho witness verify witness/dropped.jsonl witness/a.jsonl witness/swapped.jsonl
| BAD  witness/dropped.jsonl: line 2: the line does not follow the line before it: a line was removed, added or moved
| ok   witness/a.jsonl: 3 entries
|      c9b70a600007db3918b53cc7ad6537ebb0296607376729604c6f5d5d1f3d2911
| BAD  witness/swapped.jsonl: line 2: the line does not follow the line before it: a line was removed, added or moved
[2]
$ tacho witness verify witness/open.jsonl
| BAD  witness/open.jsonl: not closed: lines at its end may be missing; --open accepts this
[2]
$ tacho witness verify --open witness/open.jsonl
| ok   witness/open.jsonl: 2 entries, not closed
|      1e76b75b5b924dd3d96f8ac44a5898abef62ec46cdf154596a97cb009890abf0
$ tacho witness verify --quiet witness/a.jsonl
$ tacho witness verify --json witness/a.jsonl witness/swapped.jsonl
| {"schema":"tacho.witness.verify.v1","files":[{"file":"witness/a.jsonl","kind":"log","ok":true,"entries":3,"closed":true,"hash":"c9b70a600007db3918b53cc7ad6537ebb0296607376729604c6f5d5d1f3d2911"},{"file":"witness/swapped.jsonl","kind":"log","ok":false,"entries":1,"closed":false,"hash":"34472e111790f6b46279f20436da11713b7be234bf43dcb439dd69262b869fda","line":2,"reason":"the line does not follow the line before it: a line was removed, added or moved"}],"bad":1}
[2]
$ tacho witness verify --expect 0000 witness/a.jsonl
| BAD  witness/a.jsonl: its last hash differs from the one of --expect
[2]
$ tacho witness verify --expect 0000 witness/a.jsonl witness/b.jsonl
! tacho: --expect needs exactly one file or folder, not 2
! see 'tacho witness verify --help'
[64]
$ tacho witness verify witness/none.jsonl
! tacho: cannot open 'witness/none.jsonl': No such file or directory
[1]
$ tacho witness verify trace/full.json
| BAD  trace/full.json: line 1: this is not a line of a witness file; it has no hash
[2]
$ tacho witness show witness/a.jsonl
| witness/a.jsonl: log of 3 entries
| last hash    c9b70a600007db3918b53cc7ad6537ebb0296607376729604c6f5d5d1f3d2911
| 
| line  q_hash        k_hash        kept            cut_cost  lambda  tau   eps   timestamp
|    1  9f588257a54c  3b5b3edabf91  8/16  50.0 %         0.0     2.0    2  0.01  1794785755
|    2  e39b818d7b24  829e6da970e9   2/4  50.0 %         0.0     2.0    2  0.01  1794785755
|    3  8aa4b73e8c74  85136fd4fd69   2/4  50.0 %  0.11736027     2.0    2  0.01  1794785755
$ tacho witness show --top 1 witness/a.jsonl
| witness/a.jsonl: log of 3 entries
| last hash    c9b70a600007db3918b53cc7ad6537ebb0296607376729604c6f5d5d1f3d2911
| 
| line  q_hash        k_hash        kept          cut_cost  lambda  tau   eps   timestamp
|    1  9f588257a54c  3b5b3edabf91  8/16  50.0 %       0.0     2.0    2  0.01  1794785755
| ... and 2 more; --top 3 shows all
$ tacho witness show --json witness/other.jsonl
| {"schema":"tacho.witness.show.v1","file":"witness/other.jsonl","kind":"log","closed":true,"logs":1,"entry_count":2,"hash":"182dd47273693f23303866c00cdced4fdfde26121c3415dc4ce77e4feef1a1d1","config":null,"config_hash":null,"environment":null,"environment_hash":null,"entries":[{"line":1,"q_hash":"ca70b2f33f34e2f956a02ed2644b944e76bef64ede62b5f1692c1d0f54eb1164","k_hash":"4d5f1d6c21dad91c082b6af8f8182212a347dea779f3283aa1d353d4f348d27b","edges_kept":6,"edges_total":9,"cut_cost":0.06694448,"lambda":0.3,"tau":0,"eps":0.01,"timestamp":1794785756},{"line":2,"q_hash":"ffa996dc412596e7d44a936c5637a44186c06a172e538b00f5b88109cbfa9243","k_hash":"e13ed95738630ee5c1f9b26d974bcf2fc5080f051924fe90e9eb6e0a8d420c73","edges_kept":6,"edges_total":9,"cut_cost":0.016402863,"lambda":0.3,"tau":0,"eps":0.01,"timestamp":1794785756}]}
$ tacho witness show witness/changed.jsonl
! tacho: cannot show 'witness/changed.jsonl': line 2: the line was changed: its hash does not match its bytes
[2]
$ tacho witness show --top x witness/a.jsonl
! tacho: --top needs a number of entries, not 'x'
! see 'tacho witness show --help'
[64]
$ tacho witness compare witness/a.jsonl witness/b.jsonl
| A: witness/a.jsonl, 3 entries
| B: witness/b.jsonl, 3 entries
| 
| entries that differ in          of
| inputs (q_hash, k_hash)      0   3
| settings (lambda, tau, eps)  0   3
| decisions (keep_mask)        0   3
| decisions (cut_cost)         0   3
| 
| the same inputs led to the same decisions
$ tacho witness compare witness/a.jsonl witness/other.jsonl
| A: witness/a.jsonl, 3 entries
| B: witness/other.jsonl, 2 entries
| 
| entries that differ in          of
| inputs (q_hash, k_hash)      2   2
| settings (lambda, tau, eps)  2   2
| decisions (keep_mask)        2   2
| decisions (cut_cost)         2   2
| 
| the first difference is in line 1 of A and line 1 of B
[2]
$ tacho witness compare --json witness/a.jsonl witness/b.jsonl
| {"schema":"tacho.witness.compare.v1","a":"witness/a.jsonl","b":"witness/b.jsonl","same":true,"entries_a":3,"entries_b":3,"compared":3,"inputs_differ":0,"settings_differ":0,"masks_differ":0,"costs_differ":0,"first_line_a":0,"first_line_b":0,"first_log_a":null,"first_log_b":null}
$ tacho witness compare witness/a.jsonl witness/swapped.jsonl
! tacho: cannot compare 'witness/swapped.jsonl': line 2: the line does not follow the line before it: a line was removed, added or moved
[2]
$ tacho witness compare witness/a.jsonl witness/open.jsonl
| A: witness/a.jsonl, 3 entries
| B: witness/open.jsonl, 2 entries
| 
| entries that differ in          of
| inputs (q_hash, k_hash)      0   2
| settings (lambda, tau, eps)  0   2
| decisions (keep_mask)        0   2
| decisions (cut_cost)         0   2
| 
| one has more entries than the other
! tacho: warning: 'witness/open.jsonl' was not closed; entries at its end may be missing
[2]
$ d=$(mktemp -d) && tacho witness pack --config witness/config.json --environment witness/env.json -o $d/w.rvf witness/a.jsonl witness/other.jsonl >/dev/null && tacho witness show $d/w.rvf | sed "s|$d||" && tacho witness verify $d | sed "s|$d||"; rm -r $d
| /w.rvf: bundle of 2 logs, 5 entries
| config       4458316f2ca84f3663416b1d5982028560d602782ad6a89d04dba17b69bd3a8b
|              {"seed":1,"samples":3}
| environment  sha256:9afc3d612db2233774da06fe2ff895c8568440478f9c42fe14c3f8d2dbb5122e
|              {"cpu_model":"none","cpu_count":2}
| last hash    99c31cc6ab3e0177b84384addf9b0293e34bc1271c5b12304ca073bc4545c380
| 
| line  q_hash        k_hash        kept             cut_cost  lambda  tau   eps   timestamp
| a
|    1  9f588257a54c  3b5b3edabf91  8/16  50.0 %          0.0     2.0    2  0.01  1794785755
|    2  e39b818d7b24  829e6da970e9   2/4  50.0 %          0.0     2.0    2  0.01  1794785755
|    3  8aa4b73e8c74  85136fd4fd69   2/4  50.0 %   0.11736027     2.0    2  0.01  1794785755
| other
|    1  ca70b2f33f34  4d5f1d6c21da   6/9  66.7 %   0.06694448     0.3    0  0.01  1794785756
|    2  ffa996dc4125  e13ed9573863   6/9  66.7 %  0.016402863     0.3    0  0.01  1794785756
| ok   /w.rvf: bundle of 2 logs, 5 entries
|      99c31cc6ab3e0177b84384addf9b0293e34bc1271c5b12304ca073bc4545c380
$ d=$(mktemp -d); tacho witness pack --environment witness/env.json -q -o $d/w.rvf witness/a.jsonl witness/other.jsonl; for n in 30 1000 2100; do head -c $n $d/w.rvf >$d/cut; tacho witness verify $d/cut | sed "s|$d||"; done; { head -c 1200 $d/w.rvf; printf X; tail -c +1202 $d/w.rvf; } >$d/bad; tacho witness verify $d/bad | sed "s|$d||"; tacho witness show $d/bad 2>&1 | sed "s|$d||"; rm -r $d
| BAD  /cut: segment 1: the file ends here: 34 of 64 bytes of the header are missing
| BAD  /cut: segment 2: the file ends here: 1195 of 1619 bytes of the payload are missing
| BAD  /cut: segment 2: the file ends here: 95 of 1619 bytes of the payload are missing
| BAD  /bad: segment 2, line 1 of log 'a': the line was changed: its hash does not match its bytes
| tacho: cannot show '/bad': segment 2, line 1 of log 'a': the line was changed: its hash does not match its bytes
$ tacho witness verify witness/bundle-v1.rvf witness/other-program.rvf
| ok   witness/bundle-v1.rvf: bundle of 2 logs, 5 entries
|      3fbf11a432adcebad47b808521ddfd8a612c8664231480c39802162144bd3800
| ok   witness/other-program.rvf: RVF of another program, 2 entries in 1 witness segment; 1 of 2 segments not checked: no SHAKE-256 checksum
|      52299dbe93da189a567f7311a7ea7b20a44f9ec0593ee2c3cd1980662ddcc15c
$ tacho witness verify --json witness/other-program.rvf
| {"schema":"tacho.witness.verify.v1","files":[{"file":"witness/other-program.rvf","kind":"rvf","ok":true,"entries":2,"closed":true,"hash":"52299dbe93da189a567f7311a7ea7b20a44f9ec0593ee2c3cd1980662ddcc15c","segments":2,"unchecked_segments":1}],"bad":0}
$ tacho witness show witness/bundle-v1.rvf
| witness/bundle-v1.rvf: bundle of 2 logs, 5 entries
| config       4458316f2ca84f3663416b1d5982028560d602782ad6a89d04dba17b69bd3a8b
|              {"seed":1,"samples":3}
| environment  sha256:9afc3d612db2233774da06fe2ff895c8568440478f9c42fe14c3f8d2dbb5122e
|              {"cpu_model":"none","cpu_count":2}
| last hash    3fbf11a432adcebad47b808521ddfd8a612c8664231480c39802162144bd3800
| 
| line  q_hash        k_hash        kept             cut_cost  lambda  tau   eps   timestamp
|    2  9f588257a54c  3b5b3edabf91  8/16  50.0 %          0.0     2.0    2  0.01  1794785755
|    3  e39b818d7b24  829e6da970e9   2/4  50.0 %          0.0     2.0    2  0.01  1794785755
|    4  8aa4b73e8c74  85136fd4fd69   2/4  50.0 %   0.11736027     2.0    2  0.01  1794785755
|    7  ca70b2f33f34  4d5f1d6c21da   6/9  66.7 %   0.06694448     0.3    0  0.01  1794785756
|    8  ffa996dc4125  e13ed9573863   6/9  66.7 %  0.016402863     0.3    0  0.01  1794785756
$ tacho witness show witness/other-program.rvf
| witness/other-program.rvf: RVF of another program, 2 segments, 1 with 2 witness entries
| last hash    52299dbe93da189a567f7311a7ea7b20a44f9ec0593ee2c3cd1980662ddcc15c
$ d=$(mktemp -d); tacho witness pack --environment witness/env.json -q -o $d/w.rvf witness/a.jsonl witness/other.jsonl; tacho witness pack --environment witness/env.json -q -o $d/v.rvf witness/a.jsonl witness/a.jsonl; tacho witness compare $d/w.rvf $d/v.rvf | sed "s|$d||"; rm -r $d
| A: /w.rvf, 5 entries
| B: /v.rvf, 6 entries
| 
| entries that differ in          of
| inputs (q_hash, k_hash)      2   5
| settings (lambda, tau, eps)  2   5
| decisions (keep_mask)        2   5
| decisions (cut_cost)         2   5
| 
| the first difference is in line 1 of other in A and line 1 of a in B
$ tacho witness pack -o /dev/null witness/a.jsonl
! tacho: cannot pack '/dev/null': '/dev/null' is not a regular file; write to one, then copy it there
[1]
$ d=$(mktemp -d); tacho witness pack --environment witness/env.json -o $d/w.rvf witness/a.jsonl witness/open.jsonl 2>&1 | sed "s|$d||"; ls $d; rm -r $d
| tacho: cannot pack '/w.rvf': 'witness/open.jsonl' is not closed, so lines at its end may be missing
$ d=$(mktemp -d); tacho witness pack --config witness/a.jsonl -o $d/w.rvf witness/a.jsonl 2>&1 | sed "s|$d||"; ls $d; rm -r $d
| tacho: cannot pack '/w.rvf': line 2, column 1: expected the end of the text, found '{'
$ tacho witness pack witness/a.jsonl
! tacho: -o is missing; name the bundle to write, such as -o witness.rvf
! see 'tacho witness pack --help'
[64]
$ d=$(mktemp -d) && cd $d && tacho run -q -n 1 --name x --seal -- true >/dev/null && tacho witness verify -q tacho-out/x/latest && echo >>tacho-out/x/latest/report.md && tacho witness verify tacho-out/x/latest; echo $?; rm -r $d
| BAD  tacho-out/x/latest: report.md was changed
| 2
$ d=$(mktemp -d); tacho witness verify $d 2>&1 | sed "s|$d|DIR|"; rm -r $d
| tacho: 'DIR' has no seal and no witness logs; 'tacho run --seal' makes a seal
$ d=$(mktemp -d); tacho witness pack -o $d/w.rvf $d; ls $d; rm -r $d
! tacho: no logs to pack: the named folders contain no *.jsonl files
