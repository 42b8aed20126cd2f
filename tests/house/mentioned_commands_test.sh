#!/bin/sh
# Commands that the pages mention in the middle of a sentence (`catena show ID --failed`), and in synopses, exist: the command, its verb and each long flag, as
# completion knows them from the parser. What pages show as commands to type is run as it stands there by printed_commands_test.sh and page_test.sh.
#   mentioned_commands_test.sh CATENA ROOT
set -eu
catena=$(realpath "$1")
root=$2
cd "$root"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset CATENA_CONFIG CATENA_TOOLS XDG_CONFIG_HOME || true
HOME=$scratch "$catena" completion bash >"$scratch/completion"
pages=$(find README.md CONTRIBUTING.md SECURITY.md docs examples deploy clients -name '*.md' ! -path 'docs/adr/*' ! -path 'docs/commands.md' | sort)
# a line a mention: PAGE COMMAND WORDS...
for page in $pages; do
  { grep -o '`catena [^`]*`' "$page" | tr -d '`'; sed -n 's/^    \(catena .*\)/\1/p;s/^    \$ \(catena .*\)/\1/p' "$page"; } | sed "s|^|$page |"
done >"$scratch/mentions"
awk -v completion="$scratch/completion" '
  BEGIN {
    while ((getline line <completion) > 0) {
      if (match(line, /^    [a-z]+\) flags="/)) {
        name = line; sub(/^ */, "", name); sub(/\).*/, "", name)
        flags[name] = line; sub(/.*flags="/, "", flags[name]); sub(/".*/, "", flags[name]); flags[name] = " " flags[name] " --color --help "
        verbs[name] = line; sub(/.*verbs="/, "", verbs[name]); sub(/".*/, "", verbs[name]); verbs[name] = " " verbs[name] " "
      }
    }
  }
  {
    command = $3
    if (command ~ /^(COMMAND|VERB|-|…|\.\.\.|--help|--version)/ || command == "") next
    seen++
    sub(/[,;.:]$/, "", command)
    if (!(command in flags)) { print $1 ": there is no command `catena " command "`"; wrong = 1; next }
    # `tools` has a verb, and takes the names of tools as well
    if (verbs[command] != "  " && command != "tools" && $4 ~ /^[a-z]+$/ && index(verbs[command], " " $4 " ") == 0) { print $1 ": there is no `catena " command " " $4 "`"; wrong = 1 }
    for (at = 4; at <= NF; at++) {
      if ($at == "|" || $at == "&&" || $at == "#" || $at == ";") break
      flag = $at
      gsub(/[\[\]|,;)]+.*$/, "", flag); sub(/^\[/, "", $at); if (flag == "") flag = $at
      sub(/[=\]].*/, "", flag)
      if (flag ~ /^--[a-z]/ && index(flags[command], " " flag " ") == 0) { print $1 ": `catena " command "` has no " flag; wrong = 1 }
    }
  }
  END {
    if (seen < 150) { print "only " seen " commands were found"; wrong = 1 }
    exit wrong
  }' "$scratch/mentions" >&2
