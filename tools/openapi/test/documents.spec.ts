import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import { CODES_OF_401 } from '@cxp/error-envelopes';
import { RecordCheck } from '@cxp/records';
import { migrate } from '@cxp/storage';
import { createTestDatabase } from '@cxp/testing';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { databases, recordAreas } from '@cxp/areas/wiring';
import { describedServices } from '@cxp/areas/described-services';
import {
  MAX_CLIENT_ID_CHARACTERS,
  MAX_FEEDBACK_CHARACTERS,
  MAX_MESSAGE_CHARACTERS,
} from '@cxp/webchat-gateway/chat-protocol/shapes';
import { committedDocument, recordsSchema, servedGuide } from '../src/documents';
import { generatedDocuments } from '../src/generated-tables';
import { schemaTexts } from '../src/schema-texts';

it('the lists of documents, and the rule of the Prometheus Operator, are committed as the code says', async () => {
  expectCommitted(await generatedDocuments());
});

it('each schema is committed as its migrations make it', async () => {
  const database = await createTestDatabase([...databases], migrate);
  expectCommitted(await schemaTexts(database.url));
  await database.drop();
});

function expectCommitted(files: Readonly<Record<string, string>>): void {
  const old = Object.entries(files).filter(
    ([path, content]) => readFileSync(join(workspaceRoot, path), 'utf8') !== content,
  );
  expect(old.map(([path]) => `${path} is old: run npm run openapi`)).toEqual([]);
}

it('the guide says for each code of a 401 what to do', () => {
  const guide = readFileSync(join(workspaceRoot, 'apps/README.md'), 'utf8');
  const [, list] = /401, what now\?[^]*?\n\n(- [^]*?)\n\n/.exec(guide)!;
  expect(Array.from(list!.matchAll(/^- `(\w+)`/gm), ([, code]) => code)).toEqual(CODES_OF_401);
});

it('whoever changes the API is asked for a line in "Changes of the API"', () => {
  // Texts and examples are none of its changes.
  const withoutTexts = (key: string, value: unknown) =>
    /^examples?$/.test(key) || (/^(description|summary)$/.test(key) && typeof value === 'string')
      ? undefined
      : value;
  const hash = createHash('sha256');
  for (const { app } of describedServices) {
    const { paths, components } = committedDocument(app);
    hash.update(JSON.stringify([paths, components], withoutTexts));
  }
  const state = `<!-- state of the API: ${hash.digest('hex').slice(0, 12)} -->`;
  const isKnown = readFileSync(join(workspaceRoot, 'apps/README.md'), 'utf8').includes(state);
  const advice = `The API changed: if integrators notice, add a line to "Changes of the API" in apps/README.md; then write ${state} below it`;
  expect(isKnown ? '' : advice).toBe('');
});

