import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/local-servers';
import { services } from '@cxp/services/services';

it.each(services)(
  'the document of $app has no error and no warning of Redocly and Spectral',
  async ({ app }) => {
    const linter = join(workspaceRoot, 'tools/openapi/bin/lint.mjs');
    const document = join(workspaceRoot, 'apps', app, 'openapi.json');
    const { stdout } = await promisify(execFile)(process.execPath, [linter, document]);
    expect(JSON.parse(stdout)).toEqual([]);
  },
);
