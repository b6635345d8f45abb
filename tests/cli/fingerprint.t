# A configuration has the same hash from a file and from options.
$ tacho fingerprint config --file stats/bench.json
| d8a4d0434be0a45653bccc36bb29ca4518edbb8ee97afedfd56b50538840e8a1
$ tacho fingerprint config --model-commit abc --weights-hash def --lambda 0.5 --tau 2 --eps 0.01 --compiler-flags=-O3
| d8a4d0434be0a45653bccc36bb29ca4518edbb8ee97afedfd56b50538840e8a1
$ tacho fingerprint config --file stats/bench.json --json
| {"schema":"tacho.fingerprint.v1","kind":"config","sha256":"d8a4d0434be0a45653bccc36bb29ca4518edbb8ee97afedfd56b50538840e8a1","document":{"model_commit":"abc","weights_hash":"def","lambda":0.5,"tau":2,"eps":0.01,"compiler_flags":"-O3"}}

# A configuration may be any JSON document. It has the hash of 'fingerprint json', and no field is
# ignored: neither a seventh one nor a number that no 32-bit float can hold.
$ echo '{"a": [1, 2.50]}' | tacho fingerprint config --file - --json
| {"schema":"tacho.fingerprint.v1","kind":"config","sha256":"45114ee64965e5a9cfed7278f4c1e19f31200fcd5794131ef21554280bbf7a68","document":{"a":[1,2.5]}}
$ tacho fingerprint config --file stats/other.json
| 469ca5b25d94c2cb1f39ee3fd5665f0a5964fa013962ad9e79b95af776ef6d95
$ tacho fingerprint json stats/other.json
| 469ca5b25d94c2cb1f39ee3fd5665f0a5964fa013962ad9e79b95af776ef6d95
$ printf '{"model_commit":"abc","weights_hash":"def","lambda":0.5,"tau":2,"eps":0.01,"compiler_flags":"-O3","threads":4}' | tacho fingerprint config --file - --json
| {"schema":"tacho.fingerprint.v1","kind":"config","sha256":"b209eae11690e697a5224106ad186cbc12f44c7fbe3bcda85b79e805a2071f8b","document":{"model_commit":"abc","weights_hash":"def","lambda":0.5,"tau":2,"eps":0.01,"compiler_flags":"-O3","threads":4}}
$ echo '["abc","def",1e400,2,0.01,"-O3"]' | tacho fingerprint config --file - --json
| {"schema":"tacho.fingerprint.v1","kind":"config","sha256":"d6074dba6e44999daade047a146812de072836fe675b058f364db3b33c357513","document":["abc","def",1e400,2,0.01,"-O3"]}
# --as bench-config accepts and refuses what the library does.
$ tacho fingerprint config --as bench-config --file stats/bench.json
| d8a4d0434be0a45653bccc36bb29ca4518edbb8ee97afedfd56b50538840e8a1
$ tacho fingerprint config --as bench-config --file stats/other.json
! tacho: cannot take a fingerprint of 'stats/other.json': 'compiler_flags' is missing
[1]
$ printf '{"model_commit":"abc","weights_hash":"def","lambda":0.5,"tau":2.0,"eps":0.01,"compiler_flags":"-O3"}' | tacho fingerprint config --as bench-config --file -
! tacho: cannot take a fingerprint of '-': 'tau' must be a whole number from 0 to 2^64 - 1
[1]
$ printf '{"model_commit":"abc","weights_hash":"def","lambda":"0.5","tau":2,"eps":0.01,"compiler_flags":"-O3"}' | tacho fingerprint config --as bench-config --file -
! tacho: cannot take a fingerprint of '-': 'lambda' must be a number
[1]
$ printf '{"model_commit":"abc","weights_hash":"def","lambda":1e39,"tau":2,"eps":0.01,"compiler_flags":"-O3"}' | tacho fingerprint config --as bench-config --file -
! tacho: cannot take a fingerprint of '-': 'lambda' must be a number that a 32-bit float can hold
[1]
$ printf '{"model_commit":"abc","weights_hash":"def","lambda":0.5,"tau":2,"eps":0.01}' | tacho fingerprint config --as bench-config --file -
! tacho: cannot take a fingerprint of '-': 'compiler_flags' is missing
[1]
$ tacho fingerprint config --as bench --file stats/bench.json
! tacho: --as cannot be 'bench'; choose any or bench-config
! see 'tacho fingerprint config --help'
[64]
$ echo '3' | tacho fingerprint config --file -
| 4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce
$ echo '{"a":' | tacho fingerprint config --file -
! tacho: cannot take a fingerprint of '-': line 2, column 1: expected a value, found the end of the text
[1]
$ echo '{"a":1,"a":2}' | tacho fingerprint config --file -
! tacho: cannot take a fingerprint of '-': the key "a" comes twice in an object
[1]

