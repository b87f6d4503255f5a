import { randomUUID } from 'node:crypto';
import { eventually } from '@cxp/service-kit/testing';
import { LetterArea, letterDatabase, type LetterDatabase } from '../test/letter-area';
import { ErasedKeys } from './erased-keys';
import type { ErasureMode } from './erasure-area';
import { type Certificate, ErasureService, MAX_TRIED_ROOTS } from './erasure.service';
import type { Subject } from './subject';

const HOA: Subject = { userIds: [], phones: [], emails: ['nguyenhoa@example.com'] };
const LETTERS = {
  a: 'NguyenHoa@example.com',
  b: 'an@example.com',
  c: 'nguyenhoa@EXAMPLE.com',
  d: 'nguyenhoa@example.com',
};
const MODES = ['delete', 'anonymize'] as const;
const KEYS = Object.keys(LETTERS).map((id) => ({ type: 'letter', id }));

describe('ErasureService', () => {
  let database: LetterDatabase;
  const services: ErasureService[] = [];
  beforeAll(async () => {
    database = await letterDatabase();
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.beforeApplicationShutdown();
  });
  afterAll(() => database.drop());

  function start(area = new LetterArea(database.dataSource)): ErasureService {
    const service = new ErasureService(database.dataSource, area);
    services.push(service);
    return service;
  }

  async function organizationWithLetters(): Promise<string> {
    const organizationId = randomUUID();
    await database.store(organizationId, LETTERS);
    return organizationId;
  }

  const certificateOf = (organizationId: string, letter: readonly string[]) => ({
    organizationId,
    area: 'survey',
    id: randomUUID(),
    mode: 'delete' as ErasureMode,
    requestedAt: '2026-01-05T02:00:00.000Z',
    keys: { letter },
  });

  const erasedOf = (organizationId: string) =>
    new ErasedKeys('letter').find(database.dataSource.manager, organizationId, KEYS);

  it.each([
    ['delete' as const, { b: 'an@example.com' }],
    ['anonymize' as const, { a: null, b: 'an@example.com', c: null, d: null }],
  ])('erases what an identifier leads to: %s', async (mode, left) => {
    const organizationId = await organizationWithLetters();
    const other = await organizationWithLetters();
    const id = randomUUID();
    const certificate = await start().erase(organizationId, { id, subject: HOA, mode });
    expect(certificate).toEqual({
      id,
      organizationId,
      area: 'survey',
      mode,
      requestedAt: expect.any(String) as string,
      erasedAt: expect.any(String) as string,
      found: { letters: 3 },
      lastChange: 7,
      keys: { letter: ['a', 'c', 'd'] },
    });
    expect(await database.letters(organizationId)).toEqual(left);
    expect(await database.letters(other)).toEqual(LETTERS);
    expect(Object.fromEntries(await erasedOf(organizationId))).toEqual({
      'letter a': mode,
      'letter c': mode,
      'letter d': mode,
    });
    expect(await erasedOf(other)).toEqual(new Map());
  });

  it('only counts when it is tried out', async () => {
    const organizationId = await organizationWithLetters();
    const certificate = await start().tryOut(organizationId, { subject: HOA, mode: 'delete' });
    expect(certificate).toMatchObject({ id: null, erasedAt: null, keys: {}, found: { letters: 3 } });
    expect(await database.letters(organizationId)).toEqual(LETTERS);
    expect(await erasedOf(organizationId)).toEqual(new Map());
  });

  it('counts no more than a request has time for', async () => {
    const organizationId = randomUUID();
    const many = Array.from({ length: MAX_TRIED_ROOTS + 1 }, (_, n) => [`l${n}`, 'nguyenhoa@example.com']);
    await database.store(organizationId, Object.fromEntries(many));
    const area = Object.assign(new LetterArea(database.dataSource), { rootsPerStep: MAX_TRIED_ROOTS / 4 });
    const { found } = await start(area).tryOut(organizationId, { subject: HOA, mode: 'delete' });
    expect(found).toEqual({ letters: MAX_TRIED_ROOTS });
  });

  it.each(MODES)('names all kinds when it finds nothing: %s', async (mode) => {
    const request = { id: randomUUID(), subject: HOA, mode };
    const service = start();
    const found = { letters: 0 };
    expect(await service.tryOut(randomUUID(), request)).toMatchObject({ found });
    expect(await service.erase(randomUUID(), request)).toMatchObject({ found });
  });

  it('answers the same for the same id, and refuses it for anything else', async () => {
    const organizationId = await organizationWithLetters();
    const service = start();
    const request = { id: randomUUID(), subject: HOA, mode: 'delete' as const };
    const first = await service.erase(organizationId, request);
    await database.store(organizationId, { new: 'nguyenhoa@example.com' });
    expect(await service.erase(organizationId, request)).toEqual(first);
    expect(await service.certificate(organizationId, request.id)).toEqual(first);
    // What came later is new data.
    expect(await database.letters(organizationId)).toEqual({
      b: 'an@example.com',
      new: 'nguyenhoa@example.com',
    });
    for (const other of [
      { mode: 'anonymize' as const },
      { subject: { ...HOA, emails: ['an@example.com'] } },
    ]) {
      await expect(service.erase(organizationId, { ...request, ...other })).rejects.toMatchObject({
        problem: { code: 'invalid', items: [{ loc: ['body', 'id'] }] },
      });
    }
    await expect(service.certificate(randomUUID(), request.id)).rejects.toMatchObject({
      problem: { code: 'resource_not_found' },
    });
  });

  it('erases once, however many ask and however many processes there are', async () => {
    const organizationId = await organizationWithLetters();
    const request = { id: randomUUID(), subject: HOA, mode: 'anonymize' as const };
    const both = [start(), start()];
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, i) => both[i % 2]!.erase(organizationId, request)),
    );
    await eventually(async () => (await both[0]!.certificate(organizationId, request.id)).erasedAt !== null);
    expect(await both[0]!.certificate(organizationId, request.id)).toMatchObject({
      found: { letters: 3 },
      lastChange: 7,
    });
    for (const { found } of all) expect(found.letters ?? 0).toBeLessThanOrEqual(3);
  });

  it('goes on where it was interrupted', async () => {
    const organizationId = await organizationWithLetters();
    const area = new LetterArea(database.dataSource);
    let steps = 0;
    area.beforeCommit = () => {
      steps += 1;
      if (steps === 2) throw new Error('killed');
    };
    const request = { id: randomUUID(), subject: HOA, mode: 'delete' as const };
    const first = await start(area).erase(organizationId, request);
    expect(first).toMatchObject({ erasedAt: null, found: { letters: 2 }, keys: {} });
    const again = start();
    const last = await again.erase(organizationId, request);
    expect(last).toMatchObject({ erasedAt: expect.any(String) as string, found: { letters: 3 } });
    expect(await database.letters(organizationId)).toEqual({ b: 'an@example.com' });
  });

  it.each(MODES)('erases again what a backup brought back: %s', async (mode) => {
    const organizationId = await organizationWithLetters();
    const service = start();
    const certificate = await service.erase(organizationId, { id: randomUUID(), subject: HOA, mode });
    await database.dataSource.query(
      'DELETE FROM letter.letter; DELETE FROM letter.erasure; DELETE FROM letter.erased_key',
    );
    // Written between the erasure and now.
    await database.store(organizationId, { ...LETTERS, new: 'nguyenhoa@example.com' });
    const request = { ...certificate, id: certificate.id! };
    for (const each of [start(), service]) {
      const again = await each.eraseAgain(request);
      await eventually(async () => (await each.certificate(organizationId, request.id)).erasedAt !== null);
      expect(again).toMatchObject({ id: certificate.id, requestedAt: certificate.requestedAt });
    }
    expect(await database.letters(organizationId)).toEqual({
      ...(mode === 'anonymize' && { a: null, c: null, d: null }),
      b: 'an@example.com',
      new: 'nguyenhoa@example.com',
    });
    expect([...(await erasedOf(organizationId)).keys()].sort()).toEqual(['letter a', 'letter c', 'letter d']);
  });

  it.each(MODES)('answers the same when it is applied again and nothing was lost: %s', async (mode) => {
    const organizationId = await organizationWithLetters();
    const service = start();
    const certificate = await service.erase(organizationId, { id: randomUUID(), subject: HOA, mode });
    const id = certificate.id!;
    await service.eraseAgain({ ...certificate, id });
    await eventually(async () => (await service.certificate(organizationId, id)).erasedAt !== null);
    expect(await service.certificate(organizationId, id)).toEqual(certificate);
  });

  it.each([true, false])('erases by all parts of a certificate, which come at once: %s', async (atOnce) => {
    const organizationId = await organizationWithLetters();
    const service = start();
    const certificate = certificateOf(organizationId, []);
    const parts = [['a'], ['c', 'd']].map((letter) => ({ ...certificate, keys: { letter } }));
    if (atOnce) await Promise.all(parts.map((part) => service.eraseAgain(part)));
    else for (const part of parts) await service.eraseAgain(part);
    const { id } = certificate;
    await eventually(async () => (await service.certificate(organizationId, id)).erasedAt !== null);
    expect(await database.letters(organizationId)).toEqual({ b: 'an@example.com' });
    const all = { found: { letters: 3 }, keys: { letter: ['a', 'c', 'd'] } };
    expect(await service.certificate(organizationId, id)).toMatchObject(all);
  });

  it('erases again by a certificate whose id was used again after the backup was restored', async () => {
    const organizationId = await organizationWithLetters();
    const service = start();
    const request = { id: randomUUID(), subject: HOA, mode: 'delete' as const };
    const { area, requestedAt, keys } = await service.erase(organizationId, request);
    await database.dataSource.query(
      'DELETE FROM letter.letter; DELETE FROM letter.erasure; DELETE FROM letter.erased_key',
    );
    await database.store(organizationId, LETTERS);
    await service.erase(organizationId, request);
    await database.store(organizationId, LETTERS);
    await service.eraseAgain({ organizationId, id: request.id, mode: request.mode, area, requestedAt, keys });
    await eventually(
      async () => (await service.certificate(organizationId, request.id)).erasedAt !== null,
      10_000,
    );
    expect(await service.certificate(organizationId, request.id)).toMatchObject({ requestedAt });
    expect(await database.letters(organizationId)).toEqual({ b: 'an@example.com' });
  });

  it('knows nothing of the subject after a restore: the first request with the id and mode answers the certificate', async () => {
    const organizationId = await organizationWithLetters();
    const service = start();
    const request = { id: randomUUID(), subject: HOA, mode: 'delete' as const };
    const certificate = await service.erase(organizationId, request);
    await database.dataSource.query('DELETE FROM letter.erasure; DELETE FROM letter.erased_key');
    await service.eraseAgain({ ...certificate, id: request.id });
    const { id, requestedAt } = certificate;
    const refused = { problem: { items: [{ loc: ['body', 'id'] }] } };
    await expect(service.erase(organizationId, { ...request, mode: 'anonymize' })).rejects.toMatchObject(
      refused,
    );
    expect(await service.erase(organizationId, request)).toMatchObject({ id, requestedAt });
    const other = { ...request, subject: { ...HOA, emails: ['an@example.com'] } };
    await expect(service.erase(organizationId, other)).rejects.toMatchObject(refused);
    expect(await service.erase(organizationId, request)).toMatchObject({ id, requestedAt });
  });

  it('is left alone by processes of the release before while it is applied again', async () => {
    const organizationId = await organizationWithLetters();
    const area = new LetterArea(database.dataSource);
    const seen: number[] = [];
    area.beforeCommit = async () => {
      const [found] = await database.dataSource.query<{ count: number }[]>(
        `SELECT count(*)::int FROM letter.erasure WHERE organization_id = $1 AND erased_at IS NULL AND subject IS NOT NULL`,
        [organizationId],
      );
      seen.push(found!.count);
    };
    const certificate = certificateOf(organizationId, ['a', 'b', 'c', 'd']);
    expect(await start(area).eraseAgain(certificate)).toMatchObject({ found: { letters: 4 } });
    expect(seen).toEqual([0, 0]);
  });

  it('has all keys in a certificate, those of an earlier one of the same subject included', async () => {
    const organizationId = await organizationWithLetters();
    const service = start();
    const request = { id: randomUUID(), subject: HOA, mode: 'delete' as const };
    await service.erase(organizationId, request);
    await database.store(organizationId, { e: 'nguyenhoa@example.com' });
    const { found, keys } = await service.erase(organizationId, { ...request, id: randomUUID() });
    expect({ found, keys }).toEqual({ found: { letters: 1 }, keys: { letter: ['a', 'c', 'd', 'e'] } });
  });

  it('erases again by its keys: nothing that they do not name, whatever the certificate is of', async () => {
    const organizationId = await organizationWithLetters();
    const certificate = certificateOf(organizationId, ['b', 'unknown']);
    expect(await start().eraseAgain(certificate)).toMatchObject({
      ...certificate,
      erasedAt: expect.any(String) as string,
      found: { letters: 1 },
    });
    const { b: _, ...left } = LETTERS;
    expect(await database.letters(organizationId)).toEqual(left);
  });

  it.each<[what: string, change: object]>([
    ['another area', { area: 'webchat' }],
    ['another type', { keys: { message: ['a'] } }],
    ['a type of all objects', { keys: { constructor: ['a'] } }],
    ['no id of this type', { keys: { letter: ['a b'] } }],
    ['another mode than that of its id', { mode: 'anonymize' }],
    ['no instant', { requestedAt: '2026-W05-1' }],
  ])('refuses a certificate of %s', async (_, change) => {
    const organizationId = await organizationWithLetters();
    const service = start();
    const certificate = await service.erase(organizationId, {
      id: randomUUID(),
      subject: HOA,
      mode: 'delete',
    });
    const request = { ...certificate, id: certificate.id!, ...change };
    await expect(service.eraseAgain(request)).rejects.toMatchObject({ problem: { code: 'invalid' } });
  });

  it('goes on with what another process has left', async () => {
    const organizationId = await organizationWithLetters();
    const area = new LetterArea(database.dataSource);
    area.beforeCommit = () => {
      throw new Error('killed');
    };
    const killed = start(area);
    const request = { id: randomUUID(), subject: HOA, mode: 'delete' as const };
    expect(await killed.erase(organizationId, request)).toMatchObject({ erasedAt: null });
    await start().goOn();
    expect(await killed.certificate(organizationId, request.id)).toMatchObject({ found: { letters: 3 } });
    expect(await database.letters(organizationId)).toEqual({ b: 'an@example.com' });
  });

  it.each(MODES)(
    'goes on with one that is applied again and that another process has left: %s',
    async (mode) => {
      const organizationId = await organizationWithLetters();
      const area = new LetterArea(database.dataSource);
      let steps = 0;
      area.beforeCommit = () => {
        if (++steps === 2) throw new Error('killed');
      };
      const certificate = { ...certificateOf(organizationId, ['a', 'c', 'd', 'unknown']), mode };
      const service = start();
      const answers: Certificate[] = [];
      // The second time it was done before.
      for (const _ of [1, 2]) {
        steps = 0;
        const killed = start(area);
        expect(await killed.eraseAgain(certificate)).toMatchObject({ erasedAt: null });
        await killed.beforeApplicationShutdown();
        await service.goOn();
        answers.push(await service.certificate(organizationId, certificate.id));
      }
      const erasedAt = expect.any(String) as string;
      expect(answers[0]).toMatchObject({ ...certificate, erasedAt, found: { letters: 3 } });
      expect(answers[1]).toEqual(answers[0]);
      const left = mode === 'delete' ? {} : { a: null, c: null, d: null };
      expect(await database.letters(organizationId)).toEqual({ ...left, b: 'an@example.com' });
    },
  );

  it('waits for its organization’s turn without a connection, and other organizations do not wait', async () => {
    const [own, other] = [await organizationWithLetters(), await organizationWithLetters()];
    const area = new LetterArea(database.dataSource);
    let letGoOn!: () => void;
    const isOver = new Promise<void>((resolve) => (letGoOn = resolve));
    area.beforeCommit = (organizationId) => organizationId === own && isOver;
    const service = start(area);
    const request = { id: randomUUID(), subject: HOA, mode: 'delete' as const };
    await service.erase(own, request);
    const certificate = { ...certificateOf(own, ['a']), id: request.id };
    const waiting = [1, 2, 3, 4].flatMap(() => [
      service.tryOut(own, request),
      service.eraseAgain(certificate),
    ]);
    await Promise.all([1, 2, 3, 4].map(() => service.erase(own, request)));
    await service.erase(other, request);
    await eventually(async () => (await service.certificate(other, request.id)).erasedAt !== null);
    letGoOn();
    await Promise.all(waiting);
    await eventually(async () => (await service.certificate(own, request.id)).erasedAt !== null);
  });

  it('tries a step again that others hold up, of an erasure and of one that is applied again', async () => {
    const area = new LetterArea(database.dataSource);
    const service = start(area);
    for (const isAgain of [false, true]) {
      const organizationId = await organizationWithLetters();
      const id = randomUUID();
      let steps = 0;
      area.beforeCommit = () => {
        if (++steps === 1) throw new Error('lock timeout');
      };
      const keys = { letter: ['a', 'c', 'd'] };
      const begun = isAgain
        ? await service.eraseAgain({ ...certificateOf(organizationId, keys.letter), id })
        : await service.erase(organizationId, { id, subject: HOA, mode: 'delete' });
      expect(begun.erasedAt).toBeNull();
      await eventually(async () => (await service.certificate(organizationId, id)).erasedAt !== null, 10_000);
      expect(await service.certificate(organizationId, id)).toMatchObject({ found: { letters: 3 }, keys });
    }
  });

  it('goes on with one that is under way and is applied again by its certificate, which has no keys yet', async () => {
    const organizationId = await organizationWithLetters();
    const area = new LetterArea(database.dataSource);
    area.beforeCommit = () => {
      throw new Error('killed');
    };
    const killed = start(area);
    const id = randomUUID();
    const begun = await killed.erase(organizationId, { id, subject: HOA, mode: 'delete' });
    expect(begun).toMatchObject({ erasedAt: null, keys: {} });
    await killed.beforeApplicationShutdown();
    const service = start();
    await service.eraseAgain({ ...begun, id });
    await eventually(async () => (await service.certificate(organizationId, id)).erasedAt !== null);
    expect(await service.certificate(organizationId, id)).toMatchObject({
      found: { letters: 3 },
      keys: { letter: ['a', 'c', 'd'] },
    });
    expect(await database.letters(organizationId)).toEqual({ b: 'an@example.com' });
  });

  it('keeps no identifier once it is done', async () => {
    const organizationId = await organizationWithLetters();
    await start().erase(organizationId, { id: randomUUID(), subject: HOA, mode: 'delete' });
    const [{ kept }] = await database.dataSource.query<[{ kept: string }]>(
      `SELECT (SELECT string_agg(erasure::text, ' ') FROM letter.erasure) || (SELECT string_agg(erased_key::text, ' ') FROM letter.erased_key) AS kept`,
    );
    expect(kept).not.toMatch(/nguyenhoa/i);
    expect(kept).not.toContain(Buffer.from('nguyenhoa').toString('hex'));
  });
});
