/** Prints what Redocly and Spectral find in documents, as JSON: their packages are ES modules, which Jest does not load. */
import { readFileSync } from 'node:fs';
import { createConfig, lint } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const findings = [];
for (const file of process.argv.slice(2)) {
  const config = await createConfig({ extends: ['recommended'] });
  for (const { ruleId, message, location } of await lint({ ref: file, config })) {
    findings.push({ file, rule: ruleId, message, at: location[0]?.pointer });
  }
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [rulesets.oas] });
  for (const { code, message, path } of await spectral.run(JSON.parse(readFileSync(file, 'utf8')))) {
    findings.push({ file, rule: code, message, at: path.join('/') });
  }
}
console.log(JSON.stringify(findings, null, 2));
