#!/bin/sh
# rowcast fetch: what comes from a server that misbehaves on purpose, on the loopback interface.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=/dev/null
. "${top_builddir:?}/tests/env.sh"
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
export no_proxy='*'
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3) || skip_all "no python3"
if [ "${HAVE_CURL:-no}" != yes ]; then
    plan 2
    code "without libcurl there is no download" 3 "$ROWCAST" fetch --limit 1 --to "$tmp/none"
    ok "and it says why" grep -q 'built without libcurl.*libcurl4-openssl-dev' "$tmp/err"
    exit 0
fi

servers=
stop_server()
{
    rm -f "$tmp/state/port" "$tmp/tls/port"
    # shellcheck disable=SC2086  # a list
    [ -z "$servers" ] || kill $servers 2>/dev/null
    servers=
}
trap 'stop_server; rm -rf "$tmp"' EXIT

# serve STATE [CERT]: start a server, and wait until it is there
serve()
{
    mkdir "$1"
    "$python" "$top_srcdir/tests/cli/http_server.py" "$tmp/site" "$@" 2>"$tmp/server.err" &
    servers="$servers $!"
    comes "$!" test -e "$1/port" || { cat "$tmp/server.err" >&2; exit 99; }
}
"$python" "$top_srcdir/tests/cli/make_collection.py" "$tmp/site" || exit 99
serve "$tmp/state"
url=http://127.0.0.1:$(cat "$tmp/state/port")

# fetch OPTION...: from the server, without waiting more than the test is about
fetch()
{
    "$ROWCAST" fetch --mirror "$url" --rate 0 --backoff 0.01 --format csv "$@"
}

# start OPTION...: as fetch, in the background as $pid
start()
{
    "$ROWCAST" fetch --mirror "$url" --rate 0 --backoff 0.01 --format csv "$@" \
        >"$tmp/out" 2>"$tmp/err" &
    pid=$!
}

# behave LINE...: the plan of the server from here on, and an empty log
behave()
{
    plans=$((plans + 1)) # two that are alike are two
    printf '%s\n' "# $plans" "$@" >"$tmp/state/plan"
    : >"$tmp/state/log"
}

# requests PATH: status, range and condition of each, from the log
requests()
{
    awk -v path="$1" '$3 == path { print $2, $4, $5, $6 }' "$tmp/state/log"
}

# the result table: there fetched failed left
result()
{
    sed -n 2p "$tmp/out" | cut -d, -f2-5
}

same_as_served()
{
    cmp "$tmp/site/MM/$2.tar.gz" "$1/$2.tar.gz"
}

# larger FILE BYTES
larger()
{
    [ -e "$1" ] && [ "$(wc -c <"$1")" -gt "$2" ]
}

plans=0
big=/MM/C/big.tar.gz
bytes=$(wc -c <"$tmp/site$big")
etag='"'$(md5sum <"$tmp/site$big" | cut -d' ' -f1)'"'
part=C/.big.tar.gz.part
plan 203

# --------------------------------------------------------------------- the plain case
behave
c=$tmp/c
code "a dry run" 0 fetch --where 'group != X' --to "$c" --dry-run
ok "changes nothing" test ! -e "$c"
is "lists what would come" "$(sed 1d "$tmp/out" | cut -d, -f1,5,6)" "A/four,absent,0
A/one,absent,0
A/three,absent,0
A/two,absent,0
B/pattern,absent,0
B/rect,absent,0
B/zeros,absent,0
C/big,absent,0
C/odd+name,absent,0"
is "and asks for the index only" "$(awk '{ print $3 }' "$tmp/state/log")" /files/ssstats.csv
code "a download" 0 fetch --where 'group != X' --to "$c"
is "has all" "$(result)" 0,9,0,0
for name in A/one B/zeros C/big 'C/odd+name'; do
    ok "$name is what was served" same_as_served "$c" "$name"
