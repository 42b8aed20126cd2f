--- expect: id_reserved 1:36 step 'self': 'execution_id' cannot be 'self', which means something else in references
--- document
{"instructions": [{"execution_id": "self", "tool_definition_path": "/tools/any.tool"}]}
