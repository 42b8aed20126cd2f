--- expect: feature_unavailable 5:29
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"a": 1}, "transforms": {"x": "a"}}}
  ]
}
