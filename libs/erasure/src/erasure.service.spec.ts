import { randomUUID } from 'node:crypto';
import { LimitedDataSource } from '@cxp/storage';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import { eventually } from '@cxp/testing';
import { LetterArea, letterDatabase, type LetterDatabase } from '../test/letter-area';
import { ErasedKeys } from './erased-keys';
import { erasureEntity, type ErasureKey } from './erasure.repository';
import { type Certificate, ErasureService } from './erasure.service';
import { type Subject, subjectOf } from './erasure-area';

const HOA = subjectOf({ emails: ['nguyenhoa@example.com'] });
const AN = subjectOf({ emails: ['an@example.com'] });
const LETTERS = {
  a: 'NguyenHoa@example.com',
  b: 'an@example.com',
  c: 'nguyenhoa@EXAMPLE.com',
  d: 'nguyenhoa@example.com',
};
const KEYS = Object.keys(LETTERS).map((id) => ({ type: 'letter', id }));
const ANY_TIME = expect.any(String) as string;

describe('ErasureService', () => {
  let database: LetterDatabase;
  beforeAll(async () => {
    database = await letterDatabase();
  });
  afterAll(() => database.drop());

  function start(area = new LetterArea(database.dataSource)): ErasureService {
    return new ErasureService(database.dataSource, area, database.dataSource);
  }

  /** A process in which steps fail from some step on. */
  function startFailing(fromStep: number): ErasureService {
    const area = new LetterArea(database.dataSource);
    let steps = 0;
    area.beforeCommit = () => {
      if (++steps >= fromStep) throw new Error('killed');
    };
    return start(area);
  }

  async function organizationWithLetters(pages?: number): Promise<string> {
    const organizationId = randomUUID();
    await database.store(organizationId, LETTERS, pages);
    return organizationId;
  }

  /** Those that have failed are due again. */
  const makeDue = () => database.dataSource.query('UPDATE letter.erasure SET next_try_at = now()');

  const bodyOf = (organizationId: string, letter: readonly string[]) => ({
    organizationId,
    area: 'survey',
    id: randomUUID(),
    requestedAt: '2026-01-05T02:00:00.000Z',
    found: { letters: 3 },
    keys: { letter },
  });

  /** A certificate with its keys. */
  async function answerOf(service: ErasureService, certificate: Certificate) {
    let text = '';
    for await (const piece of service.json(certificate)) text += piece;
    return JSON.parse(text) as Certificate & { readonly keys: Readonly<Record<string, readonly string[]>> };
  }

  async function erase(service: ErasureService, erasure: ErasureKey, subject: Subject) {
    return answerOf(service, await service.afterMoment(await service.begin(erasure, subject)));
  }

  async function eraseAgain(service: ErasureService, organizationId: string, body: unknown) {
    return answerOf(service, await service.afterMoment(await service.beginAgain(organizationId, body)));
  }

  const certificateOf = async (service: ErasureService, erasure: ErasureKey) =>
    answerOf(service, await service.find(erasure));

  const finish = async (service: ErasureService, erasure: ErasureKey) =>
    answerOf(service, await service.finish(erasure));

  it('stops counting when its client is gone', async () => {
    await expect(start().count(randomUUID(), HOA, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('refuses another subject under the id of one that is under way', async () => {
    const organizationId = await organizationWithLetters();
    const erasure = { organizationId, id: randomUUID() };
    expect(await erase(startFailing(1), erasure, HOA)).toMatchObject({ erasedAt: null, keys: {} });
    await expect(erase(start(), erasure, AN)).rejects.toMatchObject({
      problem: { code: 'invalid', items: [{ loc: ['body', 'id'] }] },
    });
    await makeDue();
    expect(await erase(start(), erasure, HOA)).toMatchObject({ erasedAt: ANY_TIME, found: { letters: 3 } });
  });

  it('erases once, however many ask and however many processes there are', async () => {
    const organizationId = await organizationWithLetters();
    const erasure = { organizationId, id: randomUUID() };
    const both = [start(), start()];
    await Promise.all(Array.from({ length: 8 }, (_, i) => erase(both[i % 2]!, erasure, HOA)));
    expect(await finish(both[0]!, erasure)).toMatchObject({
      found: { letters: 3 },
      keys: { letter: ['a', 'c', 'd'] },
    });
  });

  it('goes on where it was interrupted when a process starts, and ends with that', async () => {
    const organizationId = await organizationWithLetters();
    const erasure = { organizationId, id: randomUUID() };
    const first = await erase(startFailing(2), erasure, HOA);
    expect(first).toMatchObject({ erasedAt: null, found: { letters: 2 }, keys: {} });
    await makeDue();
    const service = start();
    service.onApplicationBootstrap();
    await eventually(async () => (await certificateOf(service, erasure)).erasedAt !== null);
    await service.beforeApplicationShutdown();
    expect(await certificateOf(service, erasure)).toMatchObject({ found: { letters: 3 } });
    expect(await database.letters(organizationId)).toEqual({ b: 'an@example.com' });
  });

  it('tries a step again after pauses that grow, and holds up no other meanwhile', async () => {
    const [own, other] = [await organizationWithLetters(), await organizationWithLetters()];
    const area = new LetterArea(database.dataSource);
    area.beforeCommit = (organizationId) => {
      if (organizationId === own) throw new Error('poisoned');
    };
    const service = start(area);
    const [poisoned, sound] = [own, other].map((organizationId) => ({ organizationId, id: randomUUID() }));
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      await makeDue();
      expect(await erase(service, poisoned!, HOA)).toMatchObject({ erasedAt: null });
      const [{ pause }] = await database.dataSource.query<[{ pause: number }]>(
        `SELECT round(extract(epoch FROM next_try_at - now()))::integer AS pause FROM letter.erasure WHERE organization_id = $1`,
        [own],
      );
      pauses.push(pause);
    }
    expect(pauses).toEqual([5, 10, 20, 40]);
    expect(await erase(service, sound!, HOA)).toMatchObject({ erasedAt: ANY_TIME });
    await service.continueDue();
    expect(await certificateOf(service, poisoned!)).toMatchObject({ erasedAt: null });
  });

  it('is done again only when every key is gone, however many steps that takes', async () => {
    const organizationId = await organizationWithLetters(3);
    const body = bodyOf(organizationId, ['a', 'b', 'c', 'd', 'unknown']);
    const interrupted = startFailing(2);
    expect(await eraseAgain(interrupted, organizationId, body)).toMatchObject({
      erasedAt: null,
      found: { letters: 3 },
    });
    await makeDue();
    await start().continueDue();
    expect(await database.letters(organizationId)).toEqual({});
    const { requestedAt, found, keys } = body;
    expect(await certificateOf(start(), body)).toMatchObject({
      requestedAt,
      erasedAt: ANY_TIME,
      found,
      keys,
    });
    const { manager } = database.dataSource;
    expect((await new ErasedKeys('letter').find(manager, organizationId, KEYS)).size).toBe(4);
  });

  it('needs no more of a certificate than its id, organization, area and keys', async () => {
    const organizationId = await organizationWithLetters();
    const { found: _found, requestedAt: _requestedAt, ...body } = bodyOf(organizationId, ['a']);
    expect(
      await eraseAgain(start(), organizationId, { ...body, id: body.id.toUpperCase(), other: 1 }),
    ).toMatchObject({
      id: body.id,
      requestedAt: ANY_TIME,
      erasedAt: ANY_TIME,
      found: { letters: 0 },
    });
  });

  it('has a key that two erasures find in both certificates, and neither changes when it is done', async () => {
    const organizationId = await organizationWithLetters(2);
    const [one, other] = [
      { organizationId, id: randomUUID() },
      { organizationId, id: randomUUID() },
    ];
    // Both have begun with the first letters, and another one ends them.
    expect(await erase(startFailing(2), one, HOA)).toMatchObject({ erasedAt: null });
    const second = await erase(start(), other, HOA);
    expect(second).toMatchObject({ erasedAt: ANY_TIME, found: { letters: 3 } });
    await makeDue();
    const first = await finish(start(), one);
    expect(first).toMatchObject({ found: { letters: 0 }, keys: { letter: ['a', 'c'] } });
    expect(second).toMatchObject({ keys: { letter: ['a', 'c', 'd'] } });
    await eraseAgain(start(), organizationId, bodyOf(organizationId, ['a', 'b', 'c']));
    expect(await certificateOf(start(), one)).toEqual(first);
    expect(await certificateOf(start(), other)).toEqual(second);
  });

  it.each<[what: string, change: object, member: string]>([
    ['another organization', { organizationId: 'other' }, 'organizationId'],
    ['another area', { area: 'webchat' }, 'area'],
    ['another type', { keys: { message: ['a'] } }, 'keys'],
    ['a type of all objects', { keys: { constructor: ['a'] } }, 'keys'],
    ['no id of this type', { keys: { letter: ['a b'] } }, 'keys'],
    ['no text', { keys: { letter: [1] } }, 'keys'],
    ['no list', { keys: { letter: null } }, 'keys'],
    ['no keys', { keys: [] }, 'keys'],
    ['nothing', { keys: undefined }, 'keys'],
    ['another mode', { mode: 'anonymize' }, 'mode'],
    ['no mode', { mode: null }, 'mode'],
    ['no instant', { requestedAt: '2026-W05-1' }, 'requestedAt'],
    ['no time', { requestedAt: 5 }, 'requestedAt'],
    ['no counts', { found: { letters: -1 } }, 'found'],
    ['no id', { id: 'x' }, 'id'],
  ])('refuses a certificate of %s', async (_, change, member) => {
    const organizationId = await organizationWithLetters();
    const body = { ...bodyOf(organizationId, ['a']), ...change };
    await expect(eraseAgain(start(), organizationId, body)).rejects.toMatchObject({
      problem: { code: 'invalid', items: [{ loc: ['body', member] }] },
    });
    expect(await database.letters(organizationId)).toEqual(LETTERS);
  });

  it.each([null, 5, 'x', [1]])('refuses a certificate that is no object: %j', async (body) => {
    await expect(eraseAgain(start(), 'acme', body)).rejects.toMatchObject({ problem: { code: 'invalid' } });
  });

  it('takes no more connections than its organization may have when its steps are held up, and other organizations do not wait', async () => {
    const [own, other] = [await organizationWithLetters(), await organizationWithLetters()];
    const { url } = database.dataSource.options as PostgresDataSourceOptions;
    const entities = [erasureEntity('letter')];
    const work = await new LimitedDataSource(
      { type: 'postgres', url, poolSize: 4, entities },
      5_000,
    ).initialize();
    const area = new LetterArea(work);
    let letGoOn!: () => void;
    const isOver = new Promise<void>((resolve) => (letGoOn = resolve));
    area.beforeCommit = (organizationId) => organizationId === own && isOver;
    const service = new ErasureService(work, area, database.dataSource);
    const erasures = Array.from({ length: 5 }, () => ({ organizationId: own, id: randomUUID() }));
    await Promise.all(erasures.map((erasure) => erase(service, erasure, HOA)));
    const ofOther = { organizationId: other, id: randomUUID() };
    expect(await erase(service, ofOther, HOA)).toMatchObject({ erasedAt: ANY_TIME });
    letGoOn();
    await Promise.all(erasures.map((erasure) => service.finish(erasure)));
    await work.destroy();
  });
});
