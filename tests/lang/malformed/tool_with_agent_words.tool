--- expect: field_unknown 1:30
--- expect: field_unknown 4:6
--- document
{"arguments": [{"name": "x", "type": "string"}],
 "instructions": [
    {"execution_id": "a",
     "agent_definition_path": "/tools/any.tool"}]}
