#!/bin/sh
# CMake users and C++ users: find_package from an installed prefix that was moved, the examples built by it, plans
# owned by C++ objects.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"

command -v cmake >/dev/null || skip_all "no cmake"
cxx=$(command -v c++ || command -v g++) || skip_all "no C++ compiler"
install_to "$tmp/root" >"$tmp/log" 2>&1 || {
    cat "$tmp/log"
    exit 1
}
pc=$(find "$tmp/root" -name rowcast.pc)
mv "${pc%/lib*/pkgconfig/rowcast.pc}" "$tmp/moved"
folder=$(dirname "$(find "$tmp/moved" -name 'librowcast.so' | head -n 1)")
[ -e "$folder/librowcast.so" ] || skip_all "no shared library in this build"
plan 18
cd "$tmp" || exit 1

mkdir app && cat >app/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(app C CXX)
find_package(rowcast 0.1 REQUIRED COMPONENTS rowcast rowcast_io)
add_executable(order order.c)
target_link_libraries(order rowcast::rowcast_io)
add_executable(host ${EXAMPLES}/host.c)
target_link_libraries(host rowcast::rowcast_plan rowcast::rowcast_io)
add_executable(cg ${EXAMPLES}/cg.c)
target_link_libraries(cg rowcast::rowcast_plan m)
add_executable(owned_host owned_host.cpp)
set_target_properties(owned_host PROPERTIES CXX_STANDARD 11 CXX_EXTENSIONS OFF)
target_compile_options(owned_host PRIVATE -Wall -Wextra -Wpedantic -Werror)
target_link_libraries(owned_host rowcast::rowcast_plan)
if(TARGET rowcast::rowcast_cuda)
  add_executable(minimal ${EXAMPLES}/minimal.c)
  separate_arguments(cuda_cflags NATIVE_COMMAND "${CUDA_CFLAGS}")
  separate_arguments(cuda_libs NATIVE_COMMAND "${CUDA_LIBS}")
  target_compile_options(minimal PRIVATE ${cuda_cflags})
  target_link_libraries(minimal rowcast::rowcast_cuda rowcast::rowcast_io ${cuda_libs})
  add_executable(owned owned.cpp)
  set_target_properties(owned PROPERTIES CXX_STANDARD 11 CXX_EXTENSIONS OFF)
  target_compile_options(owned PRIVATE -Wall -Wextra -Wpedantic -Werror)
  target_link_libraries(owned rowcast::rowcast_cuda)
