--- expect: id_reserved 1:36 step 'execution': 'execution_id' cannot be 'execution', which means something else in references
--- document
{"instructions": [{"execution_id": "execution", "tool_definition_path": "/tools/any.tool"}]}