done
ok "an odd name is escaped" grep -q '/MM/C/odd%2Bname.tar.gz' "$tmp/state/log"
ok "the index is kept" cmp "$tmp/site/files/ssstats.csv" "$c/ssstats.csv"
is "nothing else stays" "$(find "$c" -name '.*' -type f | sort)" "$c/.ssstats.csv.part.from"
is "the manifest has a line for each" "$("$python" -c '
import json, sys
lines = [json.loads(x) for x in open(sys.argv[1])]
for l in sorted(lines, key=lambda l: l["name"]):
    assert len(l["xxh3"]) == 32 and l["bytes"] > 0 and l["time"].endswith("Z"), l
    print(l["name"], l["rows"], l["cols"], l["entries"], l["url"].split("/MM/")[1])' "$c/manifest.jsonl" |
    head -n 3)" "A/four 40 40 150 A/four.tar.gz
A/one 20 20 60 A/one.tar.gz
A/three 40 40 120 A/three.tar.gz"
if command -v xxhsum >/dev/null; then
    ok "with its XXH3 digest" grep -q "$(xxhsum -H2 "$c/C/big.tar.gz" | cut -d' ' -f1)" "$c/manifest.jsonl"
else
    skip "with its XXH3 digest" "no xxhsum"
fi
behave
code "again" 0 fetch --where 'group != X' --to "$c"
is "all is there" "$(result)" 9,0,0,0
is "and only the index was asked for, with its mark" "$(awk '{ print $2, $3, ($6 != "-") }' "$tmp/state/log")" \
    "304 /files/ssstats.csv 1"
code "the catalogue finds them" 0 "$ROWCAST" catalog -c "$c/ssstats.csv" -C "$c" --where 'present' \
    --columns fullname --format csv
is "all nine" "$(sed 1d "$tmp/out" | wc -l)" 9
code "a sweep takes the folder as it is" 0 "$ROWCAST" sweep -C "$c" -c "$c/ssstats.csv" \
    -w 'present && group != C' -s "$tmp/s.h5" --orders csr,lpt --kernels cstat --k 4 --threads 1 \
    --max-reps 7 --case-time 0.0005 --device cpu --share-device --format csv
is "and measures each matrix under each order" "$(grep -E '^(matrices|cases),' "$tmp/out" | cut -d, -f1-6)" \
    "matrices,7,0,0,0,0
cases,14,0,0,0,0"
printf '{"name":"A/one","fi' >>"$c/manifest.jsonl"
rm "$c/A/two.tar.gz"
code "a line of the manifest that a kill cut off" 0 fetch --where 'group == A' --to "$c"
ok "is left out with a warning" grep -q 'manifest.jsonl:10: expected a line of a manifest' "$tmp/err"
is "and does no harm" "$(result)" 3,1,0,0
is "the next line stands alone" "$(tail -n 1 "$c/manifest.jsonl" | cut -c1-15)" '{"name":"A/two"'

# ------------------------------------------------------------------ what was there before
rm "$c/manifest.jsonl"
cp "$tmp/site/MM/A/four.tar.gz" "$c/A/one.tar.gz"
rm "$c/A/two.tar.gz"
gzip -dc "$tmp/site/MM/A/two.tar.gz" | tar -xO two/two.mtx >"$c/A/two.mtx"
behave
code "without a manifest what is there is read" 0 fetch --where 'group == A' --to "$c"
is "what is right is not asked for, in any form" "$(result)" 3,1,0,0
is "what is another matrix is" "$(requests /MM/A/one.tar.gz)" "200 - - -"
ok "and replaced" same_as_served "$c" A/one
ok "with a warning" grep -q 'A/one: .*A/one.tar.gz is there: .*downloading it again' "$tmp/err"
sed 's/^50 50 200/50 51 200/' "$c/A/two.mtx" >"$tmp/two" && mv "$tmp/two" "$c/A/two.mtx"
code "another form that is wrong" 1 fetch --where 'group == A' --to "$c"
ok "has to be removed by hand" grep -q 'A/two.mtx: remove it' "$tmp/err"
rm "$c/A/two.mtx"
touch -r "$c/A/three.tar.gz" "$tmp/stamp"
printf 'x' | dd of="$c/A/three.tar.gz" bs=1 seek=200 conv=notrunc 2>/dev/null
touch -r "$tmp/stamp" "$c/A/three.tar.gz"
code "a flipped byte under the old time" 0 fetch --where 'group == A' --to "$c"
is "is not seen in passing" "$(result)" 3,1,0,0
code "but with --verify" 0 fetch --where 'group == A' --to "$c" --verify
is "and repaired" "$(result)" 3,1,0,0
ok "by the right file" same_as_served "$c" A/three

