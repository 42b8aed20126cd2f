--- expect: field_missing 1:19
--- document
{"instructions": [{"tool_definition_path": "/tools/any.tool"}]}
