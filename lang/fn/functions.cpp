#include "lang/fn/functions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/fn/families.hpp"

namespace catena::lang::fn {
namespace {

constexpr Param need(std::string_view name) { return {name, Takes::value, true, ""}; }
constexpr Param maybe(std::string_view name, std::string_view otherwise = "null") { return {name, Takes::value, false, otherwise}; }
constexpr Param each(std::string_view name) { return {name, Takes::per_item, true, ""}; }
constexpr Param maybe_each(std::string_view name) { return {name, Takes::per_item, false, "null"}; }

constexpr std::array kFunctions{
    // objects
    FnSpec{"get_object_property", {need("obj"), need("property_path")}, Rest::none, Purity::pure, "what a dotted path finds in an object or list",
           R"(get_object_property({a: [{b: 7}]}, "a.0.b"))", "7", get_object_property},
    FnSpec{"json_parse", {need("json_string")}, Rest::none, Purity::pure, "the value that a JSON text says", R"(json_parse("[1, {\"a\": null}]"))",
           R"([1,{"a":null}])", json_parse},
    FnSpec{"to_json", {need("value")}, Rest::none, Purity::pure, "a value as compact JSON text", "to_json({a: [1, 'x']})", R"("{\"a\":[1,\"x\"]}")",
           to_json},
    FnSpec{"create_object", {}, Rest::named, Purity::pure, "an object of the named arguments", "create_object(name='Ann', age=40)",
           R"({"name":"Ann","age":40})", create_object},
    FnSpec{"keys", {need("obj")}, Rest::none, Purity::pure, "the keys of an object, in alphabetical order", "keys({b: 1, a: 2})", R"(["a","b"])", keys},
    FnSpec{"values", {need("obj")}, Rest::none, Purity::pure, "the values of an object, in the order of its keys", "values({b: 1, a: 2})", "[2,1]", values},
    FnSpec{"merge", {}, Rest::positional, Purity::pure, "one object of several; of equal keys the last counts, null is the empty object",
           "merge({a: 1, b: 2}, {b: 3})", R"({"a":1,"b":3})", merge},
    // lists
    FnSpec{"map", {need("array"), each("template")}, Rest::none, Purity::pure, "a list of what the template says of each item",
           "map([{n: 1}, {n: 2}], 'item.n')", "[1,2]", map},
    FnSpec{"filter", {need("array"), each("condition_string")}, Rest::none, Purity::pure, "the items for which the condition holds",
           "filter([1, 5, 9], 'item > 3 and item < 8')", "[5]", filter},
    FnSpec{"group_by", {need("array"), each("key_path")}, Rest::none, Purity::pure, "an object of lists, one for each key; keys become text",
           "group_by([{t: 'a', n: 1}, {t: 'b', n: 2}], 'item.t')", R"({"a":[{"t":"a","n":1}],"b":[{"t":"b","n":2}]})", group_by},
    FnSpec{"sort", {need("array"), maybe_each("key_path"), maybe("direction", "\"asc\"")}, Rest::none, Purity::pure,
           "the list in order, equal items as they were; direction is asc or desc; mixed types are an error", "sort([3, 1, 2], direction='desc')", "[3,2,1]",
           sort},
    FnSpec{"unique", {need("array")}, Rest::none, Purity::pure, "the list without repetitions, first ones kept; 1 and 1.0 are the same",
           "unique(['a', 'b', 'a'])", R"(["a","b"])", unique},
    FnSpec{"flatten", {need("array")}, Rest::none, Purity::pure, "lists in the list give their elements; one level", "flatten([[1], 2, [3, [4]]])",
           "[1,2,3,[4]]", flatten},
    FnSpec{"length", {need("value")}, Rest::none, Purity::pure, "elements of a list, characters of a string, keys of an object; 0 of null", "length('häß')",
           "3", length},
    FnSpec{"count", {need("array"), maybe_each("condition_string")}, Rest::none, Purity::pure, "how many items there are, or for how many the condition holds",
           "count([1, 5, 9], 'item > 3')", "2", count},
    FnSpec{"first", {need("array")}, Rest::none, Purity::pure, "the first element; null of an empty list", "first([7, 8])", "7", first},
    FnSpec{"last", {need("array")}, Rest::none, Purity::pure, "the last element; null of an empty list", "last([7, 8])", "8", last},
    FnSpec{"concat", {}, Rest::positional, Purity::pure, "lists or strings, one after another; null is nothing", "concat([1], null, [2, 3])", "[1,2,3]", concat},
    FnSpec{"slice", {need("value"), need("start"), maybe("end")}, Rest::none, Purity::pure,
           "part of a list or string, from start up to but without end; negative counts from the end", "slice([1, 2, 3, 4], 1, -1)", "[2,3]", slice},
    FnSpec{"range", {need("start"), maybe("end"), maybe("step", "1")}, Rest::none, Purity::pure,
           "the integers from start up to but without end; with one argument, from 0 up to it", "range(2, 8, 3)", "[2,5]", range},
    FnSpec{"zip", {}, Rest::positional, Purity::pure, "a list of the first elements, one of the second …; as many as the shortest list has",
           "zip([1, 2], ['a', 'b', 'c'])", R"([[1,"a"],[2,"b"]])", zip},
    FnSpec{"contains", {need("collection"), need("value")}, Rest::none, Purity::pure, "whether a list has the member, a string the text, an object the key",
           "contains(['a', 'b'], 'b')", "true", contains},
    // text
    FnSpec{"join", {need("array"), maybe("separator", "\"\"")}, Rest::none, Purity::pure,
           "one string of the elements; objects with a name give it, null gives nothing", "join(['a', {name: 'b'}, 3], ', ')", R"("a, b, 3")", join},
    FnSpec{"split", {need("text"), need("separator")}, Rest::none, Purity::pure, "the pieces of a string between the separators", "split('a,b,', ',')",
           R"(["a","b",""])", split},
    FnSpec{"replace", {need("text"), need("search"), need("replacement")}, Rest::none, Purity::pure, "the string with every occurrence replaced",
           "replace('a-b-c', '-', '+')", R"("a+b+c")", replace},
    FnSpec{"lower", {need("text")}, Rest::none, Purity::pure, "the letters A to Z made small", "lower('AbC')", R"("abc")", lower},
    FnSpec{"upper", {need("text")}, Rest::none, Purity::pure, "the letters a to z made large", "upper('AbC')", R"("ABC")", upper},
    FnSpec{"trim", {need("text")}, Rest::none, Purity::pure, "without white space at both ends", R"(trim("  a b\n"))", R"("a b")", trim},
    FnSpec{"to_string", {need("value")}, Rest::none, Purity::pure, "a string as it is, anything else as JSON text", "to_string(12)", R"("12")", to_string},
    FnSpec{"regex_match", {need("text"), Param{"pattern", Takes::pattern, true, ""}}, Rest::none, Purity::pure,
           "whether the regular expression (RE2 syntax) matches somewhere in the text; anchor it with ^ and $", R"(regex_match("order-17", "-\\d+$"))", "true",
           regex_match},
    // numbers
    FnSpec{"sum", {need("array"), maybe_each("item_path")}, Rest::none, Purity::pure, "the numbers added up; true counts as 1, null as nothing",
           "sum([{n: 1}, {n: 2.5}], 'item.n')", "3.5", sum},
    FnSpec{"avg", {need("array"), maybe_each("item_path")}, Rest::none, Purity::pure, "the mean of the numbers that are there; null when there are none",
           "avg([1, 2, 6])", "3", avg},
    FnSpec{"min", {need("array"), maybe_each("item_path")}, Rest::none, Purity::pure, "the least value; null when there is none", "min([3, 1, 2])", "1", min},
    FnSpec{"max", {need("array"), maybe_each("item_path")}, Rest::none, Purity::pure, "the greatest value; null when there is none",
           "max(['a', 'c', 'b'])", R"("c")", max},
    FnSpec{"round", {need("number"), maybe("digits", "0")}, Rest::none, Purity::pure,
           "the nearest number with so many digits behind the point, an integer when there are none; halves away from zero", "round(2.345, 1)", "2.3", round},
    FnSpec{"abs", {need("number")}, Rest::none, Purity::pure, "the number without its sign", "abs(-3)", "3", abs},
    FnSpec{"to_number", {need("value")}, Rest::none, Purity::pure, "the number that a string says; true is 1", "to_number('2.5')", "2.5", to_number},
    // control
    FnSpec{"if", {need("condition"), need("true_value"), maybe("false_value")}, Rest::none, Purity::pure,
           "one of two values; only that one is evaluated; the strings false, 0, null and none count as false", "if('none', 'yes', 'no')", R"("no")", choose},
    FnSpec{"default", {need("value"), need("otherwise")}, Rest::none, Purity::pure, "the value, or the other one if it is null or a path finds nothing",
           "default(null, 3)", "3", fallback},
    FnSpec{"pipeline", {need("initial_value"), Param{"operations", Takes::operations, true, ""}}, Rest::none, Purity::pure,
           "the operations, one after another; `current` is what the one before returned", R"(pipeline("[1, 2]", [json_parse(current), sum(current)]))", "3",
           pipeline},
    // time
    FnSpec{"datetime_now", {maybe("format", "\"iso\"")}, Rest::none, Purity::reads_time, "the time of the evaluation, iso (UTC) or unix (seconds)",
           "datetime_now('unix')", "1767323045", datetime_now},
    // files
    FnSpec{"list_files", {need("directory_path"), maybe("pattern")}, Rest::none, Purity::reads_files, "the files of a directory, at most 50",
           "list_files('/data', '*.txt')", R"(["/data/a.txt"])", file_function},
    FnSpec{"list_file_versions", {need("file_path")}, Rest::none, Purity::reads_files, "all versions of a file", "list_file_versions('/data/a.txt')",
           R"([{"version_id":"v1"}])", file_function},
    FnSpec{"describe_version", {need("file_path"), maybe("version_id")}, Rest::none, Purity::reads_files, "what is known of a version of a file",
           "describe_version('/data/a.txt')", R"({"version_id":"v1"})", file_function},
    FnSpec{"read_file", {need("file_path"), maybe("version_id")}, Rest::none, Purity::reads_files, "the content of a file", "read_file('/data/a.txt')",
           R"("hello")", file_function},
    FnSpec{"read_files", {need("file_paths")}, Rest::none, Purity::reads_files, "the contents of at most 5 files", "read_files(['/data/a.txt'])", R"(["hello"])",
           file_function},
};

}  // namespace

std::span<const FnSpec> functions() { return kFunctions; }

const FnSpec* find_function(std::string_view name) {
  const auto row = std::ranges::find(kFunctions, name, &FnSpec::name);
  return row == kFunctions.end() ? nullptr : &*row;
}

const std::vector<std::string>& function_names() {
  static const auto names = [] {
    std::vector<std::string> made;
    for (const auto& row : kFunctions) made.emplace_back(row.name);
    return made;
  }();
  return names;
}

std::string signature(const FnSpec& spec) {
  std::vector<std::string> shown;
  for (const auto& param : spec.params()) shown.push_back(param.required ? std::string{param.name} : fmt::format("{}={}", param.name, param.fallback));
  if (spec.rest == Rest::positional) shown.emplace_back("*values");
  if (spec.rest == Rest::named) shown.emplace_back("**values");
  return fmt::format("{}({})", spec.name, fmt::join(shown, ", "));
}

}  // namespace catena::lang::fn
