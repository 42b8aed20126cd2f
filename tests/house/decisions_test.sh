#!/bin/sh
# Each decision of docs/adr says its number, its status, its date and how we would notice that it is wrong; the index has them all, in order.
#   decisions_test.sh ROOT
set -eu
cd "$1/docs/adr"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
breach() { echo "docs/adr/$page: $*" >>"$scratch/breaches"; }

: >"$scratch/breaches"
number=0
for page in [0-9]*.md; do
  number=$((number + 1))
  case $page in $(printf %04d "$number")-*) ;; *) breach "is not number $number: numbers follow each other, and none is there twice" ;; esac
  [ "$(head -1 "$page" | cut -d' ' -f1,2)" = "# $number." ] || breach "the title begins with another number"
  [ "$(grep -cE '^Status: (accepted|superseded by \[[0-9]+\]\([^)]+\))$' "$page")" = 1 ] || breach "one line says 'Status: accepted' or 'Status: superseded by [N](PAGE)'"
  [ "$(grep -cE '^Date: [0-9]{4}-[0-9]{2}-[0-9]{2}$' "$page")" = 1 ] || breach "one line says 'Date: YYYY-MM-DD'"
  for part in Context Decision Consequence 'We would notice that it is wrong'; do
    grep -qE "^\*\*$part\.?\*\*" "$page" || breach "has no part '$part'"
  done
  status=$(sed -n 's/^Status: //p' "$page")
  date=$(sed -n 's/^Date: //p' "$page")
  echo "| [$number]($page) | $(head -1 "$page" | cut -d' ' -f3-) | $status | $date |" >>"$scratch/rows"
done
page=README.md
[ "$number" -ge 18 ] || breach "there are fewer decisions than there were"
grep '^| \[' README.md | cmp -s - "$scratch/rows" || breach "does not list the decisions as they are; it should say:
$(cat "$scratch/rows")"

if [ -s "$scratch/breaches" ]; then
  cat "$scratch/breaches" >&2
  exit 1
fi
