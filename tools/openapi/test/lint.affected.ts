import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { services } from '@cxp/areas/services';

interface Finding {
  readonly file: string;
  readonly rule: string;
}

it('the documents are valid, and the external ones have no warning of Redocly', async () => {
  const linter = join(workspaceRoot, 'tools/openapi/bin/lint.mjs');
  const external = services.map(({ app }) => join(workspaceRoot, 'apps', app, 'openapi.json'));
  const internal = services.map(({ area }) => join(workspaceRoot, `dist/docs/records.${area}.openapi.json`));
  const { stdout } = await promisify(execFile)(process.execPath, [linter, ...external, ...internal]);
  const findings = JSON.parse(stdout) as Finding[];
  expect(findings.filter(({ file }) => external.includes(file))).toEqual([]);
  // The documents of record intake have no contact, license and servers.
  expect(findings.filter(({ rule }) => rule === 'struct')).toEqual([]);
});