endif()
CMAKE
cat >app/order.c <<'C'
#include <rowcast_io.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    rc_err_t err = {RC_OK, ""};
    rc_csr_t a;
    rc_mtx_info_t info;
    rc_schedule_t s;
    if (argc != 2 || rc_mtx_read(argv[1], 0, &a, &info, &err) < 0
        || rc_order_build("lpt", &a, NULL, 1, &s, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("first row %d\n", (int)s.row[0]);
    rc_schedule_free(&s);
    rc_csr_free(&a);
    return 0;
}
C
# Without a GPU every plan is refused by an exception; with one a plan is made, moved, cloned and freed.
cat >app/owned.cpp <<'CXX'
#include <rowcast.hpp>

#include <cstdio>
#include <utility>

static int refused(const rc_plan_matrix_t &a)
{
    try {
        rowcast::plan::spmm<float>(a, 0);
    } catch (const rowcast::error &e) {
        return e.status() < 0 && *e.what() != '\0';
    }
    return 0;
}

int main()
{
    const int32_t row_ptr[] = {0, 1, 3};
    const int32_t col_idx[] = {0, 0, 1};
    const float val[] = {1, 2, 3};
    const rc_plan_matrix_t a = rowcast::matrix(2, 2, 3, row_ptr, col_idx, val, false);
    rowcast::plan none;
    if (none || !none.describe().empty() || !refused(a))
        return 1;
    try {
        none.execute(1, 1, nullptr, 1, 0, nullptr, 1);
        return 1;
    } catch (const rowcast::error &e) {
        if (e.status() != RC_EINVAL)
            return 1;
    }
    try {
        none.save(std::string("a\0b", 3));
        return 1;
    } catch (const rowcast::error &e) {
        if (e.status() != RC_EINVAL)
            return 1;
    }
    try {
        rowcast::plan p = rowcast::plan::spmm<float>(a, 8);
        rowcast::plan q = std::move(p);
        p = q.clone();
        q.update_values(3, val, false);
        std::printf("%s", p && q && !q.describe().empty() && p.get() != q.get() ? "owned\n" : "not owned\n");
    } catch (const rowcast::error &e) {
        std::printf("%s\n", e.status() == RC_EDEVICE ? "owned" : e.what());
    }
    return 0;
}
CXX
cat >app/owned_host.cpp <<'CXX'
#include <rowcast.hpp>

#include <complex>
#include <cstdio>
#include <utility>

struct half {
    unsigned short bits;
};

namespace rowcast {
template <> struct value_type<half> : is_value_type<RC_FP16> {
};
}

static void print_complex(rowcast::square_system &s, const int32_t *row_ptr, const int32_t *col_idx)
{
    typedef std::complex<float> number;
    const number turned[] = {number(0, 1), 2, number(0, 3)};
    const number x[] = {1, 10, number(0, 1), 100};
    number y[4];
    rowcast::plan z = rowcast::plan::spmm_host<number>(rowcast::matrix(2, 2, 3, row_ptr, col_idx, turned), 2);
    rc_plan_product_t product = {};
    product.k = product.ld_in[0] = product.ld_out = 2;
    product.alpha[1] = 1;
    product.in[0] = x;
    product.out = y;
    z.execute(product);
    std::printf(" complex %g %g %g%+gi", y[0].real(), y[1].real(), y[3].real(), y[3].imag());
    int64_t to_ptr[3];
    int32_t to_col[3], place[3];
    number to_turned[3], there[4], back[4];
    const rc_system_matrix_t to_z = rowcast::permuted(3, to_ptr, to_col, to_turned, place);
    s.permute(rowcast::matrix(2, 2, 3, row_ptr, col_idx, turned), to_z);
    s.to(x, there, 2);
    s.back(there, back, 2);
    number sum = 0;
    for (int i = 0; i < 3; i++)
        sum += to_turned[i];
    s.values(turned, to_z);
    std::printf(" renumbered %g%+gi %g%+gi\n", sum.real(), sum.imag(), back[2].real(), back[2].imag());
}

int main()
{
    const int32_t row_ptr[] = {0, 1, 3};
    const int32_t col_idx[] = {0, 0, 1};
    const float val[] = {1, 2, 3};
    const float others[] = {7, 7, 7};
    const half twice[] = {{0x4000}, {0x4400}, {0x4600}};
    const float b[] = {1, 10, 100, 1000};
    float c[4] = {0};
    const rc_plan_matrix_t a = rowcast::matrix(2, 2, 3, row_ptr, col_idx, val);
    int refused = 0;
    try {
        rowcast::plan::spmm_host<float>(rowcast::matrix(2, 2, 3, row_ptr, col_idx, val, true), 2);
    } catch (const rowcast::error &e) {
        refused = e.status() == RC_EINVAL;
    }
    rowcast::plan p = rowcast::plan::spmm_host<float>(a, 2, RC_ROW_MAJOR, 2, 1);
    rowcast::plan q = std::move(p);
    p = q.clone();
    p.update_values(3, others, false);
    p.update_values(3, twice, false);
    p.execute(2, 1, b, 2, 0, c, 2);
    std::printf("%g %g %g %g", c[0], c[1], c[2], c[3]);
    q.execute(2, 1, b, 2, 1, c, 2);
    std::printf(" then %g %g %g %g%s", c[0], c[1], c[2], c[3], refused ? "" : ", nothing refused");
    const rc_plan_call_t both[] = {p.call(2, 1, b, 2, 0, c, 2), q.call(2, 1, b, 2, 1, c, 2)};
    rowcast::plan::execute_many(both, 2);
    std::printf(" at once %g %g %g %g", c[0], c[1], c[2], c[3]);
    rowcast::plan::spmm_host<float>(a, 2, RC_ROW_MAJOR, 0, 1, true).execute_transposed(2, 1, b, 2, 0, c, 2);
    std::printf(" transposed %g %g %g %g", c[0], c[1], c[2], c[3]);
    int64_t to_ptr[3];
    int32_t to_col[3], place[3];
    float to_val[3];
    const rc_system_matrix_t to = rowcast::permuted(3, to_ptr, to_col, to_val, place);
    rowcast::square_system r = rowcast::square_system::host(a, "random:seed=1");
    rowcast::square_system s = std::move(r);
    s.permute(a, to);
    s.values(others, to);
    s.to(b, c, 2);
    float again[4];
    s.back(c, again, 2);
    refused = 0;
    try {
        rowcast::square_system::host(a, "lpt");
    } catch (const rowcast::error &e) {
        refused = e.status() == RC_ENOTSUP;
    }
    std::printf(" renumbered %g %g %d %d %s", to_val[2], again[3], (int)s.info().rows, (int)to_ptr[2],
        refused && s && !r ? "" : "not refused");
    print_complex(s, row_ptr, col_idx);
    return 0;
}
CXX
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 2\n2 2 3\n' >a.mtx

# configured NAME ARGUMENT...: cmake writes a build of app into build-NAME
configured()
{
    name=$1
    shift
    cmake -S app -B "build-$name" -DCMAKE_C_COMPILER="${CC##* }" -DCMAKE_CXX_COMPILER="$cxx" \
        -DEXAMPLES="$(dirname "$(find "$tmp/moved" -path '*/examples/host.c')")" \
        -DCUDA_CFLAGS="$CUDA_CFLAGS" -DCUDA_LIBS="$CUDA_LIBS" "$@"
}

ok "find_package finds a prefix that was moved" configured moved -DCMAKE_PREFIX_PATH="$tmp/moved"
ok "what it links is built" cmake --build build-moved
is "a program of two libraries runs" "$(LD_LIBRARY_PATH=$folder build-moved/order a.mtx 2>&1)" "first row 0"
is "the example of the host multiplies" "$(LD_LIBRARY_PATH=$folder build-moved/host a.mtx 2>&1 | tail -n 1)" \
    "first row of A adds up to 1"
is "the example with a mesh solves it twice" "$(LD_LIBRARY_PATH=$folder build-moved/cg 14 2>&1 | grep -c '^[1-9][0-9]* steps of .* renumbered by auto\|^the solutions are the same$')" 2
is "C++ owns plans on the host" "$(LD_LIBRARY_PATH=$folder build-moved/owned_host 2>&1)" \
    "2 20 604 6040 then 3 30 906 9060 at once 3 30 906 9060 transposed 201 2010 300 3000 renumbered 7 1000 2 3  complex -1 -10 -300+20i renumbered 2+4i 0+1i"
ok "rowcast.hpp is whole by itself" sh -c "echo '#include <rowcast.hpp>' | \
    '$cxx' -std=c++11 -pedantic -Wall -Wextra -Werror -I '$tmp/moved/include' -fsyntax-only -x c++ -"
printf '#include <rowcast.hpp>\nvoid f(rowcast::plan &p, const int *v) { p.update_values(1, v, false); }\n' >integers.cpp
not_ok "integers are no values" "$cxx" -std=c++11 -I "$tmp/moved/include" -fsyntax-only integers.cpp
functions=$(sed -n '/^RC_API/,/;/p' "$tmp"/moved/include/rowcast_plan.h "$tmp"/moved/include/rowcast_cuda.h 2>/dev/null \
    | grep -oE 'rc_(plan|system|order)_[a-z0-9_]*\(' | tr -d '(' | sort -u | grep -vE '_(part|parts|why_name|break_even)$')
is "it calls what there is to call" "$(for f in $functions; do
    grep -q "$f(" "$tmp/moved/include/rowcast.hpp" || echo "$f"
done)" ""
if [ -e "$tmp/moved/include/rowcast_cuda.h" ]; then
    LD_LIBRARY_PATH=$folder build-moved/minimal no such words >out 2>&1
    is "the example runs" "$(grep -c '^usage: ' out)" 1
    is "C++ owns plans" "$(LD_LIBRARY_PATH=$folder build-moved/owned 2>&1)" owned
