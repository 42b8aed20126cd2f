--- expect: dependency_cycle 6:22 step 'b' waits for 'z', which has 'finally: true' and so waits for all steps that have not: neither could start; give 'b' 'finally: true' too, or take it from 'z'
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "z", "tool_definition_path": "/tools/any.tool", "finally": true},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool", "arguments": {"x": "REF:z.x"}}
  ]
}
