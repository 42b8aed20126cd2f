--- expect: feature_unavailable 1:1
--- document
{"name": "c", "implementation": {"type": "composite", "composite": {"steps": []}}}
