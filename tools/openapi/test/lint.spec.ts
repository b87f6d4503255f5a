import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/local-servers';
import { services } from '@cxp/services/services';

interface Finding {
  readonly file: string;
  readonly rule: string;
}

/** The rules of Redocly and Spectral that compare a document with the schema of OpenAPI 3.1. */
const SCHEMA_RULES = ['struct', 'oas3-schema'];

it.each(services)(
  'the documents of $app are valid, and the external one has no warning of Redocly and Spectral',
  async ({ app }) => {
    const linter = join(workspaceRoot, 'tools/openapi/bin/lint.mjs');
    const [external, internal] = ['openapi.json', 'openapi.internal.json'].map((name) =>
      join(workspaceRoot, 'apps', app, name),
    );
    const { stdout } = await promisify(execFile)(process.execPath, [linter, external!, internal!]);
    const findings = JSON.parse(stdout) as Finding[];
    expect(findings.filter(({ file }) => file === external)).toEqual([]);
    // The document of record intake has no contact, license and servers.
    expect(findings.filter(({ rule }) => SCHEMA_RULES.includes(rule))).toEqual([]);
  },
);
