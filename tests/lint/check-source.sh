#!/bin/sh
# Usage: check-source.sh RULE DIR
# Prints "file:line: what is wrong" for every place under DIR that breaks the rule; exit 1 when there
# is one.  `check-source.sh list` prints the rules.  DIR is a source tree:
# src, kernels, analysis, and for lengths tests.
# Places that break columns, arguments and folder today are counted in DIR/tests/lint/exceptions,
# which may only shrink: `check-source.sh lower DIR` prints it with the numbers of now.
LC_ALL=C
export LC_ALL

rules='layers headers libraries types formats words length functions names docstrings first'
counted='columns arguments folder' # those with exceptions
rules="$rules $counted"

if [ "${1:-}" = list ]; then
    echo "$rules"
    exit 0
fi
rule=$1
cd "$2" || exit 2

# An example is an application, not a part of a library.
sources()
{
    for room in src kernels analysis; do
        if [ -d "$room" ]; then
            find "$room" -type f \( -name '*.c' -o -name '*.h' -o -name '*.inc' -o -name '*.cu' \
                -o -name '*.cuh' \) ! -name config.h ! -path 'src/examples/*'
        fi
    done | sort
}

# All sources as "file:line:code", with comments and the contents of texts blanked; a file that an include
# names is kept.
code()
{
    # shellcheck disable=SC2016  # of awk
    sources | xargs -r awk '{
        if (FNR == 1) comment = 0
        line = $0
        keep = line ~ /^[ \t]*#[ \t]*include/
        out = ""
        while (line != "") {
            if (comment) {
                at = index(line, "*/")
                if (!at) { line = ""; break }
                line = substr(line, at + 2)
                comment = 0
            } else if (substr(line, 1, 2) == "/*") {
                comment = 1
                line = substr(line, 3)
            } else if (substr(line, 1, 2) == "//") {
                line = ""
            } else if (!keep && match(line, /^"([^"\\]|\\.)*"/)) {
                out = out "\"\""
                line = substr(line, RLENGTH + 1)
            } else if (!keep && match(line, /^\047([^\047\\]|\\.[^\047]*)\047/)) {
                out = out "\047\047"
                line = substr(line, RLENGTH + 1)
            } else {
                at = match(substr(line, 2), /["\/\047]/) # where a text or comment may begin
                at = at ? at : length(line)
                out = out substr(line, 1, at)
                line = substr(line, at + 1)
            }
        }
        print FILENAME ":" FNR ":" out
    }'
}

# includes: those of all sources
includes()
{
    code | grep -E '^[^:]*:[0-9]*:[[:space:]]*#[[:space:]]*include'
}

# only FILES PATTERN MESSAGE: every line of code on stdin that matches, but for files whose names begin with FILES
only()
{
    grep -E "^[^:]*:[0-9]*:(.*[^A-Za-z0-9_])?$2" | grep -vE "^($1)" | sed "s|^\([^:]*:[0-9]*\):.*|\1: $3|"
}