# --------------------------------------------------------------- what must be refused
behave '/MM/X/forbidden.tar.gz status=403'
x=$tmp/x
code "bad archives" 1 fetch --where 'group == X || group == A' --to "$x" --retries 1
is "fail one by one, the rest goes on" "$(result)" 0,4,20,0
is "and nothing of them stays" "$(find "$x/X" -type f 2>/dev/null)" ""
is "each has one line" "$(grep -c ' error fetch: X/' "$tmp/err")" 20
while read -r name text; do
    ok "X/$name: $text" grep -q " error fetch: X/$name: .*$text" "$tmp/err"
done <<'LINES'
gone 404 Not Found
truncated the gzip stream ends too early
flipped incorrect data check
wrong another matrix: .* 10 x 10 with 20 entries, the file 11 x 10 with 20
fewer the file 10 x 10 with 19
html expected a .tar.gz archive, found '<html>
empty an empty file
tarless expected a tar file compressed with gzip
othername expected members below 'othername/' in the archive, found 'name/name.mtx'
missing expected a member 'missing/missing.mtx'
traversal found 'traversal/../../evil'
absolute found '/tmp/evil'
symlink found a link or device 'symlink/symlink.mtx'
hardlink found a link or device 'hardlink/x'
device found a link or device 'device/x'
twice found it twice
bomb has 83886080 bytes, its matrix can take
bombs expands to more than
header expected 999999999999 entries
garbage garbage.tar.gz:22: expected
LINES
ok "nothing was written outside" test ! -e "$tmp/evil" -a ! -e "$x/evil" -a ! -e /tmp/evil

# --------------------------------------------------------------------- a bad server
# hard NAME PLAN RESULT REQUESTS: fetch the big one from a server with this plan, whose silence is waited for $stall s
hard()
{
    rm -rf "$tmp/h"
    behave "$big $2"
    fetch --where 'name == big' --to "$tmp/h" --stall "$stall" --retries 4 >"$tmp/out" 2>"$tmp/err"
    is "$1" "$(result)" "$3"
    is "... requests" "$(requests "$big")" "$4"
    [ "$3" != 0,1,0,0 ] || ok "... the file" same_as_served "$tmp/h" C/big
}
stall=60
hard "503, then well" 'status=503 status=500 ok' 0,1,0,0 "503 - - -
500 - - -
200 - - -"
hard "the body breaks off, twice" 'drop=500000 drop=300000 ok' 0,1,0,0 "200 - - -
206 bytes=500000- $etag -
206 bytes=800000- $etag -"
stall=3
hard "the connection falls silent" 'stall=400000 ok' 0,1,0,0 "200 - - -
206 bytes=400000- $etag -"
stall=60
hard "ranges are ignored" 'drop=500000 norange' 0,1,0,0 "200 - - -
200 bytes=500000- $etag -"
hard "another range comes" 'drop=500000 wrongrange ok' 0,1,0,0 "200 - - -
206 bytes=500000- $etag -
200 - - -"
hard "the version changes between" 'drop=500000 changed' 0,1,0,0 "200 - - -
200 bytes=500000- $etag -"
hard "a version without a mark is not continued" 'noetag ok' 0,1,0,0 "200 - - -"
hard "one without a mark that breaks off begins anew" 'bare=500000 ok' 0,1,0,0 "200 - - -
200 - - -"
hard "no range can be had" 'drop=500000 full ok' 0,1,0,0 "200 - - -
416 bytes=500000- $etag -
200 - - -"
hard "no length is said" 'nolength' 0,1,0,0 "200 - - -"
hard "half of it is said to be all" 'short=600000' 0,0,1,0 "200 - - -"
ok "... and that is seen" grep -q 'the gzip stream ends too early' "$tmp/err"
hard "an empty body" 'empty' 0,0,1,0 "200 - - -"
hard "a redirection" "redirect=$url/MM/C/../C/big.tar.gz ok" 0,1,0,0 "302 - - -
200 - - -"
hard "redirections without end" loop 0,0,1,0 "302 - - -
302 - - -
302 - - -
302 - - -
302 - - -
302 - - -"
ok "... are named" grep -q 'C/big: .*redirects' "$tmp/err"
hard "a redirection to a file of this machine" "redirect=file:///etc/passwd" 0,0,1,0 "302 - - -"
hard "a forbidden archive is asked for once" 'status=403' 0,0,1,0 "403 - - -"
ok "... and named" grep -q 'C/big: the server answers 403 Forbidden: http' "$tmp/err"
hard "a server that stays down" 'status=502' 0,0,1,0 "502 - - -
502 - - -
502 - - -
502 - - -
502 - - -"
ok "... and how often it was tried" grep -q '502 Bad Gateway (tried 5 times)' "$tmp/err"
hard "bytes without end" endless 0,0,1,0 "200 - - -"
ok "... are cut" grep -q 'the server sends more than the' "$tmp/err"

