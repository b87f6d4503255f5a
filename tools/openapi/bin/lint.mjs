/** Prints what Redocly finds in documents of OpenAPI and AsyncAPI, as JSON: it is an ES module, which Jest does not load. */
import { createConfig, lint } from '@redocly/openapi-core';

const config = await createConfig({ extends: ['recommended'] });
const findings = [];
for (const file of process.argv.slice(2)) {
  for (const { ruleId, message, location } of await lint({ ref: file, config })) {
    findings.push({ file, rule: ruleId, message, at: location[0]?.pointer });
  }
}
console.log(JSON.stringify(findings, null, 2));
