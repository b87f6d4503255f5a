import { randomUUID } from 'node:crypto';
import { type Certificate, type ErasureArea, ErasureService } from '@cxp/erasure';
import { migrate, openDatabase } from '@cxp/storage';
import { createTestDatabase, createTestRedis, type TestDatabase, type TestRedis } from '@cxp/testing';
import { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { databases, erasureAreas } from '@cxp/areas/wiring';

const ORGANIZATION = 'acme';
const [ONE, TWO, THREE] = Array.from({ length: 3 }, () => randomUUID());

/** Stores something of an email ($3) under an id ($2). */
const STORE: Readonly<Record<string, string>> = {
  webchat: `WITH conversation AS (
      INSERT INTO webchat.conversation (organization_id, id, user_id, created_at)
      VALUES ($1, $2::uuid, $2::uuid::text, '2026-01-01')
    ) INSERT INTO webchat.conversation_identifier VALUES ($1, $2, 'email:' || $3)`,
  'contact-center': `INSERT INTO contact_center.record (organization_id, type, id, conversation_id, created_at, at, data, person_keys)
    VALUES ($1, 'conversation', $2, $2, '2026-01-01', now(), '{}', ARRAY['e' || $3])`,
  survey: `INSERT INTO survey.link
      (organization_id, id, public_id, campaign_id, mapping_key, name, created_at, metadata_mapping, person_keys)
    OVERRIDING SYSTEM VALUE
    VALUES ($1, $2::bigint, $2::bigint::text, gen_random_uuid(), uuid_send(gen_random_uuid()), '', '2026-01-01',
      json_build_array(json_build_object('metadata_id', 1, 'value', $3::text)), ARRAY['e' || $3])`,
};

/** Counts what is left of an email ($2). */
const LEFT: Readonly<Record<string, string>> = {
  webchat: 'SELECT FROM webchat.conversation_identifier WHERE organization_id = $1 AND identifier = $2',
  'contact-center': 'SELECT FROM contact_center.record WHERE organization_id = $1 AND $2 = ANY (person_keys)',
  survey: `SELECT FROM survey.link WHERE organization_id = $1 AND $2 = ANY (person_keys)`,
};

/** Certificates of `b7ece23e`, as its service has left them: operators let erasures end before the update. */
const BEFORE = [
  { id: ONE, mode: 'delete', hash: 'a', keys: ['1', '2'] },
  // Of the same subject: its certificate had the keys of the first, too.
  { id: TWO, mode: 'delete', hash: 'a', keys: ['3'] },
  { id: THREE, mode: 'anonymize', hash: 'b', keys: ['4'] },
];

let redis: Redis;
let testRedis: TestRedis;
beforeAll(async () => {
  testRedis = await createTestRedis();
  redis = new Redis(testRedis.url);
});
afterAll(async () => {
  redis.disconnect();
  await testRedis.close();
});

describe.each([
  ['webchat', 'conversation', 'email:', (key: string) => `00000000-0000-4000-8000-00000000000${key}`],
  ['contact-center', 'conversation', 'e', (key: string) => `c-${key}`],
  ['survey', 'survey_link', 'e', (key: string) => `${key}/1`],
])('certificates of %s of the release before', (name, type, keyPrefix, idOf) => {
  const area = databases.find((each) => each.name === name)!;
  let database: TestDatabase;
  let dataSource: DataSource;
  let service: ErasureService;

  beforeAll(async () => {
    const place = area.migrations.findIndex((each) => each.name.startsWith('KeepErasuresApart'));
    database = await createTestDatabase([{ ...area, migrations: area.migrations.slice(0, place) }], migrate);
    dataSource = await openDatabase(database.url, [area]);
    for (const { id, mode, hash, keys } of BEFORE) {
      await dataSource.query(
        `INSERT INTO ${area.schema}.erasure (organization_id, id, mode, subject_hash, requested_at, erased_at, found, last_change)
         VALUES ($1, $2, $3, sha256($4), '2026-01-05T02:00:00Z', '2026-01-05T02:00:01Z', '{"links": 2, "conversations": 2}', 7)`,
        [ORGANIZATION, id, mode, hash],
      );
      for (const key of keys.map(idOf))
        await dataSource.query(
          `INSERT INTO ${area.schema}.erased_key (organization_id, type, id, mode, erasure_id) VALUES ($1, $2, $3, $4, $5)`,
          [ORGANIZATION, type, key, mode, id],
        );
    }
    await migrate(area, database.url);
    const erasureArea = erasureAreas(dataSource, redis).find((each: ErasureArea) => each.name === name)!;
    service = new ErasureService(dataSource, erasureArea, dataSource);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  async function certificateOf(id: string | undefined) {
    let text = '';
    for await (const piece of service.json(await service.find({ organizationId: ORGANIZATION, id: id! })))
      text += piece;
    return JSON.parse(text) as Certificate & { readonly keys: object };
  }

  /** The key as a certificate has it today. */
  const keysOf = (...keys: string[]) =>
    type === 'survey_link'
      ? { metadata_value: keys.map((key) => `link:${idOf(key)}`) }
      : { [type]: keys.map(idOf) };

  const store = (key: string, email: string) =>
    dataSource.query(STORE[name]!, [ORGANIZATION, idOf(key).replace('/1', ''), email]);
  const left = async (email: string) =>
    (await dataSource.query<object[]>(LEFT[name]!, [ORGANIZATION, keyPrefix + email])).length;

  it.each([
    ['one', ONE, ['1', '2', '3']],
    ['another one of its subject', TWO, ['1', '2', '3']],
    ['one that anonymized', THREE, ['4']],
  ])('are served: %s', async (_, id, keys) => {
    const { mode, ...certificate } = (await certificateOf(id)) as Certificate & { mode?: string };
    expect(mode).toBeUndefined();
    expect(certificate).toMatchObject({
      id,
      requestedAt: '2026-01-05T02:00:00.000Z',
      erasedAt: '2026-01-05T02:00:01.000Z',
      found: name === 'survey' ? { links: 2 } : { conversations: 2 },
      lastChange: 7,
      keys: keysOf(...keys),
    });
  });

  it('are applied again to a database that was restored', async () => {
    const certificate = await certificateOf(TWO);
    for (const table of ['erasure', 'erased_key', 'erasure_keys'])
      await dataSource.query(`DELETE FROM ${area.schema}.${table}`);
    await store('3', 'chi@example.com');
    await service.finish(await service.beginAgain(ORGANIZATION, certificate));
    expect(await left('chi@example.com')).toBe(0);
    expect(await certificateOf(TWO)).toMatchObject({
      requestedAt: certificate.requestedAt,
      found: certificate.found,
      keys: certificate.keys,
    });
  });
});