# The order of the six fields does not matter.
$ printf '{"tau":2,"lambda":0.50,"eps":0.01,"weights_hash":"def","compiler_flags":"-O3","model_commit":"abc"}' | tacho fingerprint config --file -
| d8a4d0434be0a45653bccc36bb29ca4518edbb8ee97afedfd56b50538840e8a1

# Any JSON document: blanks do not matter.
$ echo '{"a": [1, 2.50]}' | tacho fingerprint json -
| 45114ee64965e5a9cfed7278f4c1e19f31200fcd5794131ef21554280bbf7a68
$ echo '{"a":[1,2.5]}' | tacho fingerprint json --json -
| {"schema":"tacho.fingerprint.v1","kind":"json","sha256":"45114ee64965e5a9cfed7278f4c1e19f31200fcd5794131ef21554280bbf7a68","document":{"a":[1,2.5]}}

# Four bytes of zero are one float.
$ printf '\0\0\0\0' | tacho fingerprint tensor -
| df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119

# Differences, field by field.
$ tacho fingerprint diff stats/bench.json stats/other.json
| field           A      B
| compiler_flags  "-O3"  -
| model_commit    "abc"  "abd"
| threads         -      4
[2]
$ tacho fingerprint diff --json stats/bench.json stats/other.json
| {"schema":"tacho.fingerprint.diff.v1","differences":[{"path":"compiler_flags","a":"-O3","b":null},{"path":"model_commit","a":"abc","b":"abd"},{"path":"threads","a":null,"b":4}]}
[2]
$ tacho fingerprint diff stats/bench.json stats/bench.json
| no difference

# The components that define a run: from its folder, and as one document.
$ tacho fingerprint run compare/b
| argv            ["./prog","b"]
| shell           false
| program_sha256  none
| input_sha256    none
| variables       {}
| parameters      {}
| config_sha256   none
| seed            none
| cpus            none
| no_aslr         false
| setup           none
| prepare         none
| conclude        none
| cleanup         none
| server          none
| ready           none
| fingerprint     0aa7582c0bb4a3523222cad9d6a1db5dedb6c42ea0c8158cdc6c131bf0f418c9
! tacho: warning: the run recorded no fingerprint; this one was computed from run.json
$ tacho fingerprint run --json compare/b/run.json
| {"schema":"tacho.fingerprint.v1","kind":"run","sha256":"0aa7582c0bb4a3523222cad9d6a1db5dedb6c42ea0c8158cdc6c131bf0f418c9","document":{"schema":"tacho.run.fingerprint.v1","argv":["./prog","b"],"shell":false,"program_sha256":null,"input_sha256":null,"variables":{},"parameters":{},"config_sha256":null,"seed":null,"cpus":null,"no_aslr":false,"setup":null,"prepare":null,"conclude":null,"cleanup":null,"server":null,"ready":null}}
! tacho: warning: the run recorded no fingerprint; this one was computed from run.json
$ tacho fingerprint run nowhere
! tacho: cannot read the run 'nowhere': cannot open 'nowhere/run.json': No such file or directory
[1]

# Numbers that a double cannot hold keep their text.
$ printf '{"a":1e400}' | tacho fingerprint json --json -
| {"schema":"tacho.fingerprint.v1","kind":"json","sha256":"2e9966f0a48696339871c527738aa570226f2672927cc96a9b5400f7cc8ab0d3","document":{"a":1e400}}
$ printf '{"a":null}' | tacho fingerprint json -
| d091f9c83c091f79652fe8786375b3fe4ce0861a56f5bfbafedbe431877ff0e8

# Errors.
$ tacho fingerprint config --tau 3
! tacho: --model-commit is missing; give all six fields, or a document with --file
! see 'tacho fingerprint config --help'
[64]
$ tacho fingerprint config --file stats/bench.json --tau 3
! tacho: cannot combine --file with single fields; remove one of them
! see 'tacho fingerprint config --help'
[64]
$ tacho fingerprint config --model-commit a --weights-hash b --lambda x --tau 3 --eps 1 --compiler-flags=
! tacho: --lambda needs a number, not 'x'
! see 'tacho fingerprint config --help'
[64]
$ echo '{"a":1,"a":2}' | tacho fingerprint json -
! tacho: cannot take a fingerprint of '-': the key "a" comes twice in an object
[1]
$ tacho fingerprint json nowhere.json
! tacho: cannot take a fingerprint of 'nowhere.json': cannot open 'nowhere.json': No such file or directory
[1]
$ printf abc | tacho fingerprint tensor -
! tacho: '-' has 3 bytes, which is not a whole number of 4-byte floats
[1]
$ tacho fingerprint diff stats/bench.json nowhere.json
! tacho: cannot take a fingerprint of 'nowhere.json': cannot open 'nowhere.json': No such file or directory
[1]
