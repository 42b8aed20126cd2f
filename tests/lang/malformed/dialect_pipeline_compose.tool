--- expect: feature_unavailable 1:1
--- document
{"mode": "compose", "steps": []}
