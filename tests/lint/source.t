#!/bin/sh
# The rules of the source hold, and each of them can fail.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
check=$top_srcdir/tests/lint/check-source.sh

# tree: an empty source tree that breaks no rule
tree()
{
    rm -rf "$tmp/tree"
    mkdir -p "$tmp/tree/src/base" "$tmp/tree/src/cmd" "$tmp/tree/src/store" "$tmp/tree/src/table" "$tmp/tree/src/sparse" \
        "$tmp/tree/src/feature" "$tmp/tree/src/dropin" "$tmp/tree/kernels/cpu" "$tmp/tree/src/format" "$tmp/tree/src/device/cuda" "$tmp/tree/analysis"
    printf '#include "config.h"\n#include "base/str.h"\n' >"$tmp/tree/src/base/str.c"
    printf '/** \\file type.h  x */\n#define Y(X)\n    X(RC_FP32, a)\n    X(RC_FP64, b)\n    X(RC_BF16, c)\n' >"$tmp/tree/src/base/type.h"
}

# planted RULE FILE LINE TEXT: the rule finds TEXT, put into FILE, at that line
planted()
{
    tree
    printf '%b' "$4" >"$tmp/tree/$2"
    ok "$1 finds: $4" found "$1" "$2:$3:"
}

found()
{
    if sh "$check" "$1" "$tmp/tree" >"$tmp/found"; then
        echo "nothing was found"
        return 1
    fi
    cat "$tmp/found"
    grep -q "^$2" "$tmp/found"
}

# harmless RULE FILE TEXT: the rule finds nothing
harmless()
{
    tree
    printf '%b' "$3" >"$tmp/tree/$2"
    ok "$1 lets pass: $3" sh "$check" "$1" "$tmp/tree"
}

plan 115
rules=$(sh "$check" list)
for rule in $rules; do
    ok "$rule holds" sh "$check" "$rule" "$top_srcdir"
