#!/bin/sh
# Each mutation of tests/mutation/mutations makes the test that it names fail, and without one that test passes.
# `make check-mutation` sets the environment.  MUTATIONS: another list; ONLY: a text that names or files hold.  KEEP: the mutated
# programs go there and are not run, for a machine that has a GPU and no compiler.
# What is built lies in a folder of its own; TAP on stdout, exit status 1 where a mutation survives.
list=${MUTATIONS:-${top_srcdir:?}/tests/mutation/mutations}
make=${MAKE:-make}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
# shellcheck disable=SC3045  # shells that have it not leave a core file where a test aborts
ulimit -c 0 2>/dev/null
CMOCKA_TEST_ABORT=1 # one failed test is enough
CMOCKA_MESSAGE_OUTPUT=TAP
export CMOCKA_TEST_ABORT CMOCKA_MESSAGE_OUTPUT
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
count=0
failed=0

# said CODE NAME: a line of TAP, with what the last step printed where it is not ok
said()
{
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
        return
    fi
    failed=$((failed + 1))
    echo "not ok $count - $2"
    tail -n 20 "$tmp/out" | sed 's/^/# /'
}

# run PROGRAM: alone, or under the tool of compute-sanitizer and with the argument that the list names
run()
{
    if [ -n "$tool" ]; then set -- compute-sanitizer --error-exitcode 1 --tool "${tool%% *}" "$1" "${tool#* }"; fi
    sh "$top_srcdir/tests/bound.sh" --test "${ROWCAST_TEST_LIMIT:-300}" "$@" >"$tmp/out" 2>&1
}

# apply FILE OLD NEW: a copy of the file in $tmp/tree, with the only line that is OLD, but for indentation, as NEW; where the list
# numbers it, with the line of that number among $of
apply()
{
    mkdir -p "$tmp/tree/$(dirname "$1")"
    OLD=$2 NEW=$3 awk -v at="$at" -v of="$of" '
        { line = $0; sub(/^[ \t]+/, "", line) }
        line == ENVIRON["OLD"] && ++n == at { $0 = ENVIRON["NEW"] }
        { print }
        END { if (n != of) exit 1 }' "$top_srcdir/$1" >"$tmp/tree/$1"
}

# build TEST UNIT: the program with the object of UNIT as mutated
build()
{
    source=$top_srcdir/$2
    [ ! -f "$tmp/tree/$2" ] || source=$tmp/tree/$2
    "$make" -s mutant MUTANT_TEST="$(echo "$1" | tr / _)" MUTANT_UNIT="$source" MUTANT_DIR="$tmp" >"$tmp/out" 2>&1
}

# mutation NAME TEST FILE UNIT OLD NEW
mutation()
{
    rm -rf "$tmp/tree"
    : >"$tmp/out"
    if ! apply "$3" "$5" "$6"; then
        said 1 "$1: $3 has the line $at of $of: $5"
    elif ! build "$2" "$4"; then
        said 1 "$1: builds"
    elif [ -n "${KEEP:-}" ]; then
        cp "$tmp/mutant" "$KEEP/mutant-$(echo "$1" | tr "[:upper:]" "[:lower:]" | tr -cs 'a-z0-9\n' -)"
        said $? "$1 is kept"
    elif run "$tmp/mutant"; then
        said 1 "$1: $2 fails"
    elif ! grep -q '^not ok\|CMOCKA_TEST_ABORT\|Bail out\|[Ff]ail\|[Ss]ignal\|[Aa]bort\|SUMMARY: [1-9]' "$tmp/out"; then
        said 1 "$1: a test of $2 fails, and not the start of it"
    else
        said 0 "$1"
    fi
}

# passes TEST: it does without a mutation.  A list of GPU code ends where there is no GPU.
passes()
{
    if [ -n "${ONLY:-}${KEEP:-}" ]; then return; fi
    code=0
    run "./$1" || code=1
    if [ -n "$gpu" ] && grep -qi '# skip' "$tmp/out"; then
        echo "1..0 # SKIP $1 needs a GPU"
        exit 0
    fi
    said $code "$1 passes${tool:+ under $tool}"
}

name='' test='' file='' unit='' old='' tool='' gpu='' at=1 of=1
while IFS= read -r line || [ -n "$line" ]; do
    value=${line#* }
    case $line in
    '#'* | '') ;;
    'test '*)
        test=$value
        passes "$test"
        ;;
    'file '*) file=$value unit=$value ;;
    'unit '*) unit=$value ;;
    'gpu') gpu=1 ;;
    'tool '*)
        tool=$value
        if [ -z "${KEEP:-}" ] && ! command -v compute-sanitizer >/dev/null; then
            echo "# compute-sanitizer not found: the mutations that it finds are left out"
            break
        fi
        passes "$test"
        ;;
    'line '*) at=${value%% *} of=${value##* } ;;
    'name '*) name=$value at=1 of=1 ;;
    '- '*) old=$value ;;
    '+ '*)
        case "$name $file $test" in
        *"${ONLY:-}"*) mutation "$name" "$test" "$file" "$unit" "$old" "$value" ;;
        esac
        ;;
    *)
        echo "Bail out! $list: cannot read: $line"
        exit 1
        ;;
    esac
done <"$list"
echo "1..$count"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