it('the guide of a service links to nothing that the service does not answer', () => {
  expect(servedGuide()).toMatch(/\]\(#follow-changes\)/);
  expect(servedGuide().match(/\]\((?!https:|#)[^)]*\)/g)).toBeNull();
});

describe.each(describedServices)('the documents of $app', ({ app, describe: describeService }) => {
  it('is committed as the code says', async () => {
    const document = `${JSON.stringify(await describeService(), null, 2)}\n`;
    expectCommitted({ [`apps/${app}/openapi.json`]: document });
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

describe.each(recordAreas)('the JSON Schema of the records of $name', ({ name, types }) => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
  ajv.addSchema(recordsSchema());
  const fits = (line: Line, definition = name) =>
    ajv.validate(`urn:cxp:platform-records#/$defs/${definition}`, line);
  const intake = new RecordCheck(types);
  const examples = Object.keys(types)
    .flatMap((type) => demoLines(name).find((line) => line.type === type) ?? [])
    .flatMap((line) => [line, ...removalOf(line)]);

  function removalOf({ type, data }: Line): Line[] {
    const { key, removable } = types[type]!;
    return removable ? [{ type, op: 'delete', data: { [key!]: data[key!] } }] : [];
  }

  it('has a definition of each type and of each removal', () => {
    expect(new Set(examples.map(({ type }) => type)).size).toBe(Object.keys(types).length);
    for (const line of examples) {
      const [own, other] = line.op ? ['.delete', ''] : ['', '.delete'];
      expect([line, fits(line), fits(line, `${name}.${line.type}${own}`)]).toEqual([line, true, true]);
      if (types[line.type]!.removable) expect(fits(line, `${name}.${line.type}${other}`)).toBe(false);
      expect(fits({ ...line, op: 'replace' })).toBe(false);
    }
  });

  it('refuses what intake refuses by its shape, and takes what it takes', () => {
    const variants = [...demoLines(name), ...examples.flatMap(variantsOf)];
    const answers = variants.map((line) => ({ line, accepted: 'record' in intake.check(line) }));
    expect(new Set(answers.map(({ accepted }) => accepted)).size).toBe(2);
    expect(answers.filter(({ line, accepted }) => fits(line) !== accepted)).toEqual([]);
  });
});

interface Line {
  readonly type: string;
  readonly op?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a value can be instead: none, other types, texts of other formats, and the bounds of some. */
const OTHER_VALUES = [
  undefined,
  null,
  'x',
  '',
  'x'.repeat(256),
  '8:30',
  '24:00',
  '2026-01-05T02:11Z',
  '2026-01-05 02:11:09Z',
  '2026-01-05T25:11:09Z',
  '2026-01-05',
  -7,
  7,
  1.5,
  1e300,
  true,
  [],
  {},
];

/** The line with each value in its data, however deep, replaced by each of the others. */
function variantsOf(line: Line): Line[] {
  return variantsIn(line.data).map((data) => ({ ...line, data: data as Line['data'] }));
}

function variantsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return OTHER_VALUES;
  const inside = Object.entries(value).flatMap(([name, one]) =>
    variantsIn(one).map((variant) =>
      Array.isArray(value)
        ? value.map((item: unknown, position) => (position === Number(name) ? (variant ?? null) : item))
        : Object.fromEntries(
            Object.entries({ ...value, [name]: variant }).filter(([, item]) => item !== undefined),
          ),
    ),
  );
  return [...OTHER_VALUES, ...inside];
}

function demoLines(area: string): Line[] {
  return readFileSync(join(workspaceRoot, 'tools/local-stack/demo', `${area}.ndjson`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

it('the TypeScript client refuses texts of chats at the limits of the service', () => {
  const client = ['chat-socket', 'outbox']
    .map((name) => readFileSync(join(workspaceRoot, `libs/client/src/chat/${name}.ts`), 'utf8'))
    .join('');
  const limits = ['TEXT', 'FEEDBACK', 'CLIENT_ID'].map(
    (name) => new RegExp(`MAX_${name}_LENGTH = ([\\d_]+);`).exec(client)![1]!,
  );
  expect(limits.map((limit) => Number(limit.replaceAll('_', '')))).toEqual([
    MAX_MESSAGE_CHARACTERS,
    MAX_FEEDBACK_CHARACTERS,
    MAX_CLIENT_ID_CHARACTERS,
  ]);
});

it('the Python client names each parameter of the lists of B and C', async () => {
  const client = readFileSync(join(workspaceRoot, 'libs/client-python/src/cxp_client/_client.py'), 'utf8');
  const documents = await Promise.all(describedServices.map(({ describe: document }) => document()));
  const parameters = documents.flatMap(({ paths }) =>
    ['/external/conversation-sessions', '/external/survey-campaigns'].flatMap(
      (path) => paths[path]?.get?.parameters ?? [],
    ),
  ) as { readonly name: string; readonly in: string }[];
  const names = parameters
    // The client sends its organization as a header.
    .filter(({ in: part, name }) => part === 'query' && name !== 'organizationId')
    .map(({ name }) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  expect(names).toContain('session_agent_emails');
  const missing = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(client));
  expect(missing.map((name) => `add the parameter ${name} to _client.py`)).toEqual([]);
});
