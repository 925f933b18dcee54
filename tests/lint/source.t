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
        "$tmp/tree/src/feature" "$tmp/tree/kernels/cpu"
    printf '#include "config.h"\n#include "base/str.h"\n' >"$tmp/tree/src/base/str.c"
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

plan 51
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
planted layers src/feature/a.c 2 "$c"'#include "order/policy.h"\n'
planted layers kernels/cpu/a.c 2 "$c"'#include "order/mask.h"\n'
planted layers kernels/cpu/a.inc 1 '#include "measure/measure.h"\n'
planted layers src/base/a.c 2 "$c"'#include "../sparse/csr.h"\n'
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
planted first src/base/a.c 2 '/* x */\n#include <stdio.h>\n#include "config.h"\n'
harmless first src/base/a.c '/* x */\n\n#include "config.h"\n#include <stdio.h>\n'

tree
awk 'BEGIN { for (i = 0; i < 1001; i++) print "int x;" }' >"$tmp/tree/src/base/a.c"
ok "length finds 1001 lines" found length src/base/a.c:1001:
awk 'BEGIN { for (i = 0; i < 1000; i++) print "int x;" }' >"$tmp/tree/src/base/a.c"
ok "length lets 1000 lines pass" sh "$check" length "$tmp/tree"
tree
for rule in $rules; do
    sh "$check" "$rule" "$tmp/tree" || exit
done >"$tmp/clean" 2>&1
is "a clean tree breaks no rule" "$(cat "$tmp/clean")" ""
code "an unknown rule is refused" 2 sh "$check" nonsense "$tmp/tree"
