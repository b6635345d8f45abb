# A CSV file with its default column, whose name contains the unit.
$ tacho stats stats/latency.csv
| 8 numbers of wall_time_us, exact
| the intervals assume independent numbers
| 
|                  95 % interval
| min    118.0 us
| p50    121.5 us  118.0 us to 950.0 us
| p90    950.0 us  too few numbers for an interval
| p95    950.0 us  too few numbers for an interval
| p99    950.0 us  too few numbers for an interval
| p99.9  950.0 us  too few numbers for an interval
| max    950.0 us
| mean   225.8 us
| sd     292.7 us
| mad    3.000 us
| 
| 118.0 us  ████████████████████████████████████████  7
| 170.0 us
| 222.0 us
| 274.0 us
| 326.0 us
| 378.0 us
| 430.0 us
| 482.0 us
| 534.0 us
| 586.0 us
| 638.0 us
| 690.0 us
| 742.0 us
| 794.0 us
| 846.0 us
| 898.0 us  █████▊                                    1

# Another column, other percentiles, no histogram.
$ tacho stats --no-histogram -c seq_len -p 50,99.99999 stats/latency.csv
| 8 numbers of seq_len, exact
| the intervals assume independent numbers
| 
|                     95 % interval
| min             64
| p50             96  64 to 1024
| p99.99999     1024  too few numbers for an interval
| max           1024
| mean           208
| sd         331.231
| mad             32

# Numbers from a pipe. A histogram replaces them when memory is short.
$ seq 20000 | tacho stats --no-histogram --memory 1k -
| 20000 numbers, by histogram: each value is within 0.39 %
| the intervals assume independent numbers
| 
|                 95 % interval
| min          1
| p50      10016  9888 to 10144
| p90      17984  17856 to 18112
| p95      19008  18880 to 19008
| p99      19776  19776 to 19776
| p99.9    20000  20000 to 20000
| max      20000
| mean   10000.5
| sd     5773.65
| mad       4992  error at most 97.75

# JSON lines. --skip skips lines without a number.
$ printf '{"a":{"b":2}}\n{"c":1}\n{"a":{"b":4}}\n' | tacho stats --json --skip -c a.b
| {"schema":"tacho.stats.v1","file":null,"column":"a.b","unit":null,"n":2,"skipped":1,"definition":"tacho","exact":true,"relative_error":0.0,"absolute_error":0.0,"min":2.0,"max":4.0,"mean":3.0,"stddev":1.4142135623730951,"stddev_error":0.0,"mad":1.0,"mad_error":0.0,"effective":2.0,"assumes":"independent numbers","percentiles":[{"percentile":"50","value":3.0,"low95":null,"high95":null},{"percentile":"90","value":4.0,"low95":null,"high95":null},{"percentile":"95","value":4.0,"low95":null,"high95":null},{"percentile":"99","value":4.0,"low95":null,"high95":null},{"percentile":"99.9","value":4.0,"low95":null,"high95":null}],"histogram":[{"low":2.0,"high":2.125,"count":1},{"low":2.125,"high":2.25,"count":0},{"low":2.25,"high":2.375,"count":0},{"low":2.375,"high":2.5,"count":0},{"low":2.5,"high":2.625,"count":0},{"low":2.625,"high":2.75,"count":0},{"low":2.75,"high":2.875,"count":0},{"low":2.875,"high":3.0,"count":0},{"low":3.0,"high":3.125,"count":0},{"low":3.125,"high":3.25,"count":0},{"low":3.25,"high":3.375,"count":0},{"low":3.375,"high":3.5,"count":0},{"low":3.5,"high":3.625,"count":0},{"low":3.625,"high":3.75,"count":0},{"low":3.75,"high":3.875,"count":0},{"low":3.875,"high":4.0,"count":1}]}

# A log of HdrHistogram, deflated by another writer: lines without a tag, and those of a tag, which
# counts in units of 1024.
$ tacho stats --no-histogram -u ns stats/latency.hlog
| 1000 numbers in 2 histograms, by histogram: each value is within 0.048 %
| the intervals assume independent numbers
| 
|                  95 % interval
| min    1.000 us
| p50    500.5 us  469.1 us to 532.0 us
| p90    900.0 us  881.0 us to 919.0 us
| p95    950.0 us  936.0 us to 964.0 us
| p99    990.0 us  983.0 us to 997.0 us
| p99.9  999.0 us  too few numbers for an interval
| max    1.000 ms
| mean   500.5 us
| sd     288.8 us  error at most 280.1 ns
| mad    250.0 us  error at most 606.4 ns

$ tacho stats --no-histogram -u ns -c decode stats/latency.hlog
| 100 numbers of decode in 1 histogram, by histogram: each value is within 0.39 % or 512 ns, if that is more
| the intervals assume independent numbers
| 
|                  95 % interval
| min    999.4 us
| p50    50.46 ms  39.98 ms to 60.95 ms
| p90    89.92 ms  84.15 ms to 96.21 ms
| p95    95.16 ms  89.92 ms to 99.88 ms
| p99    98.83 ms  too few numbers for an interval
| p99.9  99.88 ms  too few numbers for an interval
| max    100.1 ms
| mean   50.50 ms
| sd     29.01 ms  error at most 225.4 us
| mad    25.03 ms  error at most 487.4 us

$ tacho stats -c encode stats/latency.hlog
! tacho: cannot read 'stats/latency.hlog': no line has the tag 'encode'; tags in the file: 'decode'
[64]

