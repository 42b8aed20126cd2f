--- expect: feature_unavailable 1:1 the document is in the plan dialect (it has 'steps' with lists of 'tools'), which this version does not read; it reads the tool and the agent dialect
--- document
{"steps": [{"id": "a", "tools": ["x", "y"]}]}
