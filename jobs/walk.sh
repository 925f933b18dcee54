#!/bin/bash
# Types what the READMEs say of the library, the drop-in and Python as a new user would on a machine with a GPU: each command, and
# what it said, on stdout.  At the end how many failed.
# Usage: jobs/walk.sh PREFIX [MATRIX]
# PREFIX is where rowcast is installed, or a bundle.  Needs compilers, pkg-config, what the .pc files name (those of a bundle
# name nothing else) and CUDA; PyTorch, CuPy and SciPy for Python; no network:
# MATRIX is what the last example downloads, else one is generated.
# shellcheck disable=SC2016  # what is typed is expanded by the shell that it is typed to
set -uo pipefail
die() { printf 'walk.sh: %s\n' "$2" >&2; exit "$1"; }
case ${1:-} in
-h | --help)
    sed -n '2,/^# shellcheck/s/^# //p' "${BASH_SOURCE[0]}" | sed '$d'
    exit 0
    ;;
-*) die 2 "unknown option '$1'; see --help" ;;
esac
(($# == 1 || $# == 2)) || die 2 "expected PREFIX [MATRIX], found $# arguments; see --help"
[[ -x $1/bin/rowcast ]] || die 2 "'$1': there is no $1/bin/rowcast"
[[ $# == 1 || -f $2 ]] || die 2 "'$2': no such matrix"
prefix=$(realpath "$1")
matrix=${2:+$(realpath "$2")}
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
for CUDA in "${CUDA_HOME:-}" /usr/local/cuda /usr/local/cuda-*; do [[ ! -d $CUDA/lib64 ]] || break; done
export CUDA ROWCAST_SOURCE=$source
export PATH=$prefix/bin:$PATH PKG_CONFIG_PATH=$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} CMAKE_PREFIX_PATH=$prefix
export PYTHONPATH=$prefix/share/rowcast/python LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
typed=0
failed=0

# enter COMMAND: as a user does, at most two minutes
enter()
{
    local code
    printf '$ %s\n' "$1"
    timeout "${WALK_SECONDS:-120}" bash -c "$1" 2>&1 | tail -n "${WALK_LINES:-40}"
    code=${PIPESTATUS[0]}
    typed=$((typed + 1))
    ((code == 0)) || { failed=$((failed + 1)) && echo "(status $code)"; }
    echo
}

# block FILE KIND NUMBER: the code after the NUMBERth comment of that kind
block()
{
    awk -v kind="<!-- $2 -->" -v number="$3" '
        $0 == kind { n++ }
        n == number && /^```/ { if (open) exit; open = 1; next }
        open' "$source/$1"
}

echo "# src/README.md: C"
block src/README.md compile 1 >order.c
block src/README.md compile 2 >choose.c
enter 'rowcast generate mesh2d:n=100 -o matrix.mtx'
enter 'cc order.c $(pkg-config --cflags --libs rowcast_io) && ./a.out matrix.mtx'
enter 'cc choose.c $(pkg-config --cflags --libs rowcast_io) && ./a.out matrix.mtx $(pkg-config --variable=modelsdir rowcast)/h200-plan-row.json 32'
cp "$source"/src/examples/{minimal.c,block_cg.cu,eigen.py} .
enter 'cc minimal.c $(pkg-config --cflags --libs rowcast_cuda rowcast_io) -I$CUDA/include -L$CUDA/lib64 -lcudart -o minimal && ./minimal matrix.mtx'
enter '$CUDA/bin/nvcc -c block_cg.cu $(pkg-config --cflags rowcast_cuda) && c++ block_cg.o $(pkg-config --libs rowcast_cuda) -L$CUDA/lib64 -lcudart -o block_cg && ./block_cg'

echo "# src/README.md: C++, CMake"
cat >solver.cpp <<'CXX'
#include <rowcast.hpp>

#include <cstdio>

int main()
{
    const int64_t row_ptr[] = {0, 1, 3};
    const int32_t col_idx[] = {0, 0, 1};
    const float val[] = {1, 2, 3};
    auto plan = rowcast::plan::spmm<float>(rowcast::matrix(2, 2, 3, row_ptr, col_idx, val, false), 128);
    std::printf("%s", plan.describe().c_str());
}
CXX
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(solver CXX)
find_package(rowcast 0.1 REQUIRED)
add_executable(solver solver.cpp)
target_link_libraries(solver rowcast::rowcast_cuda)
CMAKE
enter 'cmake -S . -B build && cmake --build build && build/solver'

echo "# src/python/README.md"
block src/python/README.md python 1 >first.py
{
    printf 'import rowcast, scipy.sparse, torch\n'
    printf 'a = scipy.sparse.random(20000, 20000, density=0.001, format="csr", random_state=1)\n'
    printf 'b = torch.rand(20000, 128, device="cuda")\n'
    sed -n '/^plan = rowcast.plan/,/^```/{/^```/!p}' "$source/src/python/README.md"
    printf 'print(plan.describe())\nprint("largest error", abs(c.cpu().numpy() - a @ b.cpu().numpy()).max())\n'
} >plan.py
enter 'python3 first.py'
enter 'cat plan.py; python3 plan.py'

echo "# src/dropin/README.md"
cat >train.py <<'PYTHON'
import time, torch
n, mean = 100000, 16
index = torch.randint(0, n, (2, mean * n), device="cuda", generator=torch.Generator("cuda").manual_seed(1))
a = torch.sparse_coo_tensor(index, torch.rand(mean * n, device="cuda"), (n, n)).coalesce().to_sparse_csr()
b = torch.rand(n, 64, device="cuda")
for second in range(6):
    start, calls = time.time(), 0
    while time.time() - start < 1:
        for _ in range(100):
            c = torch.sparse.mm(a, b)
        torch.cuda.synchronize()
        calls += 100
    print(f"second {second}: {1e6 * (time.time() - start) / calls:.1f} us a product, checksum {c.double().sum():.6e}")
PYTHON
enter 'cat train.py; python3 train.py'
enter 'LD_PRELOAD=librowcast_cusparse.so.1 ROWCAST_LOG=summary python3 train.py'

echo "# src/examples/README.md"
enter 'python3 eigen.py 50 32'
mkdir jobs && cp "$source/jobs/clients.py" jobs
enter 'LD_PRELOAD=librowcast_cusparse.so.1 ROWCAST_LOG=summary python3 jobs/clients.py --run out.json --sizes 1000000 --features 64 --graphs communities --epochs 4000 gcn'
[[ $matrix ]] || enter 'rowcast generate mesh3d:n=20,dof=3 -o mesh.mtx'
enter "rowcast plan ${matrix:-mesh.mtx} -k 32,128 --tune 4"
echo "$typed commands, $failed failed"
exit $((failed > 0))