done
c='#include "config.h"\n'
planted layers src/base/a.c 2 "$c"'#include "sparse/csr.h"\n'
planted layers src/sparse/a.c 2 "$c"'#include "catalog/catalog.h"\n'
planted layers src/store/a.c 3 "$c"'\n # include "measure/measure.h"\n'
planted layers src/store/a.c 2 "$c"'#include "table/view.h"\n'
planted layers src/table/a.c 2 "$c"'#include "sweep/sweep.h"\n'
planted layers src/feature/a.c 2 "$c"'#include "kernels/kernel.h"\n'
planted layers kernels/cpu/a.c 2 "$c"'#include "feature/walk.h"\n'
planted layers src/format/a.c 2 "$c"'#include "kernels/kernel.h"\n'
planted layers src/device/cuda/a.c 2 "$c"'#include "format/problem.h"\n'
planted layers analysis/a.c 2 "$c"'#include "kernels/tuning/rs.h"\n'
harmless layers analysis/a.c "$c"'#include "kernels/vendor/vendor.h"\n'
planted layers kernels/cpu/a.inc 1 '#include "measure/measure.h"\n'
planted layers src/base/a.c 2 "$c"'#include "../sparse/csr.h"\n'
planted layers src/dropin/a.c 2 "$c"'#include "plan/plan.h"\n'
harmless layers src/dropin/a.c "$c"'#include "rowcast_cuda.h"\n'
planted layers src/stray.c 1 "$c"
planted layers src/feature/a.c 2 "$c"'#include "rowcast_io.h"\n'
planted layers src/sparse/a.c 2 "$c"'#include "rowcast_cuda.h"\n'
planted layers src/rowcast.h 1 '#include "rowcast_io.h"\n'
harmless layers src/rowcast_io.h '#include "rowcast.h"\n'
harmless layers kernels/cpu/a.c "$c"'#include "order/policy.h"\n#include "rowcast.h"\n'
harmless layers src/feature/a.c "$c"'#include "order/mask.h"\n/* #include "store/store.h" */\n'
harmless layers src/cmd/a.c "$c"'#include "sweep/sweep.h"\n'
planted headers src/base/a.c 2 "$c"'#include <mpi.h>\n'
planted headers src/cmd/a.c 2 "$c"'#include <hdf5.h>\n'
planted headers src/cmd/a.c 2 "$c"'#include <cuda_runtime.h>\n'
planted headers src/cmd/a.c 2 "$c"'#include <curl/curl.h>\n'
planted headers src/cmd/a.c 2 "$c"'#include <png.h>\n'
harmless headers src/cmd/a.c "$c"'#include "analysis/report/png.h"\n'
harmless headers src/store/a.c "$c"'#include <mpi.h>\n#include <hdf5.h>\n'
planted libraries src/base/a.c 2 'void f(void) {\n  exit(1); }\n'
planted libraries src/base/a.c 1 'void f(void) { if (g()) abort (); }\n'
planted types kernels/cpu/a.c 1 'int f(rc_precision_t p) { return p == RC_FP32 ? 4 : 8; }\n'
planted types src/table/a.c 2 'static f_fn *const f[] = {[RC_FP32] = g, [RC_FP64] = h};\nint n = RC_FP64;\n'
planted types src/table/a.c 1 'int n = r->precision == 1 ? 8 : 4;\n'
planted types kernels/cpu/a.c 1 'int f(rc_precision_t p) { return p == RC_BF16; }\n'
planted types src/device/cuda/a.cuh 1 'enum { N = sizeof(T) == 4 ? 5 : 4 };\n'
harmless types kernels/cpu/a.c 'static f_fn *const f[] = {[RC_FP32] = g, [RC_FP64] = h}; // RC_FP32\n'
planted types kernels/cpu/a.c 1 'int n = 1 << RC_FP32 | 1 << RC_BF16;\n'
harmless types kernels/cpu/a.c 'const k_t k = {\n    .types = 1 << RC_FP32 | 1 << RC_BF16};\n'
harmless types src/device/cuda/a.cuh 'typedef types<RC_FP32, RC_FP64> ieee;\n'
harmless types src/base/type.h '/** \\file type.h */\n#define Y(X)\n    X(RC_FP32, a)\n'
harmless libraries src/base/a.c '/* exit(1) */ int pre_exit(void); // abort()\nchar *s = "exit(";\n'
harmless libraries src/cmd/a.c 'void f(void) { exit(1); }\n'
planted words src/base/a.c 1 'x = atoi(s);\n'
planted words src/cmd/a.c 3 '/* a\n b */\nstrcpy(a, b);\n'
planted words src/base/a.h 1 'sprintf (a, b);\n'
planted words src/base/a.c 1 'c = '"'\"'"'; strncpy(a, b, 3); d = '"'\"'"';\n'
harmless words src/base/a.c 'snprintf(a, b); rc_strcpy(c); x = "rand()";\n'
planted docstrings src/rowcast.h 3 '/** \\file rowcast.h  x */\n\nRC_API int f(void);\n'
planted docstrings src/rowcast.h 3 '/** \\file rowcast.h  x */\nint x;\ntypedef struct a {\n'
planted docstrings src/rowcast_io.h 3 '/** \\file rowcast_io.h  x */\n\nRC_API int f(void);\n'
planted docstrings src/base/a.h 1 'int f(void);\n'
harmless docstrings src/rowcast.h '/** \\file rowcast.h  x */\n/** F. */\nRC_API int f(void);\n'
planted formats kernels/cpu/a.c 2 'void f(void) {\n  st = rc_places_fill(p, &places, val, err); }\n'
planted formats kernels/cpu/a.c 1 'void f(void) { st = m->x->upload(m->x, to, from, bytes, err); }\n'
harmless formats kernels/cpu/a.c 'void f(void) { st = rc_places_values(m, p, NULL, 1, &val, err); } /* x->upload() */\n'
harmless formats src/base/a.c 'void f(void) { st = rc_places_fill(p, &places, val, err); }\n'
planted first src/base/a.c 2 '/* x */\n#include <stdio.h>\n#include "config.h"\n'
harmless first src/base/a.c '/* x */\n\n#include "config.h"\n#include <stdio.h>\n'

six='int a, int b, int c, int d, int e, int f'
planted arguments src/base/a.h 1 "int f($six, int g);\n"
planted arguments src/base/a.c 2 "\nstatic int f(int a, int (*b)(int, int),\n    int c, int d,\n    $six)\n{\n"
planted arguments src/device/cuda/a.cuh 2 "struct a {\n    __device__ int f($six, int g) const\n"
planted arguments src/device/cuda/a.cu 1 'extern "C"'" int f($six, int g);\n"
planted arguments src/device/cuda/a.cu 2 "__global__ void __launch_bounds__(64, 2)\n    f($six, int g)\n"
planted arguments kernels/cpu/a.inc 1 "static void NAME(f)($six, int g)\n"
harmless arguments src/base/a.c "int f($six)\n{\n    return g(a, b, c, d, e, f, a);\n}\n"
harmless arguments src/base/a.c 'int f(int (*a)(int, int, int), int b, int c /* , x */, int d, int e, int f);\n'
harmless arguments src/base/a.c '#define F(a, b, c, d, e, f, g) \\\nint x = a(b, c, d, e, f, g, g);\nint y = F(1, 2, 3, 4, 5, 6, 7);\n'
harmless arguments src/device/cuda/a.cu "void f($six) __attribute__((format(printf, 1, 2)));\nint g(a<int, 7> x);\n"

# lines N TEXT: N lines of TEXT
lines()
{
    awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) print text }'
}

