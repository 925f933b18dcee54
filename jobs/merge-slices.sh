#!/bin/bash
# Merge what the slices of an array measured; the last job of `jobs/submit.sh array`.
# Usage: jobs/merge-slices.sh STORE FOLDER N
#   takes FOLDER/slice-1-of-N.h5 .. FOLDER/slice-N-of-N.h5.  A slice that had no matrix has an empty store.
#   A slice without one is told, the rest is merged: run it again when it is there.
# ROWCAST is the program [rowcast].  Exit codes: 0, 1 slices are missing, 2 wrong usage, or that of rowcast.
set -euo pipefail
case ${1:-} in
-h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'; exit 0 ;;
esac
if (($# != 3)) || [[ -z $1 || -z $2 ]] || ! [[ $3 =~ ^[1-9][0-9]{0,6}$ ]]; then
    echo "usage: jobs/merge-slices.sh STORE FOLDER N" >&2
    exit 2
fi
store=$1 folder=$2 slices=$3
there=()
lost=0
for ((i = 1; i <= slices; i++)); do
    slice=$folder/slice-$i-of-$slices.h5
    if [[ -e $slice ]]; then
        there+=("$slice")
    else
        echo "merge-slices.sh: no $slice: its task did not get that far" >&2
        lost=1
    fi
done
if ((${#there[@]} == 0)); then
    echo "merge-slices.sh: no slice in $folder has a store" >&2
    exit 1
fi
"${ROWCAST:-rowcast}" merge "$store" "${there[@]}"
exit "$lost"
