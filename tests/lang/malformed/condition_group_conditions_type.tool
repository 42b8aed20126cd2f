--- expect: field_type 5:52 step 'a': condition: 'conditions' must be a list, not an object
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"logic": "AND", "conditions": {}}]}
  ]
}
