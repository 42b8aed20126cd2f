--- expect: id_invalid 1:36 step 'ä': 'execution_id' must be made of letters, digits, '_' and '-'
--- document
{"instructions": [{"execution_id": "ä", "tool_definition_path": "/tools/any.tool"}]}
