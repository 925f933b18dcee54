#!/bin/sh
# The installed libraries: each can be linked with what its pkg-config file says, from C and C++, shows
# what its header declares and nothing else, and needs nothing that is not its own matter.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"

install_to "$tmp/root" >"$tmp/log" 2>&1 || {
    cat "$tmp/log"
    exit 1
}
pc=$(find "$tmp/root" -name rowcast.pc)
prefix=${pc%/lib*/pkgconfig/rowcast.pc}
folder=$(dirname "$(dirname "$pc")")
[ -e "$folder/librowcast.so" ] || skip_all "no shared library in this build"
libraries="rowcast rowcast_io rowcast_plan"
[ -e "$prefix/include/rowcast_cuda.h" ] && libraries="$libraries rowcast_cuda"
for tool in nm readelf ldd pkg-config; do
    command -v "$tool" >/dev/null || skip_all "no $tool"
done
cxx=$(command -v c++ || command -v g++ || true)
examples=$(find "$prefix" -path '*/examples/*' -type f ! -name '*.py' | sort)
plan $(($(echo "$libraries" | wc -w) * 12 + 6 + 2 * $(echo "$examples" | grep -c .)))
cd "$tmp" || exit 1

# flags LIBRARY
flags()
{
    PKG_CONFIG_PATH=$folder/pkgconfig:$PKG_CONFIG_PATH \
        pkg-config --cflags --libs --define-variable=prefix="$prefix" "$1"
}

# A program is C and C++ at once.
cat >rowcast.c <<'C'
#include <rowcast.h>
#include <stdio.h>

