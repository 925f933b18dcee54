#!/bin/sh
# The rules of the pages hold, and each of them can fail.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
check=$top_srcdir/tests/lint/check-pages.sh

# page FILE TEXT: a tree of that page alone
page()
{
    rm -rf "$tmp/tree"
    mkdir -p "$tmp/tree/data/results/notebook" "$tmp/tree/kernels" "$tmp/tree/src"
    printf '%b' "$2" >"$tmp/tree/$1"
}

# planted RULE FILE LINE TEXT: the rule finds TEXT, as the page FILE, at that line
planted()
{
    page "$2" "$4"
    ok "$1 finds: $(printf %s "$4" | tr '\n' ' ' | cut -c1-50)" found "$1" "$2:$3:"
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
    page "$2" "$3"
    ok "$1 lets pass: $(printf %s "$3" | tr '\n' ' ' | cut -c1-50)" sh "$check" "$1" "$tmp/tree"
}

# many N TEXT
many()
{
    awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'
}

plan 32
rules=$(sh "$check" list)
for rule in $rules; do
    ok "$rule holds" sh "$check" "$rule" "$top_srcdir"
done
planted budget README.md 1 "$(many 30001 'a ')\n"
harmless budget README.md "$(many 30000 'a ')\n"
harmless budget data/results/notebook/a.md "$(many 30001 'a ')\n"
harmless budget README.md "<!-- from the store -->\n$(many 30001 'a ')\n<!-- end -->\nb\n"
planted budget README.md 1 "<!-- from the store -->\na\n<!-- end -->\n$(many 30001 'b ')\n"
planted length kernels/README.md 151 "$(many 151 'a\n')\n"
harmless length kernels/README.md "$(many 150 'a\n')\n"
planted sentences src/README.md 3 "# A\n\n$(many 26 'a ')\n"
planted sentences src/README.md 2 "A sentence.\n- Another. $(many 13 'a ')\n  $(many 13 'b ')\n"
harmless sentences src/README.md "$(many 25 'a '). $(many 24 'b ')\nb.\n\n$(many 20 'a ')\n\n$(many 20 'a ')\n"
harmless sentences src/README.md "$(many 24 'a ')[\`b c d\`](src/x/y.md).\n\n    $(many 30 'a ')\n\n\`\`\`\n$(many 30 'a ')\n\`\`\`\n| $(many 30 'a ') |\n"
planted cells src/README.md 2 "| a |\n| b | $(many 41 'a ') |\n"
harmless cells src/README.md "| $(many 40 'a ')| $(many 40 'b ')|\n"
planted words src/README.md 2 "a\nThis is a Ledger.\n"
harmless words src/README.md "It is in \`ledger.c\`.\n"
planted words src/README.md 3 "A\n\nOne policy.\n"
planted words src/README.md 1 "Row schedules.\n"
harmless words src/README.md "\`rc_schedule_t\`, [a](policy.h)\n\n    policy\n    schedule\n\n\`\`\`\npolicy\n\`\`\`\n"
planted doors README.md 1 "[diary](data/results/notebook/a.md)\n"
harmless doors data/results/a.md "[diary](notebook/a.md)\n"
planted links README.md 1 "[a](src/b.md)\n"
planted links README.md 2 "# A b\n[a](#a-c)\n"
planted links data/results/notebook/a.md 1 "[a](b.md)\n"
harmless links README.md "# A \`b\`, c\n[a](#a-b-c) [b](src) [c](https://example.org/a.md#b)\n"
code "an unknown rule is refused" 2 sh "$check" nonsense "$tmp/tree"
