#!/bin/sh
# docs/commands.md has what the binary's own help says, command by command.
#   commands_test.sh CATENA ROOT [--write]
set -eu
catena=$1
root=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset CATENA_CONFIG CATENA_TOOLS XDG_CONFIG_HOME || true
export HOME="$scratch/home"

# the names under a heading of groups: what stands behind two spaces at the beginning of a line
names() { "$catena" "$@" --help | awk '/^(Subcommands|Run|Look|Control|Write|Cluster|Data):$/ { on = 1; next } /^[^ ]|^$/ { on = 0 } on && /^  [a-z]/ { print $1 }'; }

block() { printf '\n```text\n' && "$catena" "$@" --help | sed 's/ *$//' | awk 'NF { for (; blank > 0; blank--) print ""; print; next } { blank++ }' && printf '```\n'; }

page() {
  cat <<'HEAD'
# Commands

What `catena --help` and `catena COMMAND --help` say, in one place to search. This page is made from the binary by `tests/house/commands_test.sh CATENA ROOT --write`, and a test keeps it so.
Examples stand in the [tutorial](tutorial.md); what the codes of errors mean in [errors](errors.md); what to do when something goes wrong in [troubleshooting](troubleshooting.md).

`-o FORMAT` means the same with every command that prints records: `table` (with more columns `wide`) or `text` for people, `json` or `jsonl` an object a line, `yaml`, and `name` for
names alone, one a line: `catena list --status failed -o name | xargs -n1 catena retry`. A form that a command does not have is refused, and the refusal names those that it has.
HEAD
  block
  for command in $(names); do
    printf '\n## %s\n' "$command"
    block "$command"
    for verb in $(names "$command"); do
      printf '\n### %s %s\n' "$command" "$verb"
      block "$command" "$verb"
    done
  done
}

page >"$scratch/commands.md"
[ "$(grep -c '^## ' "$scratch/commands.md")" -ge 25 ] || { echo "too few commands were found for this test to mean something" >&2 && exit 1; }
if [ "${3:-}" = --write ]; then
  cp "$scratch/commands.md" "$root/docs/commands.md"
elif ! diff -u "$root/docs/commands.md" "$scratch/commands.md" >&2; then
  echo "docs/commands.md is not what the binary says; tests/house/commands_test.sh CATENA ROOT --write makes it anew" >&2
  exit 1
fi
