--- expect: field_missing 1:19 instruction 1 needs 'execution_id': what references call the step
--- document
{"instructions": [{"tool_definition_path": "/tools/any.tool"}]}
