--- expect: field_unknown 1:30 argument 'x': 'type' is a word of the agent dialect; this document is in the tool dialect, write 'type_name'
--- expect: field_unknown 4:6 step 'a': 'agent_definition_path' is a word of the agent dialect; this document is in the tool dialect, write 'tool_definition_path'
--- document
{"arguments": [{"name": "x", "type": "string"}],
 "instructions": [
    {"execution_id": "a",
     "agent_definition_path": "/tools/any.tool"}]}
