--- expect: feature_unavailable 1:1
--- document
{"argument_definitions": [], "instructions": []}
