#!/bin/sh
# Usage: check-pages.sh RULE DIR
# Prints "file:line: what is wrong" for every page (*.md) under DIR that breaks the rule; exit 1 when there is one.
# `check-pages.sh list` prints the rules, `check-pages.sh count DIR` the words of each page, most first.
# The notebook (data/results/notebook) is no page; its links are followed, too.
# What a command prints into a page, between a line "<!-- from ... -->" and "<!-- end -->", is not counted.
# shellcheck disable=SC2016  # of awk
LC_ALL=C
export LC_ALL

rules='budget length sentences cells words doors links'
most_words=30000

if [ "${1:-}" = list ]; then
    echo "$rules"
    exit 0
fi
rule=$1
cd "$2" || exit 2

pages()
{
    find README.md src kernels analysis data jobs tests -name '*.md' ! -path 'data/results/notebook/*' 2>/dev/null | sort
}

# count: "WORDS FILE" of each page
count()
{
    pages | xargs -r awk '
        FNR == 1 { printed = 0 }
        /^<!-- from / { printed = 1 }
        !printed { words[FILENAME] += NF }
        /^<!-- end -->/ { printed = 0 }
        END { for (f in words) print words[f], f }' | sort -rn
}

# All pages may have so many words together.
budget()
{
    n=$(count | awk '{ n += $1 } END { print n + 0 }')
    [ "$n" -le $most_words ] || echo "README.md:1: $n words in all pages: more than $most_words"
}

# The doors are short.
length()
{
    for file in README.md kernels/README.md; do
        [ ! -f "$file" ] || [ "$(wc -l <"$file")" -le 150 ] || echo "$file:151: more than 150 lines"
    done
}

# prose: the paragraphs of all pages, "file:line:text", without tables, programs and the addresses of links; a name in
# code is one word
prose()
{
    pages | xargs -r awk '
        function flush() {
            if (text != "") {
                gsub(/`[^`]*`/, "code", text)
                gsub(/\]\([^)]*\)/, "]", text)
                gsub(/ al\. /, " al ", text)
                print file ":" line ":" text
            }
            text = ""
        }
        FNR == 1 { flush(); fence = 0 }
        /^ *```/ { flush(); fence = !fence; next }
        fence { next }
        /^ *$/ || /^#/ || /^ *\|/ || /^<!--/ { flush(); blank = 1; next }
        blank && text == "" && /^    / { next }
        /^ *([-*]|[0-9]+\.) / { flush() }
        {
            if (text == "") { file = FILENAME; line = FNR }
            text = text " " $0
            blank = 0
        }
        END { flush() }'
}

# A sentence has 25 words at most.
sentences()
{
    prose | awk '
        {
            at = index($0, ":")
            file = substr($0, 1, at - 1)
            $0 = substr($0, at + 1)
            at = index($0, ":")
            where = file ":" substr($0, 1, at - 1)
            text = substr($0, at + 1)
            gsub(/[.?!][)*"]* /, "&\n", text)
            n = split(text, sentence, "\n")
            for (i = 1; i <= n; i++) {
                words = split(sentence[i], word, " ")
                count = 0
                for (j = 1; j <= words; j++)
                    count += word[j] ~ /[A-Za-z0-9]/
                if (count > 25)
                    print where ": a sentence of " count " words: " substr(sentence[i], 1, 60)
            }
        }'
}

# A cell of a table has 40 words at most.
cells()
{
    pages | xargs -r awk '
        /^ *```/ { fence = !fence }
        FNR == 1 { fence = 0 }
        !fence && /^ *\|/ {
            gsub(/\\\|/, "/")
            n = split($0, cell, "|")
            for (i = 1; i <= n; i++)
                if (split(cell[i], word, " ") > 40)
                    print FILENAME ":" FNR ": a cell of more than 40 words: " substr(cell[i], 1, 60)
        }'
}

# Words that only those who wrote them understand, who asked for what, and second names: a row order is an order, whatever
# C, files and options call it.  Programs and what they print are not looked at.
words()
{
    pages | xargs -r awk '
        FNR == 1 { fence = 0; blank = 1 }
        /^ *```/ { fence = !fence }
        fence || (blank && /^    /) { next }
        { blank = /^ *$/; line = tolower($0); gsub(/`[^`]*`/, "", line); gsub(/\]\([^)]*\)/, "]", line) }
        match(line, /(landing|ledger|suspect|parcel|the issue|asked for by|polic(y|ies)|schedule|row permutation)/) {
            print FILENAME ":" FNR ": a word that a reader does not know: " substr(line, RSTART, RLENGTH)
        }'
}

# No README leads into the notebook.
doors()
{
    pages | grep 'README\.md$' | xargs -r grep -n 'notebook/' /dev/null | sed 's/^\([^:]*:[0-9]*\):.*/\1: a README leads into the notebook/'
}

# Links lead to a file that is there, and to a heading of it; those of the notebook, too.
links()
{
    notebook=$(find data/results/notebook -name '*.md' 2>/dev/null)
    # shellcheck disable=SC2046,SC2086  # no name has spaces
    grep -noE '\]\([^)]*\)' /dev/null $(pages) $notebook | grep -v '://' | sed 's/\](\(.*\))$/\1/' \
        | while IFS=: read -r file number link; do
            to=${link%%#*}
            case $link in
            \#*) to=$file ;;
            *) to=$(dirname "$file")/$to ;;
            esac
            if [ ! -e "$to" ]; then
                echo "$file:$number: nothing is at $link"
            elif [ "$link" != "${link#*#}" ]; then
                sed -n 's/^##* //p' "$to" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9_\n-' | grep -qxF -e "${link#*#}" \
                    || echo "$file:$number: no heading of $to is #${link#*#}"
            fi
        done
}

case " $rules count " in
*" $rule "*) ;;
*)
    echo "unknown rule $rule: $rules" >&2
    exit 2
    ;;
esac
if [ "$rule" = count ]; then
    count
    exit
fi
found=$("$rule")
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