# --------------------------------------------------------------------- being polite
# span PATTERN: seconds from the first to the last request
span()
{
    awk -v pattern="$1" '$3 ~ pattern { if (!n++) first = $1; last = $1 } END { print last - first }' \
        "$tmp/state/log"
}
at_least()
{
    awk -v found="$1" -v wanted="$2" 'BEGIN { exit !(found >= wanted) }'
}
behave "/MM/A/four.tar.gz status=429,2 ok"
code "Retry-After in seconds" 0 fetch --where 'group == A' --to "$tmp/p1"
ok "is honoured" at_least "$(span /MM/A/four)" 1.9
ok "by all requests" at_least "$(span /MM/A/)" 1.9
is "and the order of requests tells" "$(awk '$3 ~ /MM/ && NR <= 3 { print $2, $3 }' "$tmp/state/log")" \
    "429 /MM/A/four.tar.gz
200 /MM/A/four.tar.gz"
behave "/MM/A/four.tar.gz status=503,+3 ok"
code "Retry-After as a date" 0 fetch --where 'name == four' --to "$tmp/p2"
ok "is honoured" at_least "$(span /MM/A/four)" 1.5
behave "/MM/A/four.tar.gz status=429,86400"
code "a server that wants a day" 75 fetch --where 'group == A' --to "$tmp/p3"
is "is left alone" "$(result)" 0,0,0,4
index=/files/ssstats.csv
p=$tmp/p6
behave "$index status=503,99999999999999"
code "a server that wants a day before it gives the index" 75 timeout 60 "$ROWCAST" fetch --mirror "$url" \
    --backoff 0.01 --limit 1 --to "$p"
ok "is left alone, and that is said" grep -q 'asks to come back in .* s: the run ends here' "$tmp/err"
behave "$index endless"
code "an index without end" 3 fetch --limit 1 --to "$p"
ok "is cut" grep -q 'ssstats.csv: the server sends more than the' "$tmp/err"
is "and nothing of it stays" "$(find "$p" -name '*ssstats*')" ""
behave "$index slow=1"
code "an index that drips" 3 timeout 60 "$ROWCAST" fetch --mirror "$url" --limit 1 --to "$p" --timeout 1 \
    --retries 1 --backoff 0.01
ok "is not waited for" grep -q 'ssstats.csv: too slow: [0-9]* bytes came in' "$tmp/err"
is "and nothing of it stays" "$(find "$p" -name '*ssstats*')" ""
behave "$index bare=900 ok"
code "an index without a mark that breaks off" 0 fetch --limit 1 --to "$p" --dry-run
is "begins anew" "$(requests "$index")" "200 - - -
200 - - -"
behave "$big slow=100 ok"
code "an archive that drips" 0 timeout 60 "$ROWCAST" fetch --mirror "$url" --where 'name == big' --to "$p" \
    --timeout 1 --rate 0 --backoff 0.01
