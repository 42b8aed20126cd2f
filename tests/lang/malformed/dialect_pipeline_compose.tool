--- expect: feature_unavailable 1:1 the document is in the pipeline dialect (it has 'steps' with 'inputMapping'), which this version does not read; it reads the tool and the agent dialect
--- document
{"mode": "compose", "steps": []}
