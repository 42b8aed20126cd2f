--- expect: feature_unavailable 1:1
--- document
{"name": "p", "steps": [{"tool": "x", "inputMapping": {"a": "$input"}}]}
