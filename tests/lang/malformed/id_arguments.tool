--- expect: id_reserved 1:36 step 'arguments': 'execution_id' cannot be 'arguments', which means something else in references
--- document
{"instructions": [{"execution_id": "arguments", "tool_definition_path": "/tools/any.tool"}]}