int main(void)
{
    int64_t row_ptr[] = {0, 1, 3};
    int32_t col_idx[] = {0, 0, 1};
    double val[] = {1, 2, 3};
    rc_csr_t a = {2, 2, 3, row_ptr, col_idx, val};
    rc_schedule_t s;
    rc_err_t err;
    if (rc_order_build("csr", &a, NULL, 1, &s, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("row %d, row %d\n", (int)s.row[0], (int)s.row[1]);
    rc_schedule_free(&s);
    return 0;
}
C
cat >rowcast_io.c <<'C'
#include <rowcast_io.h>
#include <stdio.h>

int main(void)
{
    rc_csr_t a;
    rc_mtx_info_t info;
    rc_err_t err;
    if (rc_mtx_read("a.mtx.gz", 1, &a, &info, &err) < 0 || rc_mtx_write("b.mtx", &a, "a copy", &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("%d entries, %s\n", (int)a.nnz, info.symmetry);
    rc_csr_free(&a);
    return 0;
}
C
# The caller's team stays as it was, whatever a plan takes.
cat >rowcast_plan.c <<'C'
#include <omp.h>
#include <rowcast_plan.h>
#include <stdio.h>

int main(void)
{
    const int64_t k = 2;
    const int32_t row_ptr[] = {0, 1, 3};
    const int32_t col_idx[] = {0, 0, 1};
    const double val[] = {1, 2, 3};
    const double b[] = {1, 10, 100, 1000};
    double c[4];
    rc_plan_problem_t p = {RC_OP_SPMM, RC_FP64, RC_ROW_MAJOR, &k, 1};
    rc_plan_matrix_t a = {2, 2, 3, row_ptr, 4, col_idx, val, RC_FP64, 0};
    rc_plan_options_t o = {0};
    rc_plan_t *plan;
    rc_err_t err;
    int dynamic = omp_get_dynamic(), levels = omp_get_max_active_levels(), threads = omp_get_max_threads();
    o.tune = 2;
    o.threads = 2;
    if (rc_plan_create_host(&p, &a, &o, &plan, &err) < 0 || rc_plan_execute(plan, 2, 1, b, 2, 0, c, 2, NULL, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    rc_plan_free(plan);
    if (dynamic != omp_get_dynamic() || levels != omp_get_max_active_levels() || threads != omp_get_max_threads())
        printf("other threads than before\n");
    printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
    return 0;
}
C
cat >rowcast_cuda.c <<'C'
#include <rowcast_cuda.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    rc_gpu_versions_t v;
    rc_gpu_info_t *list;
    int n;
    rc_err_t err;
    rc_status_t st;
    if (rc_gpu_versions(&v, &err) < 0 || v.runtime < 12000 || v.cusparse < 12000)
        return 1;
    st = rc_gpu_list(&list, &n, &err);
    if (st < 0 && st != RC_EDEVICE)
        return 1;
    if (st == RC_OK)
        free(list);
    printf("CUDA it is\n");
    return 0;
}
C
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 2\n' | gzip >a.mtx.gz
echo "row 0, row 1" >rowcast.expected
echo "3 entries, symmetric" >rowcast_io.expected
echo "1 10 302 3020" >rowcast_plan.expected
echo "CUDA it is" >rowcast_cuda.expected

# What a library has no business with: all of the first list, and its own.
others='mpi|open-rte|open-pal|hdf5|openblas|blas|cblas|lapack|xgboost|svm|curl|png16'
archives='archive|z|lzma|zstd|bz2|lz4|xml2|nettle|acl'
# forbidden_to LIBRARY: names that it must not need, as a pattern
forbidden_to()
{
    case $1 in
    rowcast | rowcast_plan) echo "$others|$archives|cuda|cudart|cusparse" ;;
    rowcast_io) echo "$others|cuda|cudart|cusparse" ;;
    rowcast_cuda) echo "$others|$archives" ;;
    esac
}

for library in $libraries; do
    header=$prefix/include/$library.h
    file=$folder/lib$library.so
    forbidden=$(forbidden_to "$library")
    is "$library.h is valid C by itself" "$(echo "#include <$library.h>" \
        | $CC -std=c99 -pedantic -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only -x c - 2>&1)" ""
    # shellcheck disable=SC2046,SC2086  # flags are words
    ok "a C program links $library" $CC $CFLAGS -Wall -Werror $library.c -o use-$library $(flags $library)
    is "and runs" "$(LD_LIBRARY_PATH=$folder ./use-"$library" 2>&1)" "$(cat "$library.expected")"
    if [ "$cxx" ]; then
        # shellcheck disable=SC2046,SC2086
        ok "so does a C++ program" "$cxx" $CFLAGS -Wall -Werror -x c++ $library.c -x none -o use-cxx $(flags $library)
        is "... and runs" "$(LD_LIBRARY_PATH=$folder ./use-cxx 2>&1)" "$(cat "$library.expected")"
    else
        skip "so does a C++ program" "no C++ compiler"
        skip "... and runs" "no C++ compiler"
    fi
    is "lib$library has a name with its version" "$(readelf -d "$file" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" \
        "lib$library.so.1"
    is "$library.pc says its version" "$(PKG_CONFIG_PATH=$folder/pkgconfig:$PKG_CONFIG_PATH pkg-config --modversion "$library")" \
        "$("$ROWCAST" --version | sed -n '1s/^rowcast //p')"
    nm -D --defined-only "$file" | awk '$2 ~ /[TDRBV]/ { print $3 }' | sort >shown
    # shellcheck disable=SC2046 # rowcast_cuda has three
    sed -n '/^RC_API/,/;/p' "$header" \
        $([ "$library" != rowcast_plan ] || echo "$prefix/include/rowcast_rows.h") \
        $([ "$library" != rowcast_cuda ] || echo "$prefix/include/rowcast_device.h" "$prefix/include/rowcast_plan.h" "$prefix/include/rowcast_rows.h") | grep -o 'rc_[a-z0-9_]*(' | tr -d '(' | sort -u >declared
    is "lib$library shows what its headers declare" "$(diff declared shown)" ""
    ok "which is not nothing" test -s declared
    LD_LIBRARY_PATH=$folder ldd "$file" >needed 2>&1
    sed 's/^/# /' needed
    is "lib$library needs only its own" "$(grep -E "(^|[[:space:]/])lib($forbidden)[-_.0-9a-z]*\.so" needed)" ""
    is "and all of it is there" "$(grep 'not found' needed)" ""
    is "$library.h includes no other header of ours but rowcast.h or what stands on it" \
        "$(grep '#include "' "$header" | grep -vE '"rowcast(_plan|_rows)?\.h"')" ""
done
LD_LIBRARY_PATH=$folder ldd "$folder/librowcast_io.so" >needed 2>&1
is "what librowcast_io needs besides is told apart" "$(grep -cE '(^|[[:space:]/])libarchive[-_.0-9a-z]*\.so' needed)" 1
is "rowcast.h includes no other" "$(grep -c '#include "' "$prefix/include/rowcast.h")" 0
is "what was written was read" "$(sed -n '2p' b.mtx)" "% a copy"
is "headers and libraries come together" "$(find "$prefix/include" -name '*.h' ! -name rowcast_device.h ! -name rowcast_rows.h | sed 's|.*/||; s|\.h$||' | sort | tr '\n' ' ')" \
    "$(for library in $libraries; do echo "$library"; done | sort | tr '\n' ' ')"

# The code for GPUs is there once, with the little that the drop-in has of its own.
with_code()
{
    find "$prefix" -type f | while IFS= read -r file; do
        ! readelf -SW "$file" 2>/dev/null | grep -q 'nv_fatbin' || basename "$file"
    done | sort | tr '\n' ' '
}
if [ "$HAVE_CUDA" = yes ]; then
    is "the code for GPUs is installed once" "$(with_code | sed 's/-[0-9.]*[.]so/.so/')" "librowcast_kernels.so rowcast_dropin.so "
else
    skip "the code for GPUs is installed once" "a build without CUDA"
fi
is "the command finds its libraries where they are installed" "$("$prefix/bin/rowcast" --version 2>&1)" "$("$ROWCAST" --version)"

# What is installed to be read is built from what is installed; without a GPU it says so.
for example in $examples; do
    name=$(basename "$example")
    case $name in
    *.cu) compile="$NVCC -Xcompiler -Wall,-Werror" ;;
    *) compile="$CC $CFLAGS -Wall -Werror" ;;
    esac
    case $name in
    host.c | cg.c) library=rowcast_plan ;;
    *) library=rowcast_cuda ;;
    esac
    # shellcheck disable=SC2046,SC2086
    ok "the example $name is built" sh -c "$compile $CUDA_CFLAGS $(flags $library | grep -o -- '-I[^ ]*') -c '$example' -o example.o && \
        ${cxx:-$CC} example.o $(flags $library) $(flags rowcast_io) $CUDA_LIBS -lm -o 'use-$name'"
    LD_LIBRARY_PATH=$folder ./use-"$name" no such words >"$name.out" 2>&1
    is "and says how it is used" "$(grep -c '^usage: ' "$name.out")" 1
done
