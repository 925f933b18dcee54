#!/bin/sh
# Devices: what info says of them, --device, and what configure says of CUDA.
# shellcheck disable=SC2016  # for the inner shell
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=/dev/null
. "${top_builddir:?}/tests/env.sh"
: "${HAVE_CUDA:=no}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
plan 28

info()
{
    "$ROWCAST" info -f csv | grep "^$1,$2," | cut -d, -f4-
}

dry_run() # dry_run DEVICE
{
    "$ROWCAST" sweep -s "$tmp/x.h5" -n -l 1 -d "$1"
}

lines()
{
    wc -l <"$1" | tr -d ' '
}

ok "info runs" "$ROWCAST" info
ok "info names the CPU" "$ROWCAST" info -f csv
gpus=$(info gpu 'cuda:[0-9]*' | wc -l)
if [ "$HAVE_CUDA" = yes ]; then
    ok "info says which nvcc" sh -c 'echo "$1" | grep -q "nvcc [0-9.]* in /"' sh "$(info build cuda)"
    ok "info has the version of the runtime" test -n "$(info library 'cuda runtime')"
    ok "info has the version of cuSPARSE" test -n "$(info library cusparse)"
    ok "info says whether there is a driver" test -n "$(info library 'cuda driver')"
    no_gpu=3
else
    ok "info says why there is no CUDA" sh -c 'echo "$1" | grep -q "no: "' sh "$(info build cuda)"
    is "info has no runtime" "$(info library 'cuda runtime')" ""
    is "info has no cuSPARSE" "$(info library cusparse)" ""
    is "info has no driver" "$(info library 'cuda driver')" ""
    no_gpu=2
fi

if [ "$gpus" -gt 0 ]; then
    ok "info describes a GPU" sh -c 'echo "$1" | grep -q "SMs"' sh "$(info gpu cuda:0)"
    for name in "cuda, exit code" "cuda, a line" "cuda, its words" "auto, exit code" "auto, a plan"; do
        skip "$name" "there is a GPU"
    done
else
    ok "info says why there is no GPU" test -n "$(info gpu none)"
    code "--device cuda fails" "$no_gpu" dry_run cuda
    ok "and says so in a line" grep -q -i 'gpu\|cuda' "$tmp/err"
    is "and the line that names the help, when it is usage" "$(grep -vc '^try ' "$tmp/err")" 1
    code "--device auto takes the CPU" 0 dry_run auto
    is "and plans" "$(lines "$tmp/out")" 3
fi
code "--device with another word is usage" 2 dry_run gpu
ok "and names the words" grep -q "expected cpu, cuda or auto, found 'gpu'" "$tmp/err"

# ---- the CPUs are those of the process, whatever OpenMP was told of them
cpu() # cpu [WORD]: what info says of the CPU, but for the memory that is free
{
    env "$@" "$ROWCAST" info -f csv | sed -n '/^device/{s/, [^,]* memory"/"/;p;}'
}
own=$(cpu)
for word in OMP_PLACES=threads OMP_PLACES=cores 'OMP_PLACES={0}' OMP_PROC_BIND=close GOMP_CPU_AFFINITY=0 OMP_DYNAMIC=true; do
    is "the same device with $word, and a word of it" "$(cpu "$word")" "$own
$(printf '%s\n' "$own" | sed -n '1s/^\(device,[^,]*,\),.*/\1/p'),$word,not used"
done
is "nor a word where it binds nothing" "$(cpu OMP_PROC_BIND=FALSE)" "$own"
first=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
is "a process that is bound from outside has what it was given" \
    "$(OMP_PLACES=threads taskset -c "$first" "$ROWCAST" info -f csv | grep -c "^device,cpu-$first,.*:1t:")" 1
code "a class of more threads than OpenMP gives is none" 3 env OMP_THREAD_LIMIT=2 "$ROWCAST" sweep -q -s "$tmp/x.h5" -n -l 1 \
    -d cpu -t 3 --share-device
ok "and it says why" grep -q 'OpenMP gives 2 of 3 threads.*OMP_THREAD_LIMIT.*--threads 2' "$tmp/err"

# ---- configure, where there is one
configure=$top_srcdir/configure
if [ -x "$configure" ]; then
    mkdir "$tmp/build" "$tmp/none"
    # shellcheck disable=SC2016
    code "configure fails when CUDA is asked for and is not there" 1 \
        sh -c 'cd "$1" && exec "$2" --with-cuda="$3"' sh "$tmp/build" "$configure" "$tmp/none"
    ok "and says where it looked" \
        grep -q "error: --with-cuda=$tmp/none: nvcc not found ($tmp/none/bin)" "$tmp/err"
    printf '#!/bin/sh\necho "Cuda compilation tools, release 9.9, V9.9.1"\n' >"$tmp/nvcc"
    chmod +x "$tmp/nvcc"
    # shellcheck disable=SC2016
    code "configure goes on without a CUDA that was not asked for" 0 \
        sh -c 'cd "$1" && exec "$2" NVCC="$3/nvcc" CUDA_CFLAGS=-I"$3" CUDA_LIBS=-lnone' \
        sh "$tmp/build" "$configure" "$tmp"
    ok "and says why" grep -q '^  CUDA  *no: cuda_runtime_api.h not found' "$tmp/out"
else
    for name in 1 2 3 4; do
        skip "configure $name" "no configure script here"
    done
fi
