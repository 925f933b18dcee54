#!/bin/sh
# Which GPU each rank takes, with a stand-in for the CUDA runtime that shows GPUs which are not there.
# What is accepted goes on to open the GPU, and fails there.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
: "${HAVE_CUDA:=no}" "${CC:=cc}" "${CUDA_CFLAGS:=}"
[ "$HAVE_CUDA" = yes ] || skip_all "built without CUDA"

# FAKE_GPUS: how many a rank sees; FAKE_FIRST: number of the first, which makes its UUID; both may
# hold one word per rank.
cat >"$tmp/fake.c" <<'END'
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int number(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank)
        rank = getenv("PMI_RANK"); /* of MPICH's launcher */
    for (int i = rank ? atoi(rank) : 0; text && i > 0 && strchr(text, ' '); i--)
        text = strchr(text, ' ') + 1;
    return text ? atoi(text) : otherwise;
}
cudaError_t cudaGetDeviceCount(int *n)
{
    *n = number("FAKE_GPUS", 0);
    return *n ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int i)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "Fake");
    p->uuid.bytes[15] = (char)(number("FAKE_FIRST", 0) + i);
    p->multiProcessorCount = 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char *out, int size, int i)
{
    snprintf(out, (size_t)size, "0000:%02x:00.0", i);
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *v)
{
    *v = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int i)
{
    fprintf(stderr, "takes GPU %d\n", i);
    return cudaErrorDevicesUnavailable;
}
END
# shellcheck disable=SC2086  # a list of flags
$CC $CUDA_CFLAGS -shared -fPIC -o "$tmp/fake.so" "$tmp/fake.c" || skip_all "no stand-in can be built"
cat >"$tmp/rank" <<'END'
#!/bin/sh
LD_PRELOAD=$FAKE exec "$ROWCAST" "$@"
END
chmod +x "$tmp/rank"
FAKE=$tmp/fake.so
export FAKE ROWCAST FAKE_GPUS FAKE_FIRST

# place RANKS GPUS FIRST [OPTION...]: a dry run; what it said is in $tmp/err
place()
{
    place_ranks=$1
    FAKE_GPUS=$2
    FAKE_FIRST=$3
    shift 3
    start "$place_ranks" sweep -s "$tmp/x.h5" -n "$@"
    finish
    mv "$tmp/job.out" "$tmp/out"
    mv "$tmp/job.err" "$tmp/err"
    return "$job_code"
}

lines() # of what rowcast itself said
{
    grep -c -e 'sweep: ' "$tmp/err"
}

taken()
{
    sed -n 's/^takes GPU //p' "$tmp/err" | sort -n | uniq | tr '\n' ' '
}

said() # said TEXT: one of the lines
{
    grep -q -e "$1" "$tmp/err" || { cat "$tmp/err"; return 1; }
}

plan 25

place 3 3 0 -d cuda
is "three ranks take three GPUs" "$(taken)" "0 1 2 "
ok "and then fail to open what is not there" said "the GPU does not open"

place 2 4 0 -d cuda
is "two ranks take the first two of four" "$(taken)" "0 1 "

place 2 1 "0 1" -d cuda
is "ranks that see one GPU each take it" "$(taken)" "0 "
ok "and different ones are accepted" said "the GPU does not open"

place 2 1 0 -d cuda
is "two ranks that see the same one GPU do not start" "$(taken)" ""
ok "and are told which ranks" said "ranks 0 and 1 on .* both have GPU-.*00: start one rank per GPU"
ok "and what else can be done" said "or insist with --share-device"
is "in one line" "$(lines)" 1

place 3 2 0 -d cuda
is "more ranks than GPUs do not start" "$(taken)" ""
ok "and are told how many there are" said "3 ranks on .*, which has 2 GPUs: start one rank per GPU"
is "in one line, though rank 0 could have one" "$(lines)" 1

place 3 2 0 -d cuda --share-device
is "unless they share" "$(taken)" "0 1 "
ok "which is said" said "ranks 0 and 2 on .* share GPU-"

place 2 "1 0" 0 -d cuda
is "a rank without a GPU stops all" "$(taken)" ""
ok "and says so" said "rank 1 on .* sees no GPU"
is "in one line" "$(lines)" 1
place 3 "1 0 0" 0 -d cuda
is "also when two ranks have none" "$(lines)" 1

place 2 "1 0" 0 -d auto
is "auto with GPUs on some ranks stops all" "$(taken)" ""
ok "and says which" said "rank 0 sees a GPU and rank 1 sees none"

place 2 2 0
is "auto takes GPUs when all have one" "$(taken)" "0 1 "

place 2 0 0
is "auto takes CPUs when there are none" "$(taken)" ""
not_ok "without a word" said "GPU"

place 2 0 0 -d cuda
ok "cuda without GPUs names the rank" said "rank 0 on .* sees no GPU"
is "on every path, a table only when the run was planned" "$(wc -c <"$tmp/out" | tr -d ' ')" 0