# A rate is not a time, and ranks are exact: 20 of 21 numbers are 95.238... % of them.
$ printf 'tokens_per_s\n1501\n' | tacho stats --no-histogram -p 50
| 1 number of tokens_per_s, exact
| the intervals assume independent numbers
| 
|             95 % interval
| min   1501
| p50   1501  too few numbers for an interval
| max   1501
| mean  1501
| sd       0
| mad      0
$ seq 21 | tacho stats --no-histogram -p 95.2380952380952380,95.2380952380952381
| 21 numbers, exact
| sorted, or each depends strongly on the one before: the intervals may be too narrow
| 
|                                95 % interval
| min                         1
| p95.2380952380952380       20  too few numbers for an interval
| p95.2380952380952381       21  too few numbers for an interval
| max                        21
| mean                       11
| sd                    6.20484
| mad                         5

# Coordinated omission: one of 100 requests, sent every 10 ms, took a second. It delayed 99 others.
$ (yes 1 | head -n 99; echo 1000) | tacho stats -u ms --no-histogram --expected-interval 10ms
| 199 numbers, exact
| 99 of the numbers were added for requests that slow ones delayed
| the intervals assume independent numbers
| 
|                  95 % interval
| min    1.000 ms
| p50    10.00 ms  1.000 ms to 150.0 ms
| p90    810.0 ms  710.0 ms to 890.0 ms
| p95    910.0 ms  840.0 ms to 970.0 ms
| p99    990.0 ms  too few numbers for an interval
| p99.9   1.000 s  too few numbers for an interval
| max     1.000 s
| mean   254.3 ms
| sd     325.4 ms
| mad    9.000 ms
$ (yes 1 | head -n 99; echo 1000) | tacho stats -u ms --no-histogram --memory 1 --expected-interval 10ms -p 99
| 199 numbers, by histogram: each value is within 0.39 % or 3.906 ms, if that is more
| 99 of the numbers were added for requests that slow ones delayed
| the intervals assume independent numbers
| 
|                 95 % interval
| min   1.000 ms
| p99   990.0 ms  too few numbers for an interval
| max    1.000 s
| mean  254.3 ms
| sd    325.4 ms
| mad   9.027 ms  error at most 7.926 ms
$ tacho stats -u ns --no-histogram --expected-interval 10us stats/latency.hlog -p 50
| 49586 numbers in 2 histograms, by histogram: each value is within 0.048 % or 484.7 ns, if that is more
| 48586 of the numbers were added for requests that slow ones delayed
| the intervals assume independent numbers
| 
|                 95 % interval
| min   1.000 us
| p50   301.0 us  298.0 us to 304.1 us
| max   1.000 ms
| mean  341.6 us
| sd    234.7 us  error at most 685.6 ns
| mad   176.0 us  error at most 1.347 us
$ seq 5 | tacho stats --expected-interval 10ms
! tacho: --expected-interval needs the unit of the numbers: --unit
! see 'tacho stats --help'
[64]
$ echo 1e300 | tacho stats -u s --expected-interval 1ns
! tacho: cannot correct for the expected interval: the interval is too short: it would add more than 10^12 numbers
[1]

# Errors.
$ printf 'nan\n1\n' | tacho stats
! tacho: cannot read 'standard input': line 1: no number: 'nan'
! tacho: use --skip to skip and count such lines
[1]
$ printf '1e309\n1\n' | tacho stats
! tacho: cannot read 'standard input': line 1: no number: '1e309'
! tacho: use --skip to skip and count such lines
[1]
$ printf '1\nabc\n' | tacho stats
! tacho: cannot read 'standard input': line 2: no number: 'abc'
! tacho: use --skip to skip and count such lines
[1]
$ tacho stats nowhere.csv
! tacho: cannot read 'nowhere.csv': No such file or directory
[1]
$ tacho stats stats
! tacho: cannot read 'stats': Is a directory
[1]
$ tacho stats -c nothing stats/latency.csv
! tacho: cannot read 'stats/latency.csv': there is no column 'nothing'; there are sample_id,wall_time_us,kernel_time_us,seq_len
[64]
$ tacho stats -p 50,101 stats/latency.csv
! tacho: '101' is not a percentile from 0 to 100
! see 'tacho stats --help'
[64]
$ tacho stats --unit fortnights stats/latency.csv
! tacho: --unit cannot be 'fortnights'; choose none, ns, us, ms or s
! see 'tacho stats --help'
[64]
$ tacho stats --memory lots stats/latency.csv
! tacho: 'lots' is not a size such as 256MiB
! see 'tacho stats --help'
[64]
$ tacho stats < /dev/null
! tacho: there are no numbers in 'standard input'
[1]

# The definitions of ruvector-profiler and of <tacho/latency.h>: nearest rank for p50, divisor n for sd.
$ printf '1\n2\n4\n9\n' | tacho stats --no-histogram --definition reference -p 50,95
| 4 numbers, exact
| p50 is nearest-rank, sd is divided by n
| the intervals assume independent numbers
| 
|                95 % interval
| min         1
| p50         2  too few numbers for an interval
| p95         9  too few numbers for an interval
| max         9
| mean        4
| sd    3.08221
| mad       1.5
$ printf '1\n2\n4\n9\n' | tacho stats --no-histogram -p 50,95
| 4 numbers, exact
| the intervals assume independent numbers
| 
|                95 % interval
| min         1
| p50         3  too few numbers for an interval
| p95         9  too few numbers for an interval
| max         9
| mean        4
| sd    3.55903
| mad       1.5
$ printf '1\n2\n4\n9\n' | tacho stats --no-histogram --definition mine
! tacho: --definition cannot be 'mine'; choose tacho or reference
! see 'tacho stats --help'
[64]
