#!/bin/sh
# One word, one meaning: docs/glossary.md explains each word once, and no word of tests/house/banned_words.txt stands where people read.
#   glossary_test.sh ROOT
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/breaches"

# A row may explain several words, with commas between them; what stands in brackets behind a word is not a part of it.
sed -n 's/^| *\([^|]*[^| ]\) *|.*/\1/p' docs/glossary.md | grep -vE '^(word|-+)$' | tr ',' '\n' | sed 's/([^)]*)//; s/^ *//; s/ *$//' | tr '[:upper:]' '[:lower:]' >"$scratch/words"
[ "$(wc -l <"$scratch/words")" -ge 80 ] || echo "docs/glossary.md has fewer words than it had" >>"$scratch/breaches"
sort "$scratch/words" | uniq -d | sed 's/^/docs\/glossary.md explains twice: /' >>"$scratch/breaches"

# Pages without names of files and commands; the page that compares catena with others, and the names of others, may say their words.
for page in README.md CONTRIBUTING.md docs/*.md; do
  [ "$page" != docs/coming-from.md ] || continue
  awk -v page="$page" '/^ *```/ { code = !code } !code && !/^    / { gsub(/`[^`]*`/, ""); gsub(/Argo Workflows/, ""); print page ":" NR ": " $0 }' "$page"
done >"$scratch/texts"
# What the program says: the string literals of its sources, without those of raw text.
grep -nE '"' --include='*.cpp' -r base config lang engine storage link actors worker coordinator client api cli |
  sed -nE 's#^([^:]*:[0-9]*):[^/"]*(//.*)?$##; s#^([^:]*:[0-9]*):[^"]*(".*")[^"]*$#\1: \2#p' >>"$scratch/texts"
[ "$(wc -l <"$scratch/texts")" -ge 5000 ] || echo "too few texts were found for this test to mean something" >>"$scratch/breaches"

grep -vE '^(#|$)' tests/house/banned_words.txt | sed -E 's/ {2,}/\t/' >"$scratch/banned"
while IFS="$(printf '\t')" read -r word instead; do
  grep -iwE -- "$word" "$scratch/texts" | grep -iE -- "^[^:]*:[^:]*:.*\b($word)\b" | sed "s/\$/  <- say: $instead/" >>"$scratch/breaches" || true
done <"$scratch/banned"

if [ -s "$scratch/breaches" ]; then
  cat "$scratch/breaches" >&2
  exit 1
fi
