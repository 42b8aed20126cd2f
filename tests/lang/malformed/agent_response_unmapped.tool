--- expect: response_unmapped 1:26 the required response 'z' is not in response_reference_map
--- document
{"response_definitions": [{"name": "z", "type": "string", "required": true}],
 "instructions": [{"execution_id": "a", "agent_definition_path": "/tools/any.tool"}]}
