import { randomBytes } from 'node:crypto';
import request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { type ChangeCursor, ChangeCursors } from '../src/change-cursor';
import type { FeedDefinition } from '../src/change-feed';

/** An area's feed of changes. */
export interface FeedUnderTest {
  readonly start: () => Promise<TestService>;
  readonly path: string;
  readonly feed: Pick<FeedDefinition, 'name' | 'schema'>;
}

/** What makes cursors: each of its parts is another one elsewhere. */
interface Issuer {
  readonly key: Buffer;
  readonly feed: string;
  readonly organizationId: string;
  readonly cursor: ChangeCursor;
}

const written = ({ key, feed, organizationId, cursor }: Issuer) =>
  new ChangeCursors(key, feed, organizationId).write(cursor);

const OTHER_EPOCH = 'ffffffffffff';

/** Expired: this feed gave them to this organization, or those of whom the database is a copy did. */
const EXPIRED: readonly [string, (issuer: Issuer) => string][] = [
  [
    'of another epoch: before a promotion, a restore, or on another server with a copy of the database',
    (issuer) => written({ ...issuer, cursor: { ...issuer.cursor, epoch: OTHER_EPOCH } }),
  ],
  [
    'of an epoch to come, ahead of every number',
    (issuer) => written({ ...issuer, cursor: { epoch: OTHER_EPOCH, position: 2 ** 47, beginning: 0 } }),
  ],
  [
    'ahead of the last number',
    (issuer) => written({ ...issuer, cursor: { ...issuer.cursor, position: 1_000 } }),
  ],
  [
    'of a reading that began ahead of the last number',
    (issuer) => written({ ...issuer, cursor: { ...issuer.cursor, beginning: 2 ** 48 - 1 } }),
  ],
];

/** Not ours: each is a query. */
const REFUSED: readonly [string, (issuer: Issuer) => string][] = [
  ['of another database', (issuer) => written({ ...issuer, key: randomBytes(32) })],
  ['of another feed', (issuer) => written({ ...issuer, feed: 'other-changes' })],
  ['of another organization', (issuer) => written({ ...issuer, organizationId: 'other' })],
  ['with another position', (issuer) => changed(written(issuer), 11)],
  ['with another epoch, and no code for it', (issuer) => changed(written(issuer), 0)],
  ['cut', (issuer) => written(issuer).slice(0, -1)],
  ['that is longer', (issuer) => `${written(issuer)}AAAA`],
  ['given twice', (issuer) => `${written(issuer)}&cursor=${written(issuer)}`],
  ['of base64 with padding', (issuer) => `${written(issuer)}=`],
  ['of no base64', () => '{}'],
  ['of a letter', () => 'x'],
  ['with a NUL', () => '%00'],
  ['that is not UTF-8', () => '%ff%fe'],
  ['of 8,000 letters', () => 'A'.repeat(8_000)],
];

function changed(cursor: string, place: number): string {
  const bytes = Buffer.from(cursor, 'base64url');
  bytes[place]! ^= 1;
  return bytes.toString('base64url');
}

/** The tests of how an area refuses cursors: a page, one that would wait, and a stream alike. */
export function describeRefusedCursors({ start, path, feed }: FeedUnderTest): void {
  let service: TestService;
  let caller: Caller;
  let issuer: Issuer;

  const get = (cursor: string, wait = 0, accept = 'application/json') =>
    request(service.url)
      .get(`${path}?wait=${wait}&cursor=${cursor}`)
      .set({ ...caller.headers, accept });
  const answers = (cursor: string) =>
    Promise.all([get(cursor), get(cursor, 25), get(cursor, 0, 'application/x-ndjson')]);

  beforeAll(async () => {
    service = await start();
    caller = await service.caller();
    const [{ key }] = await service.dataSource.query<[{ key: Buffer }]>(
      `SELECT cursor_key AS key FROM ${feed.schema}.change_epoch`,
    );
    const { organizationId } = caller;
    const { body } = await get('');
    const own = new ChangeCursors(key, feed.name, organizationId).read(body.nextCursor ?? body.next_cursor);
    issuer = { key, feed: feed.name, organizationId, cursor: own! };
  });
  afterAll(() => service.stop());

  describe('a cursor', () => {
    it('as it was given is accepted', async () => {
      expect((await get(written(issuer))).status).toBe(200);
    });

    it.each(EXPIRED)('%s, is a 410', async (_, make) => {
      for (const { status, body } of await answers(make(issuer)))
        expect([status, body]).toEqual([410, { detail: 'Cursor expired' }]);
    });

    it.each(REFUSED)('%s is a 422 that names it', async (_, make) => {
      for (const { status, body } of await answers(make(issuer))) {
        const named = (body.detail as { loc: string[] }[]).map(({ loc }) => loc.join('.'));
        expect([status, ...new Set(named)]).toEqual([422, 'query.cursor']);
      }
    });
  });
}
