#!/bin/bash
# Publishes many commits of one repository as branches to one bucket, and says what the bucket holds.
#
#   tests/branches/run.sh PROGRAM WORK REPOSITORY NUMBER [ORDER]
#
# The NUMBER last commits along first parents become branches: the oldest is published first and is the default ref, the others
# follow in ORDER: `history` (the older one first), or `random` (always the same). Prints the bytes of the bucket after the first and at the
# end, and how much distinct text the other branches add to that of the first.
set -euo pipefail

program=$(realpath "$1") work=$2 repository=$(realpath "$3") number=$4 order=${5:-history}
mkdir -p "$work/bucket"
work=$(realpath "$work")
export CODECOMPASS_HOME=$work/home CODECOMPASS_REMOTE_URL=file://$work/bucket

git -C "$repository" rev-list --first-parent -n "$number" HEAD | tac >"$work/commits"
{
    head -1 "$work/commits"
    case $order in
        history) tail -n +2 "$work/commits" ;;
        random) tail -n +2 "$work/commits" | shuf --random-source=<(yes) ;;
    esac
} >"$work/order"

size() { find "$work/bucket" -path "*/$1/*" -type f -printf '%s\n' | awk '{ n += $1 } END { printf "%.2f MB in %d", n / 1e6, NR }'; }
report() { echo "$1: $(size packs) packs, $(size trees) trees, $(size refs) manifests"; }

i=0
: >"$work/rows"
while read -r commit; do
    /usr/bin/time -f '%U %S' -o "$work/time" "$program" publish --json --ref "$commit" --as "branch-$i" --path "$repository" >"$work/row.json" 2>"$work/log"
    jq -r --arg cpu "$(awk '{ print $1 + $2 }' "$work/time")" '[.new_contents, .bytes_written, .requests, $cpu] | @tsv' "$work/row.json" >>"$work/rows"
    [ $i -gt 0 ] || report "first"
    i=$((i + 1))
done <"$work/order"
report "all $i"
tail -n +2 "$work/rows" | awk '{ new += $1; bytes += $2; requests += $3; cpu += $4 }
    END { printf "each after the first: %.1f new contents, %.0f bytes, %.1f requests, %.2f s of CPU\n", new / NR, bytes / NR, requests / NR, cpu / NR }'

# Distinct blobs, with their sizes.
blobs() { git -C "$repository" ls-tree -r -l "$1" | awk '$2 == "blob" { print $3, $4 }'; }
blobs "$(head -1 "$work/order")" | sort -u >"$work/first-blobs"
while read -r commit; do blobs "$commit"; done <"$work/order" | sort -u >"$work/all-blobs"
awk '{ n += $2 } END { printf "text of the first: %.2f MB in %d\n", n / 1e6, NR }' "$work/first-blobs"
comm -13 "$work/first-blobs" "$work/all-blobs" | awk '{ n += $2 } END { printf "text that others add: %.2f MB in %d\n", n / 1e6, NR }'
