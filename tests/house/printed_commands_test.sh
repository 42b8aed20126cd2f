#!/bin/sh
# Every command that a page prints behind "    $ " works as printed: from a clean home, in a copy of the examples and clients, with catena on PATH. What stands behind two
# spaces and # is a remark; "exits with N" in it is what is expected, 0 otherwise. Pages whose commands stand in ```sh blocks have page_test.sh.
#   printed_commands_test.sh CATENA ROOT COMMANDS-AT-LEAST PAGE...
set -eu
catena=$(realpath "$1")
root=$2
least=$3
shift 3
# A network of its own, so that the ports of the page are free.
if [ -z "${CATENA_PAGE_INSIDE:-}" ]; then
  unshare -rn true 2>/dev/null || { echo "this needs network namespaces" >&2 && exit 77; }
  CATENA_PAGE_INSIDE=1 exec unshare -rn -- sh -c 'ip link set lo up && exec "$@"' sh "$0" "$catena" "$root" "$least" "$@"
fi
unset CATENA_PAGE_INSIDE CATENA_CONFIG CATENA_TOOLS CATENA_DATA_DIR XDG_CONFIG_HOME XDG_STATE_HOME 2>/dev/null || true
scratch=$(mktemp -d)
mkdir "$scratch/bin" "$scratch/home" "$scratch/work"
ln -s "$catena" "$scratch/bin/catena"
cp -r "$root/examples" "$root/clients" "$root/README.md" "$scratch/work"
cat >"$scratch/run.sh" <<'HEAD'
behind=
trap 'kill $behind 2>/dev/null; wait' EXIT
failures=0
came() { [ "$1" -eq "$2" ] || { failures=$((failures + 1)); printf -- '--- exits with %s and not %s: %s\n' "$1" "$2" "$3" >&2; tail -n 20 "$OUT" >&2; }; }
HEAD
count=0
for page in "$@"; do
  # each page begins in the same folder, in a clean home, and with nothing behind it
  echo 'cd "$WORK"; kill $behind 2>/dev/null; wait; behind=; unset CATENA_CLUSTER__ADDRESS; rm -rf "$HOME"; mkdir "$HOME"' >>"$scratch/run.sh"
  sed -n 's/^    \$ //p' "$root/$page" | grep -v '^alias ' >"$scratch/commands" || true
  while IFS= read -r line; do
    count=$((count + 1))
    expected=$(printf '%s\n' "$line" | sed -n 's/.*  #.* exits with \([0-9]*\).*/\1/p;s/.*  # exits with \([0-9]*\).*/\1/p' | head -1)
    command=$(printf '%s\n' "$line" | sed 's/  *  # .*$//')
    printf '{ %s\n} >"$OUT" 2>&1 </dev/null; came $? %s %s\n' "$command" "${expected:-0}" "'$(printf '%s' "$command" | sed "s/'/'\\\\''/g")'" >>"$scratch/run.sh"
    # A person at a terminal is slower than the start of a coordinator.
    case $command in
      *"coordinator &") printf 'behind="$behind $!"; until catena nodes --cluster 127.0.0.1:7420 >/dev/null 2>&1; do kill -0 $! || break; done\n' >>"$scratch/run.sh" ;;
      *"&") printf 'behind="$behind $!"\n' >>"$scratch/run.sh" ;;
    esac
  done <"$scratch/commands"
done
echo '[ "$failures" -eq 0 ]' >>"$scratch/run.sh"
[ "$count" -ge "$least" ] || { echo "only $count commands were found" >&2 && exit 1; }
status=0
(cd "$scratch/work" && WORK="$scratch/work" OUT="$scratch/out" HOME="$scratch/home" PATH="$scratch/bin:$PATH" sh "$scratch/run.sh") || status=$?
rm -rf "$scratch"
exit "$status"