# may_of FILE: the rooms that it may include, in $may; 1 for a file of no room
may_of()
{
    case $1 in
    src/rowcast.h | src/rowcast_*.h) may=' ' ;;
    src/base/*) may=' base ' ;;
    src/sparse/*) may=' base sparse ' ;;
    src/io/*) may=' base sparse io ' ;;
    src/catalog/*) may=' base sparse io catalog ' ;;
    src/operation/*) may=' base sparse operation ' ;;
    src/device/*) may=' base sparse operation device ' ;;
    src/order/cuda/*) may=' base sparse operation device format order ' ;;
    src/order/*) may=' base sparse order ' ;;
    src/format/*) may=' base sparse operation device order format ' ;;
    src/feature/cuda/*) may=' base sparse operation device order format feature ' ;;
    src/feature/*) may=' base sparse order feature ' ;;
    kernels/tuning/*) may=' base sparse operation device order format kernels/tuning ' ;;
    kernels/*) may=' base sparse operation device order format kernels ' ;;
    src/plan/*) may=' base sparse operation device order format feature kernels model plan ' ;;
    src/measure/*) may=' base sparse operation device format kernels measure ' ;;
    src/store/*) may=' base store ' ;;
    src/table/*) may=' base store table ' ;;
    src/sweep/*) may=' base sparse io catalog order feature operation device format kernels measure store table sweep ' ;;
    src/model/*) may=' base sparse feature order model ' ;;
    analysis/papers/*) may=' base sparse catalog order operation device format feature kernels table model analysis ' ;;
    # a report draws matrices in their orders; which kernels are the vendor's stands in one list
    analysis/report/*) may=' base sparse io catalog order feature table model analysis kernels/vendor ' ;;
    analysis/*) may=' base sparse feature table model analysis kernels/vendor ' ;;
    # a client of the installed libraries
    src/dropin/*) may=' dropin ' ;;
    src/cmd/*) may='*' ;;
    *) return 1 ;;
    esac
}

# Rooms may include only lower rooms.
layers()
{
    for file in $(sources); do
        may_of "$file" || echo "$file:1: a room that the table of tests/lint/check-source.sh does not have"
    done
    includes | grep '"' | sed 's/^\([^:]*\):\([0-9]*\):[^"]*"\([^"]*\)".*/\1 \2 \3/' | while read -r file number name; do
        may_of "$file" || continue
        [ "$may" != '*' ] || continue
        room=${file#src/}
        room=${room%%/*}
        case $name in
        config.h | rowcast.h) continue ;;
        # the list of value types and device functions, in headers alone, are the drop-in's too
        base/type.h | device/cuda/data_type.h | device/cuda/*.cuh)
            [ "$room" != dropin ] || continue
            part=${name%%/*}
            ;;
        rowcast_io.h) part=io ;;
        rowcast_plan.h | rowcast_rows.h | rowcast_cuda.h | rowcast_device.h)
            [ "$room" = dropin ] || [ "$room" = rowcast_device.h ] || [ "$room" = rowcast_cuda.h ] || [ "$room" = rowcast_rows.h ] && continue
            part=device
            ;;
        ../* | */../*)
            echo "$file:$number: '$name' leaves the folder: name it from the top"
            continue
            ;;
        kernels/*/*) part=${name#kernels/} part=kernels/${part%%/*} ;;
        */*) part=${name%%/*} ;;
        *) part=$room ;;
        esac
        case $may in
        *" $part "* | *" ${part%%/*} "*) ;;
        *) echo "$file:$number: $room may not include '$name'" ;;
        esac
    done
}

# Only the store and the sweep see MPI (src/cmd starts it), only the store sees HDF5, only devices, folders named cuda, kernels and the drop-in see CUDA, only
# the catalogue sees libcurl, only the orders see METIS and AMD, only the report sees libpng.
headers()
{
    # files | headers | what is said of others
    while IFS='|' read -r files names text; do
        includes | only "$(echo "$files" | tr ' ' '|')" ".*[<\"]($(echo "$names" | tr ' ' '|'))[.]h" "only $text"
    done <<'END'
src/store/ src/sweep/ src/cmd/|mpi|src/store, src/sweep and src/cmd may include mpi.h
src/store/|hdf5 hdf5_hl|src/store may include hdf5.h
kernels/ src/device/ src/order/cuda/ src/feature/cuda/ src/format/cuda/ src/dropin/|(cuda cusparse)[a-zA-Z_]*|devices, cuda folders, kernels and the drop-in may include CUDA headers
src/catalog/|curl curl/curl|src/catalog may include curl.h
src/order/|metis suitesparse/amd|src/order may include the libraries of orders
analysis/report/|png|analysis/report may include libpng
END
}

# A library returns to its caller.
libraries()
{
    code | only src/cmd/ '(exit|_exit|_Exit|quick_exit|abort)[[:space:]]*\(' 'a library does not end the program'
}

# A value type is named in the list of types, by who uses the libraries, and where a list has its instances:
# "[RC_FP32] =", "types<RC_FP32, ...>".
types()
{
    types=$(sed -n 's/^ *X(\(RC_[A-Z0-9]*\),.*/\1/p' src/base/type.h | paste -sd '|' -)
    code | sed -E "s/\[($types)\] =//g; s/(types|listed)<(($types)(, )?)+//g" \
        | sed -E "/[.]types =/s/1 << ($types)( [|] )?//g" \
        | only 'src/base/type[.]|src/rowcast' \
            "($types|precision [!=]= [0-9]|sizeof\([A-Z][A-Za-z]*\) [!=]= [0-9])" \
            'ask rc_type (base/type.h), or list an instance for each type: [RC_FP32] = ...'
}

# What fills the memory of a format is called in src/format alone: a kernel asks for one that is kept.
formats()
{
    code | grep '^kernels/' | only : '(rc_places_(keep|put|fill)|cudaMalloc[A-Za-z]*|upload|gather)[[:space:]]*\(' \
        'a kernel allocates no format: keep it (format/cuda/keep.h, rc_places_values)'
}

# Calls that cut, overrun or cannot report an error.
words()
{
    code | only : '(strncpy|strcpy|strcat|strncat|sprintf|vsprintf|gets|atoi|atol|atoll|atof|rand|srand|alloca)[[:space:]]*\(' \
        'use the checked or seeded call of src/base instead'
}

# Everything that people wrote as a program: also tests, and the page.
written()
{
    sources
    find src/examples -type f 2>/dev/null
    find src/python jobs -name '*.py' 2>/dev/null
    for room in analysis tests; do
        if [ -d "$room" ]; then
            find "$room" -type f \( -name '*.t' -o -name '*.sh' -o -name '*.py' -o -name '*.js' -o -path 'tests/*.[ch]' \)
        fi
    done | sort
}

length()
{
    for file in $(written); do
        n=$(wc -l <"$file")
        [ "$n" -le 600 ] || echo "$file:$n: more than 600 lines: split it by subject"
    done
}

# A function is what stands between braces that begin its lines (in a script also "name() {"), in
# Python what is indented below its def.
functions()
{
    for file in $(written); do
        case $file in
        *.py) awk '
            function end() {
                if (start && last - start > 60)
                    print FILENAME ":" start ": a function of " last - start " lines: more than 60"
                start = 0
            }
            /^[^ \t#]/ { end() }
            /^ *def / { end(); start = FNR }
            /[^ \t]/ { last = FNR }
            END { end() }' "$file" ;;
        *) awk '
            /^\{/ || (!start && /^[a-z].*\{$/ && FILENAME ~ /\.(js|sh|t)$/) { start = FNR }
            /^\}/ {
                if (start && FNR - start - 1 > 60)
                    print FILENAME ":" start ": a function of " FNR - start - 1 " lines: more than 60"
                start = 0
            }' "$file" ;;
        esac
    done
}

# A type of a header and a function that other files see have a name that no other room uses.
names()
{
    code | awk '
        function found(name) { print name, room, file ":" number }
        {
            file = number = $0
            sub(/:.*/, "", file)
            number = substr($0, length(file) + 2)
            sub(/:.*/, "", number)
            $0 = substr($0, length(file) + length(number) + 3)
            room = file
            sub(/^src\//, "", room)
            sub(/\/.*/, "", room)
        }
        /^namespace$/ { local = file }
        /^\}/ && local == file && /namespace/ { local = "" }
        local == file || /^__global__|__launch_bounds__/ { next }
        /^[a-z].*\(/ && !/^(static|typedef|extern)/ && !/;$/ && file ~ /\.(c|cu)$/ &&
            match($0, /[a-z_0-9]+\(/) { found(substr($0, RSTART, RLENGTH - 1)) }
        file !~ /\.h$/ { next }
        /^\} [a-z_0-9]+;/ { sub(/;.*/, "", $2); found($2) }
        /^typedef [^{]*;$/ {
            sub(/;$/, "")
            if (match($0, /[a-z_0-9]+\(/))
                found(substr($0, RSTART, RLENGTH - 1))
            else
                found($NF)
        }' | awk '
        {
            sub(/^\**/, "", $1)
            if (($1 in room) && room[$1] != $2)
                print $3 ": " $1 " is a name of " place[$1] " too"
            else {
                room[$1] = $2
                place[$1] = $3
            }
        }'
}

# Every public declaration has a docstring, every header says what it is.
docstrings()
{
    for file in src/rowcast*.h; do
        [ ! -f "$file" ] || awk '
            /^RC_API |^typedef (struct|enum|union) / && previous !~ /\*\/$/ {
                print FILENAME ":" FNR ": no docstring before: " $0
            }
            { previous = $0 }' "$file"
    done
    for file in $(sources); do
        case $file in
        *.h) head -n 1 "$file" | grep -q '^/\*\* .file ' \
            || printf '%s\n' "$file:1: a header starts with a comment that says what it is" ;;
        esac
    done
}

# config.h comes first: it decides what the system headers declare.
first()
{
    includes | awk -F: '$1 ~ /\.c$/ && !($1 in seen) { seen[$1] = 1; if ($0 !~ /"config\.h"/) print $1 ":" $2 ": config.h must be included first" }'
}

# Each place of a rule that has exceptions: "file:line: what is wrong"
product()
{
    find src kernels analysis -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \
        -o -name '*.inc' -o -name '*.hpp' -o -name '*.py' \) ! -name config.h 2>/dev/null | sort
}

# A character of several bytes is one column.
columns()
{
    product | xargs -r awk '
        length > 100 {
            gsub(/[\200-\277]/, "")
            if (length > 100)
                print FILENAME ":" FNR ": " length " columns: more than 100"
        }'
}

# Parameters of what is declared or defined at the left margin, in device code also in a class.
arguments()
{
    code | awk '
        # parameters between the first parenthesis of text and the one that closes it; 0: it goes on
        function count(text,    i, c, depth, angle, n) {
            n = 1
            for (i = 1; i <= length(text); i++) {
                c = substr(text, i, 1)
                if (c ~ /[({[]/)
                    depth++
                else if (c ~ /[])}]/) {
                    if (--depth == 0)
                        return n
                } else if (c == "<")
                    angle++
                else if (c == ">")
                    angle--
                else if (c == "," && depth == 1 && angle == 0)
                    n++
            }
            return 0
        }
        {
            file = number = $0
            sub(/:.*/, "", file)
            number = substr($0, length(file) + 2)
            sub(/:.*/, "", number)
            $0 = substr($0, length(file) + length(number) + 3)
        }
        file != last { text = ""; last = file; macro = head = 0 }
        macro || /^#/ { macro = /\\$/; next }
        text == "" {
            sub(/^(RC_API|extern "") /, "")
            if (!head && !/^[A-Za-z_0-9]+ / && !/^ *__(device|host|global)__ /)
                next
            head = gsub(/__launch_bounds__\([^()]*\)/, "")
            gsub(/__attribute__\(\(([^()]*|\([^()]*\))*\)\)/, "")
            gsub(/[A-Z]+\([a-z_]+\)\(/, "name(")
            if (!match($0, /[A-Za-z_0-9]\(/) || substr($0, 1, RSTART) ~ /[=;{]/)
                next
            head = 0
            at = file ":" number
            text = substr($0, RSTART + 1)
        }
        at != file ":" number { text = text $0 }
        (n = count(text)) {
            if (n > 6)
                print at ": a function of " n " parameters: more than 6"
            text = ""
        }'
}

# Every file of a folder after its fortieth.
folder()
{
    product | awk '
        {
            folder = $0
            sub("/[^/]*$", "", folder)
            if (++n[folder] > 40)
                print folder ":" n[folder] ": a folder of more than 40 files: " $0
        }'
}

exceptions=tests/lint/exceptions
[ -f "$exceptions" ] || exceptions=/dev/null

# excepted RULE: its places, but for files that have exactly as many as the exceptions say
excepted()
{
    "$1" | awk -v rule="$1" -v list="$exceptions" '
        BEGIN {
            while ((getline line < list) > 0)
                if (split(line, word, " ") == 3 && word[1] == rule)
                    may[word[2]] = word[3]
        }
        { file = $0; sub(/:.*/, "", file); n[file]++; text[file] = text[file] $0 "\n" }
        END {
            for (file in n)
                if (n[file] > may[file])
                    printf "%s", text[file]
            for (file in may)
                if (n[file] < may[file])
                    print file ":1: has " n[file] + 0 " exceptions, not " may[file] ": lower " list
        }'
}

# The exceptions, no number higher than what is found
lower()
{
    for each in $counted; do
        "$each" | sed "s/^\([^:]*\):.*/$each \1/"
    done | awk -v list="$exceptions" '
        { n[$0]++ }
        END {
            while ((getline < list) > 0) {
                found = n[$1 " " $2] + 0
                if (found)
                    print $1, $2, found < $3 ? found : $3
            }
        }'
}

[ "$rule" != lower ] || { lower; exit; }
case " $rules " in
*" $rule "*) ;;
*)
    echo "unknown rule $rule: $rules" >&2
    exit 2
    ;;
esac
case " $counted " in
*" $rule "*) found=$(excepted "$rule") ;;
*) found=$("$rule") ;;
esac
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
