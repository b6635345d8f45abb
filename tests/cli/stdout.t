# A full disk is a failure.
$ tacho --help > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

$ tacho completion bash > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

# More than stdio buffers.
$ sample completion bash > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

$ sample events validate $(seq 10000) > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

$ tacho doctor > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

# Also where the command itself would say that all is well.
$ tacho events validate /dev/null > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

$ tacho --version > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

# So is a closed stdout.
$ tacho --version >&-
! tacho: cannot write to stdout: Bad file descriptor
[1]

# A reader that had enough is none.
$ (tacho help --man doctor; echo $? >&2) | true
! 0

$ (sleep 0.1; tacho doctor; echo $? >&2) | true
! 0

# Nothing on stderr is needed.
$ tacho docter 2>&-
[64]
