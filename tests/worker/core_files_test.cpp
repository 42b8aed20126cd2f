// The core tools over the file store.
#include "core_stage.hpp"

namespace catena::worker::test {
namespace {

/// The same file again and again would be the same attempt: each put is a step of its own.
Json put(CoreStage& stage, const std::string& path, const Json& content, const Json& more = Json::object()) {
  static int step = 0;
  stage.task.key = "chain/put-" + std::to_string(++step);
  Json arguments{{"file_path", path}, {"content", content}};
  arguments.update(more);
  return stage.answer("put_file", arguments);
}

}  // namespace

TEST_CASE("put_file puts a version and tells its attributes; describe_file tells the same") {
  CoreStage stage;
  const auto version = put(stage, "/a//b.txt", "x\n", {{"metadata", {{"k", 1}}}, {"owner", "ada"}, {"group", "staff"}});
  CHECK(version["path"] == "/a/b.txt");
  CHECK(version["file_name"] == "b.txt");
  CHECK(version["parent_directory"] == "/a");
  CHECK(version["version_id"] == "v1");
  CHECK(version["size"] == 2);
  CHECK(version["added_on"] == iso8601(stage.clock.now()));
  CHECK(version["metadata"] == Json{{"k", 1}});
  CHECK(version["owner"] == "ada");
  CHECK(version["group"] == "staff");
  auto described = stage.answer("describe_file", {{"file_path", "/a/b.txt"}});
  for (const auto& [key, value] : described.items()) CHECK(version[key] == value);
  CHECK(put(stage, "/top", "")["parent_directory"] == "/");
}

TEST_CASE("put_file made again by the same attempt makes no second version, another step does") {
  CoreStage stage;
  const Json arguments{{"file_path", "/a"}, {"content", "x"}};
  CHECK(stage.answer("put_file", arguments)["version_id"] == "v1");
  stage.task.attempt = 2;
  CHECK(stage.answer("put_file", arguments)["version_id"] == "v1");
  stage.task.key = "chain/other";
  CHECK(stage.answer("put_file", arguments)["version_id"] == "v2");
  CHECK(stage.answer("list_file_versions", {{"file_path", "/a"}})["count"] == 2);
}

TEST_CASE("put_file writes what is no text as JSON") {
  CoreStage stage;
  put(stage, "/o.json", {{"b", {1, 2}}});
  CHECK(stage.files.read("/o.json", "").value() == "{\n  \"b\": [\n    1,\n    2\n  ]\n}\n");
  CHECK(stage.code("put_file", {{"file_path", "relative"}, {"content", "x"}}) == "file_path_invalid");
  CHECK(stage.code("put_file", {{"file_path", "/a"}}) == "argument_missing");
  CHECK(stage.code("put_file", {{"file_path", "/../a"}, {"content", "x"}}) == "file_path_invalid");
  CHECK(stage.error("list_directory", {{"directory_path", "x/../a"}}).message.starts_with("builtin 'list_directory': argument 'directory_path': "));
}

TEST_CASE("delete_file tells whether there was one, and leaves its versions") {
  CoreStage stage;
  put(stage, "/a", "x");
  CHECK(stage.answer("delete_file", {{"file_path", "/a"}}) == Json{{"path", "/a"}, {"deleted", true}});
  CHECK(stage.answer("delete_file", {{"file_path", "/a"}})["deleted"] == false);
  CHECK(stage.code("describe_file", {{"file_path", "/a"}}) == "file_not_found");
  CHECK(stage.answer("describe_file_version", {{"file_path", "/a"}, {"version_id", "v1"}})["size"] == 1);
}

TEST_CASE("delete_directory deletes what is below, and not the whole store") {
  CoreStage stage;
  for (const auto* path : {"/d/1", "/d/e/2", "/dd", "/x"}) put(stage, path, "x");
  CHECK(stage.answer("delete_directory", {{"directory_path", "/d/"}}) == Json{{"path", "/d"}, {"deleted_count", 2}});
  CHECK(stage.answer("describe_file", {{"file_path", "/dd"}})["size"] == 1);
  CHECK(stage.code("delete_directory", {{"directory_path", "/"}}) == "field_value");
  CHECK(stage.code("delete_directory", {{"directory_path", "/./"}}) == "field_value");
  CHECK(stage.answer("delete_directory", {{"directory_path", "/d"}})["deleted_count"] == 0);
}

TEST_CASE("list_directory lists a directory by path, with a pattern and a limit") {
  CoreStage stage;
  for (const auto* path : {"/d/b.txt", "/d/a.txt", "/d/c.md", "/d/e/x.txt"}) put(stage, path, "x");
  const auto all = stage.answer("list_directory", {{"directory_path", "/d"}});
  CHECK(all["count"] == 3);
  CHECK(all["truncated"] == false);
  CHECK(all["files"][0]["path"] == "/d/a.txt");
  CHECK(all["files"][0]["version_id"] == "v1");
  CHECK(stage.answer("list_directory", {{"directory_path", "/d"}, {"pattern", "*.txt"}})["count"] == 2);
  const auto two = stage.answer("list_directory", {{"directory_path", "/d"}, {"limit", 2}});
  CHECK(two["count"] == 2);
  CHECK(two["truncated"] == true);
  CHECK(stage.answer("list_directory", {{"directory_path", "/d"}, {"limit", 3}})["truncated"] == false);
  CHECK(stage.answer("list_directory", {{"directory_path", "/none"}})["count"] == 0);
  CHECK(stage.code("list_directory", {{"directory_path", "/d"}, {"limit", 0}}) == "field_value");
}

TEST_CASE("versions are listed newest first and described one by one") {
  CoreStage stage;
  put(stage, "/a", "1");
  stage.clock.advance(Millis{5});
  put(stage, "/a", "22");
  const auto versions = stage.answer("list_file_versions", {{"file_path", "/a"}});
  CHECK(versions["count"] == 2);
  CHECK(versions["versions"][0]["version_id"] == "v2");
  CHECK(versions["versions"][1]["size"] == 1);
  CHECK(stage.answer("describe_file_version", {{"file_path", "/a"}, {"version_id", "v1"}}) == versions["versions"][1]);
  const auto missing = stage.error("describe_file_version", {{"file_path", "/a"}, {"version_id", "v9"}});
  CHECK(missing.code == Code::file_version_not_found);
  CHECK(missing.message == "builtin 'describe_file_version': argument 'version_id': '/a' has no version 'v9'");
  CHECK(stage.code("list_file_versions", {{"file_path", "/none"}}) == "file_not_found");
}

TEST_CASE("combine_content joins texts and files, with headers") {
  CoreStage stage;
  put(stage, "/a.txt", "A");
  put(stage, "/b.txt", "B1");
  put(stage, "/b.txt", "B2");
  CHECK(stage.answer("combine_content", {{"parts", {"x", nullptr, 1.5, {{"text", "y"}}, {{"file_path", "/a.txt"}}}},
                                         {"file_paths", {"/b.txt", nullptr}}}) == Json{{"text", "x\n1.5\ny\nA\nB2"}, {"count", 5}, {"size", 12}});
  CHECK(stage.answer("combine_content", {{"file_paths", {"/a.txt", "/b.txt"}},
                                         {"separator", ""},
                                         {"header", "{{ index }}:{{ file_name }} {{ version_id }}="}})["text"] == "1:a.txt v1=A2:b.txt v2=B2");
  CHECK(stage.answer("combine_content", {{"parts", {{{"file_path", "/b.txt"}, {"version_id", "v1"}}, "t"}}, {"header", "[{{ path }}]"}})["text"] ==
        "[/b.txt]B1\n[]t");
  CHECK(stage.answer("combine_content", Json::object()) == Json{{"text", ""}, {"count", 0}, {"size", 0}});
}

TEST_CASE("combine_content says which part is wrong") {
  CoreStage stage;
  CHECK(stage.error("combine_content", {{"parts", {"x", Json::array()}}}).message ==
        "builtin 'combine_content': argument 'parts[1]' must be a text, or an object with one of text and file_path");
  CHECK(stage.code("combine_content", {{"parts", {{{"text", "a"}, {"file_path", "/b"}}}}}) == "argument_type");
  CHECK(stage.error("combine_content", {{"file_paths", {"/none"}}}).message ==
        "builtin 'combine_content': argument 'file_paths[0]': there is no file '/none'");
  CHECK(stage.code("combine_content", {{"file_paths", {3}}}) == "argument_type");
  CHECK(stage.code("combine_content", {{"parts", {"a"}}, {"header", "{{ nane }}"}}) == "variable_unknown");
  CHECK(stage.code("combine_content", {{"parts", {"a"}}, {"header", "{{"}}) == "expression_syntax");
  stage.options.output_bytes_max = 10;
  CHECK(stage.code("combine_content", {{"parts", {"12345", "67890"}}}) == "tool_output_too_large");
}

TEST_CASE("without a file store every tool that needs one says so") {
  CoreStage stage;
  stage.options.files = nullptr;
  CHECK(stage.code("put_file", {{"file_path", "/a"}, {"content", "x"}}) == "feature_unavailable");
  for (const auto* tool : {"delete_file", "describe_file", "list_file_versions"})
    CHECK(stage.code(tool, {{"file_path", "/a"}}) == "feature_unavailable");
  for (const auto* tool : {"delete_directory", "list_directory"}) CHECK(stage.code(tool, {{"directory_path", "/a"}}) == "feature_unavailable");
}

}  // namespace catena::worker::test
