--- expect: file_path_invalid 3:92 step 'b': tool 'filer': argument 'file': 'b.txt' is no path in the file store: it must begin with '/'
--- expect: argument_type 4:92 step 'c': tool 'filer': argument 'file' is of the type file, and 5 is not
--- expect: file_path_invalid 6:37 response_reference_map: response 'out': '/../x' is no path in the file store: it must not have '..' in it
--- document
{"instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/filer.tool", "arguments": {"file": "/a/b.txt"}},
  {"execution_id": "b", "tool_definition_path": "/tools/filer.tool", "arguments": {"file": "b.txt"}},
  {"execution_id": "c", "tool_definition_path": "/tools/filer.tool", "arguments": {"file": 5}}],
  "responses": [{"name": "out", "type_name": "file"}],
  "response_reference_map": {"out": "/../x"}}
