--- expect: feature_unavailable 1:1 the document is in the composite dialect (it has 'implementation' with 'type: composite'), which this version does not read; it reads the tool and the agent dialect
--- document
{"name": "c", "implementation": {"type": "composite", "composite": {"steps": []}}}
