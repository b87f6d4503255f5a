import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { services } from '@cxp/system-tests/services';

interface Finding {
  readonly file: string;
  readonly rule: string;
}

/** The rules of Redocly and Spectral that compare a document with the schema of OpenAPI 3.1. */
const SCHEMA_RULES = ['struct', 'oas3-schema'];

it('the documents are valid, and the external ones have no warning of Redocly and Spectral', async () => {
  const linter = join(workspaceRoot, 'tools/openapi/bin/lint.mjs');
  const external = services.map(({ app }) => join(workspaceRoot, 'apps', app, 'openapi.json'));
  const internal = services.map(({ area }) => join(workspaceRoot, `dist/docs/records.${area}.openapi.json`));
  const { stdout } = await promisify(execFile)(process.execPath, [linter, ...external, ...internal]);
  const findings = JSON.parse(stdout) as Finding[];
  expect(findings.filter(({ file }) => external.includes(file))).toEqual([]);
  // The documents of record intake have no contact, license and servers.
  expect(findings.filter(({ rule }) => SCHEMA_RULES.includes(rule))).toEqual([]);
});