else
    for name in "the example runs" "C++ owns plans"; do
        skip "$name" "a build without CUDA"
    done
fi
sed -i 's/rowcast 0.1 REQ/rowcast 0.2 REQ/' app/CMakeLists.txt
not_ok "another minor version is refused" configured later -DCMAKE_PREFIX_PATH="$tmp/moved"
is "and named" "$(configured later -DCMAKE_PREFIX_PATH="$tmp/moved" 2>&1 | grep -c 'version: 0\.1\.')" 1
sed -i 's/rowcast 0.2 REQ/rowcast REQ/; s/COMPONENTS rowcast/COMPONENTS rowcast_mpi rowcast/' app/CMakeLists.txt
not_ok "a component that there is not is refused" configured part -DCMAKE_PREFIX_PATH="$tmp/moved"
is "and named too" "$(configured part -DCMAKE_PREFIX_PATH="$tmp/moved" 2>&1 | tr -d '\n ' | grep -c 'withoutrowcast_mpi')" 1
sed -i 's/ rowcast_mpi//' app/CMakeLists.txt
rm "$folder"/librowcast.so*
not_ok "a prefix without libraries is refused" configured empty -DCMAKE_PREFIX_PATH="$tmp/moved"
is "the line says where they are missing" "$(configured empty -DCMAKE_PREFIX_PATH="$tmp/moved" 2>&1 | tr -d '\n ' \
    | grep -c 'nolibrowcast.soin')" 1
is "nothing names the place of the build" "$(grep -l "$top_builddir" "$(find moved -name rowcastConfig.cmake)")" ""
