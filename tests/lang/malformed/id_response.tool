--- expect: id_reserved 1:36 step 'response': 'execution_id' cannot be 'response', which means something else in references
--- document
{"instructions": [{"execution_id": "response", "tool_definition_path": "/tools/any.tool"}]}
