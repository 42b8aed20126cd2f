--- expect: reference_unknown 3:106 step 'c': 'REF:arguments.y': the definition declares no argument 'y'
--- document
{"instructions": [{"execution_id": "a", "tool_definition": {
  "instructions": [{"execution_id": "b", "tool_definition": {
    "instructions": [{"execution_id": "c", "tool_definition_path": "/tools/any.tool", "arguments": {"x": "REF:arguments.y"}}]}}]}}]}
