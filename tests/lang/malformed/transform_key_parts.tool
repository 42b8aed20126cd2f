--- expect: id_invalid 6:45 step 'use': transform_arguments: 'a..b' has an empty part; a dot stands between the names of nested fields
--- expect: id_invalid 6:58 step 'use': transform_arguments: '.c' has an empty part; a dot stands between the names of nested fields
--- expect: id_invalid 6:69 step 'use': transform_arguments: 'd.' has an empty part; a dot stands between the names of nested fields
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"transforms": {"a..b": "1", ".c": "1", "d.": "1"}}}]}
