# shellcheck shell=sh
# Sourced by the command tests: TAP on stdout, a scratch directory in $tmp, removed at the end.
tap_count=0 # printf, not echo: the names may hold backslashes
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# plan N: how many tests follow
plan()
{
    echo "1..$1"
}

# skip_all REASON: end the script
skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}

# ok NAME COMMAND...: the command succeeds
ok()
{
    tap_count=$((tap_count + 1))
    tap_name=$1
    shift
    if "$@" >"$tmp/tap.out" 2>&1; then
        printf 'ok %d - %s\n' "$tap_count" "$tap_name"
    else
        tap_code=$?
        printf 'not ok %d - %s\n' "$tap_count" "$tap_name"
        printf '# exit code %d of: %s\n' "$tap_code" "$*"
        sed 's/^/# /' "$tmp/tap.out"
    fi
}

# not_ok NAME COMMAND...: the command fails
not_ok()
{
    tap_label=$1
    shift
    ok "$tap_label" fails "$@"
}

fails()
{
    ! "$@"
}

# code NAME EXPECTED COMMAND...: the command ends with that exit code; its output is in
# $tmp/out and $tmp/err
code()
{
    tap_label=$1
    tap_expected=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err"
    is "$tap_label" "$?" "$tap_expected"
}

# running ID: a process lives; not one that is dead and not waited for yet
running()
{
    [ -r /proc/self/stat ] || { kill -0 "$1" 2>/dev/null; return; }
    { read -r running_line <"/proc/$1/stat"; } 2>/dev/null || return 1
    case ${running_line##*) } in [ZX]*) return 1 ;; esac
}

# comes ID COMMAND...: wait until the command succeeds, however slow the machine is; not 0 when that process ends before
comes()
{
    comes_id=$1
    shift
    until "$@"; do
        running "$comes_id" || { "$@"; return; } # it may have come since
        sleep 0.05
    done
}

# results STORE NUMBER: so many journals of a sweep have some
results()
{
    [ "$("${ROWCAST:?}" status "$1" -f csv 2>/dev/null | awk -F'",' '/^"*journal/ && $2 + 0 > 0' | wc -l)" -ge "$2" ]
}

# written STORE: a sweep has begun its journal, and from then on looks at the store
written()
{
    [ -n "$(find "$1.journal" -name '*.rcj' -size +0 2>/dev/null)" ]
}

# begun STORE [NUMBER]: wait for results in so many journals [1] of the sweep $job
begun()
{
    comes "${job:?}" results "$1" "${2:-1}"
}

# seal STORE: give it digests again, after another program changed it
seal()
{
    "${ROWCAST:?}" archive --unsealed -q "$1" "$1.sealed" && mv "$1.sealed" "$1"
}

# undisturbed COMMAND...: while nothing else is installed from the build, which links rowcast_dropin.so once more: that is not
# there meanwhile
undisturbed()
{
    ! command -v flock >/dev/null || set -- flock "${top_builddir:?}/installing.lock" "$@"
    "$@"
}

# install_to FOLDER: make install of the build: one at a time, as jobs/bundle.sh
install_to()
{
    undisturbed make -C "${top_builddir:?}" install DESTDIR="$1"
}

# is NAME FOUND EXPECTED: two texts are the same
is()
{
    tap_count=$((tap_count + 1))
    if [ "$2" = "$3" ]; then
        printf 'ok %d - %s\n' "$tap_count" "$1"
    else
        printf 'not ok %d - %s\n' "$tap_count" "$1"
        printf 'expected: %s\nfound: %s\n' "$3" "$2" | sed 's/^/# /'
    fi
}

# column NAME: of the CSV on stdin, whose texts hold no commas but quoted
column()
{
    awk -v name="$1" 'function cut(line, f, n, i, c, q) { n = 1; f[1] = ""; q = 0
            for (i = 1; i <= length(line); i++) { c = substr(line, i, 1)
                if (c == "\"") q = !q; else if (c == "," && !q) f[++n] = ""; else f[n] = f[n] c }
            return n }
        { sub(/\r$/, ""); n = cut($0, f); if (NR == 1) { for (i = 1; i <= n; i++) if (f[i] == name) at = i }
          else print f[at] }'
}

# skip NAME REASON
skip()
{
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}
