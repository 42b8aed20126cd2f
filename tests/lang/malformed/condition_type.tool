--- expect: field_type 5:20 step 'a': 'conditions' must be a list, not an object
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": {"param": 1, "operator": "exists"}}
  ]
}