ok "is asked for again" grep -q 'C/big: too slow: .*again in' "$tmp/err"
is "and continued" "$(requests "$big" | cut -d' ' -f1 | uniq | tr '\n' ' ')" "200 206 "
behave
began=$(date +%s%N) # of the client: the server may look late at the first request
code "a rate of requests" 0 fetch --where 'group == A' --to "$tmp/p4" --rate 5
ok "is kept" at_least "$(($(date +%s%N) - began))" "$((200000000 * ($(wc -l <"$tmp/state/log") - 1)))"
is "by the index and each archive" "$(wc -l <"$tmp/state/log" | tr -d ' ')" 5
behave
code "a rate of bytes" 0 fetch --where 'name == big' --to "$tmp/p5" --max-rate 600K --format json
ok "is kept" at_least "$("$python" -c 'import json, sys
t = json.load(open(sys.argv[1]))
print(t["rows"][0]["wall"])' "$tmp/out")" 1.5

# ------------------------------------------------------------------- ends at any time
# Killed again and again: each run goes on where the one before was.  The server falls silent, so it is always in the middle.
k=$tmp/k
behave "$big stall=300000 stall=300000 stall=300000 ok"
for at in 250000 550000 850000; do
    start --where 'name == big' --to "$k"
    comes $pid larger "$k/$part" $at || echo "# nothing came"
    kill -9 $pid
    wait $pid 2>/dev/null
done
ok "after a kill it has no name" test ! -e "$k/C/big.tar.gz"
code "and the next run" 0 fetch --where 'name == big' --to "$k"
ok "brings the rest" same_as_served "$k" C/big
is "not one of them began anew" "$(requests "$big" | sed 's/=[0-9]*-/=N-/')" "200 - - -
206 bytes=N- $etag -
206 bytes=N- $etag -
206 bytes=N- $etag -"
ok "nor lost a byte" at_least "$(requests "$big" | sed -n 's/.*=\([0-9]*\)-.*/\1/p' | tail -n 1)" 850000

# Killed at any moment: what has a name is right, and in the end all is there.
r=$tmp/r
kills=${ROWCAST_KILLS:-6}
behave "$big slow=40000"
wrong=0
while read -r nap; do
    start --where 'group != X' --to "$r" -q
    sleep "$nap"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    for name in A/one A/two A/three A/four B/rect B/zeros B/pattern C/big 'C/odd+name'; do
        [ ! -e "$r/$name.tar.gz" ] || same_as_served "$r" "$name" || wrong=$((wrong + 1))
    done
done <<NAPS
$(awk -v n="$kills" 'BEGIN { srand(3); for (i = 0; i < n; i++) printf "%.3f\n", rand() * rand() * 0.6 }')
NAPS
is "after $kills kills at random no file is wrong" "$wrong" 0
behave
code "then the rest comes" 0 fetch --where 'group != X' --to "$r"
is "all is there" "$(result | awk -F, '{ print $1 + $2 }')" 9
ok "and right" same_as_served "$r" C/big
is "with a line for each" "$(grep -c '^{"name".*}$' "$r/manifest.jsonl")" 9
is "and nothing on its way" "$(find "$r" -name '.*.tar.gz*')" ""

t=$tmp/t
behave "$big stall=300000"
start --where 'name == big || name == one' --to "$t"
comes $pid larger "$t/$part" 100000 || echo "# nothing came"
code "a second one in the same folder" 3 fetch --where 'name == one' --to "$t"
ok "is told who is there" grep -q "fetch.lock: held by .*$pid" "$tmp/err"
kill -TERM $pid
wait $pid
is "SIGTERM ends it with 75" "$?" 75
ok "what has come stays" larger "$t/$part" 100000
behave "$big changed"
code "of another version" 0 fetch --where 'name == big' --to "$t"
is "it is not continued" "$(requests "$big" | cut -d' ' -f1)" 200

