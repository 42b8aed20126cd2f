--- expect: feature_unavailable 1:1
--- document
{"steps": [{"id": "a", "tools": ["x", "y"]}]}
