--- expect: file_path_invalid 3:92
--- expect: argument_type 4:92
--- expect: file_path_invalid 6:37
--- document
{"instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/filer.tool", "arguments": {"file": "/a/b.txt"}},
  {"execution_id": "b", "tool_definition_path": "/tools/filer.tool", "arguments": {"file": "b.txt"}},
  {"execution_id": "c", "tool_definition_path": "/tools/filer.tool", "arguments": {"file": 5}}],
  "responses": [{"name": "out", "type_name": "file"}],
  "response_reference_map": {"out": "/../x"}}
