#!/bin/sh
# What a page names is there: the files of its links, the paths of the tree and the members of the code in `backticks`, and the tests that
# docs/invariants.md says hold a rule.
#   names_test.sh ROOT
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/breaches"
breach() { echo "$*" >>"$scratch/breaches"; }

find . -name '*.md' -not -path './build*' -not -path './.git/*' -not -path '*/node_modules/*' | sed 's#^\./##' | sort >"$scratch/pages"
[ "$(wc -l <"$scratch/pages")" -ge 40 ] || breach "too few pages were found for this test to mean something"
# every word of the code, once
grep -rhoE --include='*.hpp' --include='*.cpp' '[A-Za-z_][A-Za-z0-9_]*' base config lang engine storage link actors worker coordinator client api cli tests | sort -u >"$scratch/words"
while read -r page; do
  for link in $(grep -oE '\]\([^)#: ]+[)#]' "$page" | sed 's/^](//; s/[)#]$//'); do
    [ -e "$(dirname "$page")/$link" ] || breach "$page links to $link, which is not there"
  done
  # a name may leave out the suffix, or end in a star
  for name in $(grep -oE '`(base|config|lang|engine|storage|link|actors|worker|coordinator|client|clients|cli|tests|deploy|docs|cmake)/[A-Za-z0-9_./*-]*`' "$page" | tr -d '`' | sort -u); do
    case $name in *_test | tests/*) at=tests/${name#tests/} ;; *) at=$name ;; esac
    for found in "$at" "$(dirname "$page")/$at" $at* "tests/$name"*; do
      [ ! -e "$found" ] || continue 2
    done
    [ -n "$(find "tests/${name%%/*}" -name "${name##*/}.cpp" 2>/dev/null | head -1)" ] || breach "$page names $name, which is not there"
  done
  # members of the code: `Type::member`, `namespace::name`
  for name in $(grep -oE '`[A-Za-z_]+(::[A-Za-z_]+)+(\([^`]*)?`' "$page" | sed 's/(.*//; s/.*:://' | tr -d '`' | sort -u); do
    grep -qxF -- "$name" "$scratch/words" ||
      case $name in unique | rotate | expected | regex) ;; *) breach "$page names $name, which is not in the code" ;; esac
  done
done <"$scratch/pages"

if [ -s "$scratch/breaches" ]; then
  cat "$scratch/breaches" >&2
  exit 1
fi
