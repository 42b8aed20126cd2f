// The linter of OpenAPI documents: prints each finding, and fails where there is one.
import { createConfig, lint } from '@redocly/openapi-core';

const config = await createConfig({
  extends: ['recommended'],
  // The forms of the lines of a stream are named by x-line, which the rule does not know.
  rules: { 'no-unused-components': 'off' },
});
const findings = await lint({ ref: process.argv[2], config });
for (const { severity, ruleId, message, location } of findings) console.error(`${severity}: ${ruleId}: ${message} (${location[0]?.pointer})`);
process.exit(findings.length === 0 ? 0 : 1);
