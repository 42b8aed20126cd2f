#!/bin/sh
# The commands of a page of docs/, in order, print what the page says. A block ```sh is run; a block ```text right behind it is what it prints, stdout and
# stderr together, line by line, where "…" stands for anything and a line of it alone for any line, or for none at the end.
#   page_test.sh CATENA ROOT [PAGE]
set -eu
root=$2
page=${3:-$root/docs/tutorial.md}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/blocks" "$scratch/work" "$scratch/bin"
ln -s "$(realpath "$1")" "$scratch/bin/catena"
unset CATENA_CONFIG CATENA_TOOLS XDG_CONFIG_HOME || true
export PATH="$scratch/bin:$PATH" HOME="$scratch/home" CATENA_DATA_DIR="$scratch/data" CATENA_SOURCE="$root"

awk -v folder="$scratch/blocks" '
  /^```sh$/ { count++; file = sprintf("%s/%03d.sh", folder, count); kind = "sh"; next }
  /^```text$/ && after { file = sprintf("%s/%03d.expected", folder, count); printf "" >file; kind = "text"; next }
  /^```/ { after = kind == "sh"; if (file != "") close(file); file = ""; kind = ""; next }
  file != "" { print >file; next }
  { after = 0 }' "$page"

# fits EXPECTED GOT
fits() { awk -v expected_file="$1" -v got_file="$2" -f "$root/tests/house/fits.awk"; }

failures=0
cd "$scratch/work"
for block in "$scratch"/blocks/*.sh; do
  output=${block%.sh}.out
  status=0
  sh -eu "$block" >"$output" 2>&1 || status=$?
  expected=${block%.sh}.expected
  if [ "$status" -ne 0 ]; then
    echo "exit code $status" >>"$output"
  elif [ ! -e "$expected" ] || fits "$expected" "$output"; then
    continue
  fi
  failures=$((failures + 1))
  printf -- '--- this block\n%s\n--- prints\n%s\n--- and should print\n%s\n' "$(cat "$block")" "$(cat "$output")" "$(cat "$expected" 2>/dev/null || true)" >&2
done
blocks=$(find "$scratch/blocks" -name '*.sh' | wc -l)
[ "$blocks" -ge "${CATENA_TUTORIAL_BLOCKS:-15}" ] || { echo "only $blocks blocks were found" >&2; failures=$((failures + 1)); }
[ "$failures" -eq 0 ]
