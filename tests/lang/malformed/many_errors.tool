--- expect: field_unknown 2:3 the definition: 'summary' is not a field that is known here
--- expect: field_value 3:44 argument 'x': 'type_name' must be 'integer', which is what 'int' is called here
--- expect: id_reserved 5:22 step 'self': 'execution_id' cannot be 'self', which means something else in references
--- expect: operator_unknown 6:46 step 'self': condition: 'operator' 'eq' is not known; operators are equals, not_equals, exists, not_exists, greater_than, less_than, greater_than_or_equal, less_than_or_equal, contains, not_contains, in, not_in, starts_with, ends_with, matches
--- expect: reference_unknown 8:25 step 'b': 'REF:none.x': there is no step 'none'
--- expect: field_value 8:51 step 'b': 'timeout' must be a duration such as "250ms", "5s", "2m", "1h" or "7d", not "1"
--- expect: dependency_unknown 8:73 step 'b': 'dependencies' has 'zzz', which is no step
--- expect: reference_syntax 10:35 response_reference_map: 'REF:b' is not a reference: it needs a segment; write REF:b.response
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