tree
mkdir -p "$tmp/tree/tests/unit"
for file in src/base/a.c tests/unit/a.c tests/unit/a.t; do
    lines 601 'int x;' >"$tmp/tree/$file"
    ok "length finds 601 lines in $file" found length "$file:601:"
    lines 600 'int x;' >"$tmp/tree/$file"
done
ok "length lets 600 lines pass" sh "$check" length "$tmp/tree"

tree
mkdir -p "$tmp/tree/tests/unit"
for n in 60 61; do
    { printf 'int f(void)\n{\n'; lines "$n" '    x;'; echo '}'; } >"$tmp/tree/src/base/a.c"
    { printf 'f()\n{\n'; lines "$n" '    x'; echo '}'; } >"$tmp/tree/tests/unit/a.t"
    { echo 'function f() {'; lines "$n" '    x;'; echo '}'; } >"$tmp/tree/tests/unit/a.js"
    { echo 'def f():'; lines "$n" '    x'; echo 'x = 1'; } >"$tmp/tree/tests/unit/a.py"
    [ $n = 61 ] || ok "functions lets 60 lines pass" sh "$check" functions "$tmp/tree"
done
ok "functions finds 61 lines of C" found functions src/base/a.c:2:
ok "... of a script" found functions tests/unit/a.t:2:
ok "... of JavaScript" found functions tests/unit/a.js:1:
ok "... of Python" found functions tests/unit/a.py:1:

wide=$(lines 25 xxxx | tr -d '\n')
for file in src/base/a.c src/base/a.h src/device/cuda/a.cu src/device/cuda/a.cuh src/base/a.inc src/a.hpp analysis/a.py; do
    planted columns "$file" 2 "\n${wide}x\n"
done
harmless columns src/base/a.c "$wide\n$(echo "$wide" | sed 's/x/\xc3\x97/g')\n"

# exceptions TEXT: what the tree may have, with two lines that are too long in src/base/a.c
exceptions()
{
    tree
    mkdir -p "$tmp/tree/tests/lint"
    printf '%sx\n%sx\n' "$wide" "$wide" >"$tmp/tree/src/base/a.c"
    printf '%b' "$1" >"$tmp/tree/tests/lint/exceptions"
}
exceptions 'columns src/base/a.c 2\n'
ok "as many as the exceptions say pass" sh "$check" columns "$tmp/tree"
exceptions 'columns src/base/a.c 1\narguments src/base/a.c 2\n'
ok "more do not" found columns src/base/a.c:2:
exceptions 'columns src/base/a.c 3\ncolumns src/base/b.c 1\n'
ok "nor do fewer" found columns src/base/a.c:1:
ok "... in a file that is gone" found columns src/base/b.c:1:
is "lower prints what is found" "$(sh "$check" lower "$tmp/tree")" "columns src/base/a.c 2"
exceptions 'columns src/base/a.c 1\n'
is "... and raises no number" "$(sh "$check" lower "$tmp/tree")" "columns src/base/a.c 1"

tree
for n in $(seq 40); do
    : >"$tmp/tree/src/store/$n.c"
done
: >"$tmp/tree/src/store/README.md"
ok "folder lets 40 files pass" sh "$check" folder "$tmp/tree"
: >"$tmp/tree/src/store/a.h"
ok "folder finds the next" found folder src/store:41:

# twice FILE TEXT FILE TEXT: names finds the second
twice()
{
    tree
    printf '%b' "$2" >"$tmp/tree/$1"
    printf '%b' "$4" >"$tmp/tree/$3"
    ok "names finds in two rooms: $4" found names "$3:"
}
twice src/base/a.h 'typedef struct a {\n    int x;\n} rc_a_t;\n' src/store/a.h 'typedef int rc_a_t;\n'
twice src/base/a.c 'int rc_f(void)\n{\n}\n' src/store/a.c 'void rc_f(\n    int x)\n{\n}\n'
twice src/base/a.h 'typedef int rc_f(void *a);\n' src/store/a.c 'int *rc_f(void)\n{\n}\n'
tree
printf 'typedef int rc_a_t;\nint rc_f(void);\n' >"$tmp/tree/src/base/a.h"
printf 'int rc_f(void)\n{\n}\nstatic int g(void)\n{\n}\n' >"$tmp/tree/src/base/a.c"
printf '/* typedef int rc_a_t; */\nstatic int g(void)\n{\n}\ntypedef int own_t;\n' >"$tmp/tree/src/store/a.c"
ok "names lets pass what is declared and defined, and what is a file's own" sh "$check" names "$tmp/tree"

tree
for rule in $rules; do
    sh "$check" "$rule" "$tmp/tree" || exit
done >"$tmp/clean" 2>&1
is "a clean tree breaks no rule" "$(cat "$tmp/clean")" ""
code "an unknown rule is refused" 2 sh "$check" nonsense "$tmp/tree"
