--- expect: field_unknown 4:6 step 'a': 'tool_definition_path' is a word of the tool dialect; this document is in the agent dialect, write 'agent_definition_path'
--- expect: field_unknown 6:6 step 'b': 'tool_definition' is a word of the tool dialect; this document is in the agent dialect, write 'agent_definition'
--- document
{"argument_definitions": [],
 "instructions": [
    {"execution_id": "a",
     "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "b",
     "tool_definition": {"system_event_endpoint": "builtin:echo"}}]}
