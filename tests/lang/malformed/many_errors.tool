--- expect: field_unknown 2:3
--- expect: field_value 3:44
--- expect: id_reserved 5:22
--- expect: operator_unknown 6:46
--- expect: reference_unknown 8:25
--- expect: field_value 8:51
--- expect: dependency_unknown 8:73
--- expect: reference_syntax 10:35
--- document
{
  "summary": "x",
  "arguments": [{"name": "x", "type_name": "int"}],
  "instructions": [
    {"execution_id": "self", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": 1, "operator": "eq", "value": 1}]},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
     "arguments": {"y": "REF:none.x"}, "timeout": "1", "dependencies": ["zzz"]}
  ],
  "response_reference_map": {"r": "REF:b"}
}