# a kill between the last byte and the name
f=$tmp/f
mkdir -p "$f/C"
cp "$tmp/site$big" "$f/$part"
printf '%s\n%s\n%d\n' "$url$big" "$etag" "$bytes" >"$f/$part.from"
behave
code "what is complete is not asked for" 0 fetch --where 'name == big' --to "$f"
is "but read" "$(result) $(requests "$big")" "0,1,0,0 "
printf '%s\n%s\n%d\n' "$url$big" "$etag" "$bytes" >"$f/$part.from"
fetch --where 'name == big' --to "$f" >"$tmp/out" 2>"$tmp/err"
is "what a kill after the rename left is cleared away" "$(result) $(ls -A "$f/C")" "1,0,0,0 big.tar.gz"
rm -f "$f/C/big.tar.gz"
head -c "$bytes" /dev/zero >"$f/$part"
printf '%s\n%s\n%d\n' "$url$big" "$etag" "$bytes" >"$f/$part.from"
code "rubbish of the right size" 0 fetch --where 'name == big' --to "$f"
is "is fetched once more" "$(requests "$big")" "200 - - -"

# ------------------------------------------------------------------------- a full disk
d=$tmp/d
behave
(
    ulimit -f 1000 # blocks of 512 bytes
    fetch --where 'group == A || name == big' --to "$d" >"$tmp/out" 2>"$tmp/err"
    echo $? >"$tmp/code"
)
is "no room for one archive" "$(cat "$tmp/code") $(result)" "1 0,4,1,0"
ok "is said" grep -q 'C/big: cannot write .*File too large' "$tmp/err"
ok "what fits stays" larger "$d/$part" 100000
code "and with room" 0 fetch --where 'group == A || name == big' --to "$d"
ok "is continued" same_as_served "$d" C/big
is "... from there" "$(requests "$big" | sed 's/=[0-9]*-/=N-/' | tail -n 1)" "206 bytes=N- $etag -"

# A small file system, where one may be mounted.
mkdir "$tmp/small"
if unshare -m mount -t tmpfs -o size=600k none "$tmp/small" 2>/dev/null; then
    # shellcheck disable=SC2016  # for the other shell
    unshare -m sh -c 'mount -t tmpfs -o size=600k none "$1" && shift && exec "$@"' sh \
        "$tmp/small" "$ROWCAST" fetch \
        --to "$tmp/small" --mirror "$url" --rate 0 --format csv \
        --where 'group == A || name == big' >"$tmp/out" 2>"$tmp/err"
    # what comes behind the big one may find no room either
    is "on a full file system each one ends" "$(result | awk -F, '{ print $2 + $3, ($3 > 0), $4 }')" "5 1 0"
    ok "and the line says so" grep -q 'C/big: cannot write .*No space left' "$tmp/err"
else
    skip "on a full file system each one ends" "nothing can be mounted"
    skip "and the line says so" "nothing can be mounted"
fi

# ------------------------------------------------------------- names and certificates
# A label of more than 63 letters is no name: it is looked up without a network.
name=$(printf 'a%.0s' 1 2 3 4 5 6 7 8 9 10)
name=http://$name$name$name$name$name$name$name
code "an index from a name that is not known" 3 "$ROWCAST" fetch --mirror "$name" --backoff 0.01 --limit 1 \
    --retries 3 --to "$tmp/u"
is "is asked for again" "$(grep -c 'Could not resolve host: .*; again in' "$tmp/err")" 3
ok "and what is wrong stays the name" grep -q '^rowcast fetch: .*Could not resolve host' "$tmp/err"
code "archives from there" 1 "$ROWCAST" fetch --mirror "$name" --backoff 0.01 --retries 2 --to "$tmp/u" --format csv \
    --where 'name == two || name == rect' --index "$c/ssstats.csv" --rate 0
is "fail one by one" "$(result) $(grep -c 'Could not resolve host.*(tried 3 times)' "$tmp/err")" "0,0,2,0 2"

