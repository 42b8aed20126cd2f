#!/bin/bash
# What docs/architecture.md ("Where a change goes") says is enough: in a copy of the tree a function, an operator, a builtin, a command and an error code are
# added where the table says, and a program built from that copy has all five. Only the units that were touched are compiled, with the commands of the
# build directory; the rest is linked from there. The copy lies at the same place each time, so that ccache knows the units.
#   extension_test.sh ROOT BUILD
set -euo pipefail
root=$1
build=$2
scratch=$build/extension
tree=$scratch/tree
layers='base|config|lang|engine|storage|link|actors|worker|coordinator|client|api|cli'

die() {
  echo "$*" >&2
  exit 1
}

# a build that has not got a link command to repeat is one of another generator
command -v ninja >/dev/null && [ -e "$build/build.ninja" ] && [ -e "$build/catena" ] || exit 77

rm -rf "$tree" "$scratch/objects"
mkdir -p "$tree" "$scratch/objects" "$scratch/archives"
for layer in ${layers//|/ }; do cp -r "$root/$layer" "$tree/"; done
touched=()

# The table names the file, or this test touches what the table does not say.
named() {
  awk '/^## Where a change goes/ { on = 1; next } /^## / { on = 0 } on' "$root/docs/architecture.md" >"$scratch/table"
  grep -F "| $1 |" "$scratch/table" >"$scratch/row" || true
  grep -qF "\`$2\`" "$scratch/row" ||
    die "docs/architecture.md does not say that $1 touches $2"
}

# after KIND FILE PATTERN TEXT: puts TEXT behind the first line that fits; before: ahead of the last one
after() {
  named "$1" "$2"
  awk -v pattern="$3" -v text="$4" '{ print } !done && $0 ~ pattern { print text; done = 1 } END { exit !done }' "$tree/$2" >"$scratch/patched" ||
    die "$2 has no line like $3"
  cp "$scratch/patched" "$tree/$2"
  if [[ $2 == *.cpp ]]; then touched+=("$2"); fi
}
before() {
  local last
  last=$(grep -nE "$3" "$tree/$2" | tail -1 | cut -d: -f1)
  [ -n "$last" ] || die "$2 has no line like $3"
  named "$1" "$2"
  awk -v last="$last" -v text="$4" 'NR == last { print text } { print }' "$tree/$2" >"$scratch/patched"
  cp "$scratch/patched" "$tree/$2"
  if [[ $2 == *.cpp ]]; then touched+=("$2"); fi
}

# ---- the five ----------------------------------------------------------------------------------------------------------

after "a function of expressions" lang/fn/functions.cpp '^constexpr std::array kFunctions\{' \
  '    FnSpec{"probe_double", {need("n")}, Rest::none, Purity::pure, "twice a number", "probe_double(2)", "4", probe_double},'
after "a function of expressions" lang/fn/families.hpp '^// numbers.cpp' 'Result<Value> probe_double(Invocation& call);'
before "a function of expressions" lang/fn/numbers.cpp '^}  // namespace catena::lang::fn' '
Result<Value> probe_double(Invocation& call) {
  const auto number = call.integer(0);
  if (!number) return fail(number.error());
  return call.number(add(Json(*number), Json(*number)));
}
'

after "a condition operator" lang/op/operators.cpp '^constexpr std::array kOperators\{' \
  '    Operator{"probe_longer", true, "param is a longer text than value", probe_longer},'
before "a condition operator" lang/op/operators.cpp '^constexpr std::array kOperators\{' \
  'bool probe_longer(const Json& param, const Json& value, std::string& /*warning*/) { return param.dump().size() > value.dump().size(); }
'

after "a builtin" worker/executors/builtin.cpp '^constexpr std::array kBuiltins\{' \
  '    Builtin{"a_probe", "answers", {}, {}, &builtin::probe_answer, true},'
after "a builtin" worker/executors/builtin_functions.hpp '^namespace catena::worker::builtin' '[[nodiscard]] Result<lang::JsonText> probe_answer(const Task& task, const BuiltinContext& around);'
before "a builtin" worker/executors/builtin_values.cpp '^}  // namespace catena::worker::builtin' '
Result<lang::JsonText> probe_answer(const Task& /*task*/, const BuiltinContext& /*around*/) { return lang::JsonText{R"({"answer":42})"}; }
'

after "a command" cli/command.cpp '^constexpr std::array kCommands\{' '    Command{"probe", "Look", "say that it is there", define_probe},'
after "a command" cli/commands/commands.hpp '^namespace catena::cli' 'Action define_probe(CLI::App& app);'
named "a command" cli/commands/
cat >"$tree/cli/commands/probe.cpp" <<'CPP'
#include "cli/commands/commands.hpp"

namespace catena::cli {

Action define_probe(CLI::App&) {
  return [](Console& console) {
    console.out().line("probed");
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
CPP

# Ahead of the last code, as the table of codes asks. What is not compiled anew has the last one's old number; nothing here ends with it.
before "an error code" base/error.hpp '^  internal,$' '  probe_code,'
before "an error code" base/error.cpp '\{internal, ' '      {probe_code, "probe_code", false, "a probe"},'

# ---- compile and link --------------------------------------------------------------------------------------------------

launcher=""
if command -v ccache >/dev/null; then
  launcher=ccache
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
fi
jq -r '.[] | select(.command | test("/(alone_with_[a-z_]+|headers_alone)[.]dir/") | not) | select(.command | test("/(catena_[a-z]+)[.]dir/")) | [.file, .command] | @tsv' \
  "$build/compile_commands.json" >"$scratch/commands"
cut -f1 "$scratch/commands" >"$scratch/files"

# unit SOURCE: the file that is given to the compiler for it, itself or a unit that includes it
unit() {
  # of files, not of pipes: grep -q does not read to the end, and whoever writes to it then fails
  if grep -qxF "$root/$1" "$scratch/files"; then
    echo "$root/$1"
  else
    grep '/Unity/' "$scratch/files" | xargs grep -lF "\"$root/$1\"" >"$scratch/unit" || true
    head -1 "$scratch/unit"
  fi
}

# compile UNIT SOURCE OBJECT: SOURCE of the copy as the build directory compiles UNIT
compile() {
  local command
  command=$(awk -F'\t' -v unit="$1" '$1 == unit { print $2; exit }' "$scratch/commands" | sed 's/\\\\/\\/g')
  command=$(sed -E "s# -I$root # -I$tree #; s# -o [^ ]+# -o $3#; s# -c [^ ]+# -c $2#" <<<"$command")
  (cd "$build" && eval "$launcher $command")
}

archive_of() { sed -E 's#.* -o ([a-z/]+)/CMakeFiles/(catena_[a-z]+)\.dir/.*#\1/lib\2.a#' <<<"$1"; }

units=$(for source in "${touched[@]}"; do unit "$source"; done | sort -u)
link=$(ninja -C "$build" -t commands catena | tail -1)
jobs=()
for one in $units; do
  command=$(awk -F'\t' -v unit="$one" '$1 == unit { print $2; exit }' "$scratch/commands")
  archive=$(archive_of "$command")
  object=$(basename "$(sed -E 's#.* -o ([^ ]+) .*#\1#' <<<"$command")")
  mkdir -p "$scratch/objects/$archive"
  source=$scratch/objects/$archive/$(basename "$one")
  if [[ $one == */Unity/* ]]; then
    sed -E "s#\"$root/($layers)/#\"$tree/\1/#" "$one" >"$source"
  else
    source=$tree${one#"$root"}
  fi
  compile "$one" "$source" "$scratch/objects/$archive/$object" &
  jobs+=($!)
  if ((${#jobs[@]} % 2 == 0)); then wait "${jobs[@]: -2:1}" || die "$one does not compile"; fi
done
model=$(unit cli/command.cpp)
mkdir -p "$scratch/objects/cli/libcatena_cli.a"
compile "$model" "$tree/cli/commands/probe.cpp" "$scratch/objects/cli/libcatena_cli.a/probe.cpp.o" &
jobs+=($!)
for job in "${jobs[@]}"; do wait "$job" || die "what was added does not compile"; done

for archive in $(cd "$scratch/objects" && find . -name 'lib*.a' -type d | sed 's#^\./##'); do
  cp "$build/$archive" "$scratch/archives/$(basename "$archive")"
  ar r "$scratch/archives/$(basename "$archive")" "$scratch/objects/$archive"/*.o 2>/dev/null
  link=${link//"$archive"/"$scratch/archives/$(basename "$archive")"}
done
link=$(sed -E "s# -o catena # -o $scratch/catena #" <<<"$link")
(cd "$build" && eval "$link")

# ---- all five are there ------------------------------------------------------------------------------------------------

failures=0
check() {
  [ "$2" = "$3" ] || {
    failures=$((failures + 1))
    printf '%s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3" >&2
  }
}
catena=$scratch/catena
export CATENA_DATA_DIR=$scratch/data
rm -rf "$CATENA_DATA_DIR"
check "a function" 42 "$("$catena" eval 'probe_double(21)' 2>&1)"
check "an operator" true "$("$catena" eval --conditions '{"context": {"a": {"b": "xx"}}, "conditions": [{"param": "REF:a.b", "operator": "probe_longer", "value": "x"}]}' 2>&1)"
cat >"$scratch/probe.tool" <<'TOOL'
{"arguments": [], "additional_arguments": true, "system_event_endpoint": "builtin:a_probe"}
TOOL
check "a builtin" 42 "$("$catena" run "$scratch/probe.tool" -q 2>&1 | jq -r .answer)"
check "a command" probed "$("$catena" probe 2>&1)"
check "an error code" 1 "$("$catena" errors | grep -c '^probe_code ')"
[ "$failures" -eq 0 ]
