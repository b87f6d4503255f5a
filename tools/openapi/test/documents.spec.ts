import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/testing';
import { services } from '../src/services';

const run = promisify(execFile);

it('commits documents and client types that say what the code does', async () => {
  await run(process.execPath, [join(workspaceRoot, 'tools/openapi/bin/openapi.js'), '--check']);
});

describe.each(services)('the document of $app', ({ app, describe: describeService }) => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = join(workspaceRoot, 'node_modules/.bin/validate-api');
    const { stdout } = await run(validator, [join(workspaceRoot, 'apps', app, 'openapi.json')]);

    expect(JSON.parse(stdout)).toEqual({ valid: true });
    expect(await describeService()).toMatchObject({ openapi: '3.1.0' });
  });

  it('has only what is below /external, with the errors that every operation has', async () => {
    const { paths } = await describeService();
    const operations = Object.values(paths).flatMap(({ get, post }) => [get ?? [], post ?? []].flat());

    expect(Object.keys(paths).filter((path) => !path.startsWith('/external/'))).toEqual([]);
    for (const { responses } of operations) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '429']));
    }
  });
});
