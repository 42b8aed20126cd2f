--- expect: field_type 1:36 instruction 1: 'execution_id' must be a string, not a number
--- document
{"instructions": [{"execution_id": 1, "tool_definition_path": "/tools/any.tool"}]}
