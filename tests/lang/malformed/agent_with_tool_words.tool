--- expect: field_unknown 4:6
--- expect: field_unknown 6:6
--- document
{"argument_definitions": [],
 "instructions": [
    {"execution_id": "a",
     "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "b",
     "tool_definition": {"system_event_endpoint": "builtin:echo"}}]}
