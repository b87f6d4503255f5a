import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { workspaceRoot } from '@cxp/local-servers';
import { describedServices } from '@cxp/services/definitions';
import { generatedFiles } from '../src/generated-files';

describe.each(describedServices)('the documents of $app', (service) => {
  const { app, area, describe: describeService } = service;

  it('and its client types are committed as the code says', async () => {
    for (const [path, content] of Object.entries(await generatedFiles(service))) {
      // Only the names: a difference of a whole document can't be read.
      expect([path, readFileSync(join(workspaceRoot, path), 'utf8') === content]).toEqual([path, true]);
    }
  });

  it.each(['openapi.json', 'openapi.internal.json'])('%s is of OpenAPI 3.1', (file) => {
    expect(readDocument(app, file)).toMatchObject({ openapi: '3.1.0' });
  });

  it('describes the lines of platform records that intake takes', () => {
    const document = readDocument(app, 'openapi.internal.json') as {
      paths: {
        '/internal/records': { post: { requestBody: { content: Record<string, { schema: object }> } } };
      };
    };
    const { schema } = document.paths['/internal/records'].post.requestBody.content['application/x-ndjson']!;
    const ajv = new Ajv({ strict: true, allowUnionTypes: true, validateFormats: false });
    const fits = ajv.compile(schema);
    const lines = readFileSync(join(workspaceRoot, 'tools/local-stack/demo', `${area}.ndjson`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);

    expect(lines.filter((line) => !fits(line))).toEqual([]);
    expect(lines.filter((line) => fits({ ...line, type: 'unknown' }))).toEqual([]);
    expect(lines.filter((line) => fits({ ...line, data: null }))).toEqual([]);
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

function readDocument(app: string, file: string): unknown {
  return JSON.parse(readFileSync(join(workspaceRoot, 'apps', app, file), 'utf8'));
}