# trust WHAT CODE ENVIRONMENT... : from the server by HTTPS
trust()
{
    what=$1
    wanted=$2
    shift 2
    rm -rf "$tmp/trusted"
    code "HTTPS, $what" "$wanted" env -u SSL_CERT_FILE -u CURL_CA_BUNDLE "$@"
}
if openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$tmp/key" -out "$tmp/cert" 2>"$tmp/server.err" && cat "$tmp/key" >>"$tmp/cert" &&
    cp "$tmp/cert" "$tmp/both"; then
    serve "$tmp/tls" "$tmp/both"
    set -- "$ROWCAST" fetch --mirror "https://127.0.0.1:$(cat "$tmp/tls/port")" --limit 1 --to "$tmp/trusted" \
        --rate 0 --retries 0 --where 'name == one'
    trust "a certificate that nobody knows" 3 "$@"
    ok "and that is said" grep -qi 'certificate' "$tmp/err"
    trust "--cacert" 0 "$@" --cacert "$tmp/cert"
    trust "SSL_CERT_FILE" 0 SSL_CERT_FILE="$tmp/cert" "$@"
    trust "CURL_CA_BUNDLE" 0 CURL_CA_BUNDLE="$tmp/cert" "$@"
    trust "CURL_CA_BUNDLE before SSL_CERT_FILE" 0 CURL_CA_BUNDLE="$tmp/cert" SSL_CERT_FILE=/none "$@"
    trust "--cacert before both" 0 CURL_CA_BUNDLE=/none SSL_CERT_FILE=/none "$@" --cacert "$tmp/cert"
    trust "a variable that names no file" 3 SSL_CERT_FILE="$tmp/nowhere" "$@"
    ok "is an error that names it" grep -q "$tmp/nowhere" "$tmp/err"
    trust "an option that does" 3 "$@" --cacert "$tmp/nowhere"
    ok "too" grep -q -- "--cacert: cannot read '$tmp/nowhere'" "$tmp/err"
else
    for what in 1 2 3 4 5 6 7 8 9 10 11; do
        skip "HTTPS $what" "no openssl"
    done
fi

# ---------------------------------------------------------------------- other mirrors
code "a folder is a mirror" 0 "$ROWCAST" fetch --mirror "$tmp/site" --where 'group != X' --to "$tmp/m" \
    --rate 0 --format csv
is "with all" "$(result)" 0,9,0,0
code "and so is what was downloaded" 0 "$ROWCAST" fetch --mirror "$tmp/m" --where 'group != X' \
    --to "$tmp/m2" --rate 0 --format csv
ok "byte for byte" same_as_served "$tmp/m2" C/big
code "an archive that is not there" 1 "$ROWCAST" fetch --mirror "$tmp/site" --where 'name == gone' \
    --to "$tmp/m" --rate 0 --format csv
ok "is 404 there too" grep -q 'X/gone: .*404 Not Found: file://' "$tmp/err"
stop_server
code "no server, and an index from before" 1 fetch --where 'name == two || name == rect' --to "$x" \
    --retries 1
is "what is there is there" "$(result)" 1,0,1,0
ok "what is not cannot be had" grep -q 'B/rect: .*connect.*(tried 2 times)' "$tmp/err"
ok "and which index was taken is said" grep -q "the copy $x/ssstats.csv is taken" "$tmp/err"
code "no server and no index is an error" 3 fetch --where 'name == two' --to "$tmp/n" --retries 0
code "no folder is a usage error" 2 "$ROWCAST" fetch --where true
code "no choice is a usage error" 2 "$ROWCAST" fetch --to "$tmp/n"
ok "that says how to have all" grep -q -- "--where true" "$tmp/err"
code "an unknown field is a usage error" 2 "$ROWCAST" fetch --to "$tmp/n" --where 'rowz < 3'
code "a mirror that is neither address nor folder" 3 "$ROWCAST" fetch --to "$tmp/n" --limit 1 \
    --mirror "$tmp/nowhere"
