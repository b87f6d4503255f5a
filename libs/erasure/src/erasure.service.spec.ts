import { randomUUID } from 'node:crypto';
import { LimitedDataSource } from '@cxp/storage';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import { eventually } from '@cxp/testing';
import { LetterEraser, letterDatabase, type LetterDatabase } from '../test/letter-eraser';
import { erasureEntity, type ErasureKey } from './erasure.repository';
import { ErasureService } from './erasure.service';
import { type Subject, subjectOf } from './eraser';

const HOA = subjectOf({ emails: ['nguyenhoa@example.com'] });
const AN = subjectOf({ emails: ['an@example.com'] });
const LETTERS = {
  a: 'NguyenHoa@example.com',
  b: 'an@example.com',
  c: 'nguyenhoa@EXAMPLE.com',
  d: 'nguyenhoa@example.com',
};
const ANY_TIME = expect.any(String) as string;

describe('ErasureService', () => {
  let database: LetterDatabase;
  beforeAll(async () => {
    database = await letterDatabase();
  });
  afterAll(() => database.drop());

  function start(eraser = new LetterEraser(database.dataSource)): ErasureService {
    return new ErasureService(database.dataSource, eraser, database.dataSource);
  }

  /** A process in which steps fail from some step on. */
  function startFailing(fromStep: number): ErasureService {
    const eraser = new LetterEraser(database.dataSource);
    let steps = 0;
    eraser.beforeCommit = () => {
      if (++steps >= fromStep) throw new Error('killed');
    };
    return start(eraser);
  }

  async function organizationWithLetters(): Promise<string> {
    const organizationId = randomUUID();
    await database.store(organizationId, LETTERS);
    return organizationId;
  }

  /** Those that have failed are due again. */
  const makeDue = () => database.dataSource.query('UPDATE letter.erasure SET next_attempt_at = now()');

  const erase = async (service: ErasureService, erasure: ErasureKey, subject: Subject) =>
    service.afterMoment(await service.begin(erasure, subject));

  it('stops counting when its client is gone', async () => {
    await expect(start().count(randomUUID(), HOA, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('refuses another subject under the id of one that is under way', async () => {
    const organizationId = await organizationWithLetters();
    const erasure = { organizationId, id: randomUUID() };
    expect(await erase(startFailing(1), erasure, HOA)).toMatchObject({ erasedAt: null });
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
    expect(await both[0]!.finish(erasure)).toMatchObject({ found: { letters: 3 } });
  });

  it('goes on where it was interrupted when a process starts, and ends with that', async () => {
    const organizationId = await organizationWithLetters();
    const erasure = { organizationId, id: randomUUID() };
    const first = await erase(startFailing(2), erasure, HOA);
    expect(first).toMatchObject({ erasedAt: null, found: { letters: 2 } });
    await makeDue();
    const eraser = new LetterEraser(database.dataSource);
    const service = start(eraser);
    service.onApplicationBootstrap();
    await eventually(async () => (await service.find(erasure)).erasedAt !== null);
    await service.beforeApplicationShutdown();
    expect(await service.find(erasure)).toMatchObject({ found: { letters: 3 } });
    expect(eraser.positions).toEqual(['c', 'd']);
    expect(await database.letters(organizationId)).toEqual({ b: 'an@example.com' });
  });

  it('tries a step again after pauses that grow, and holds up no other meanwhile', async () => {
    const [own, other] = [await organizationWithLetters(), await organizationWithLetters()];
    const eraser = new LetterEraser(database.dataSource);
    eraser.beforeCommit = (organizationId) => {
      if (organizationId === own) throw new Error('poisoned');
    };
    const service = start(eraser);
    const [poisoned, sound] = [own, other].map((organizationId) => ({ organizationId, id: randomUUID() }));
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      await makeDue();
      expect(await erase(service, poisoned!, HOA)).toMatchObject({ erasedAt: null });
      const [{ pause }] = await database.dataSource.query<[{ pause: number }]>(
        `SELECT round(extract(epoch FROM next_attempt_at - now()))::integer AS pause FROM letter.erasure WHERE organization_id = $1`,
        [own],
      );
      pauses.push(pause);
    }
    expect(pauses).toEqual([5, 10, 20, 40]);
    expect(await erase(service, sound!, HOA)).toMatchObject({ erasedAt: ANY_TIME });
    await service.continueDue();
    expect(await service.find(poisoned!)).toMatchObject({ erasedAt: null });
  });

  it('takes no more connections than its organization may have when its steps are held up, and other organizations do not wait', async () => {
    const [own, other] = [await organizationWithLetters(), await organizationWithLetters()];
    const { url } = database.dataSource.options as PostgresDataSourceOptions;
    const entities = [erasureEntity('letter')];
    const work = await new LimitedDataSource(
      { type: 'postgres', url, poolSize: 4, entities },
      5_000,
    ).initialize();
    const eraser = new LetterEraser(work);
    let letGoOn!: () => void;
    const isOver = new Promise<void>((resolve) => (letGoOn = resolve));
    eraser.beforeCommit = (organizationId) => organizationId === own && isOver;
    const service = new ErasureService(work, eraser, database.dataSource);
    const erasures = Array.from({ length: 5 }, () => ({ organizationId: own, id: randomUUID() }));
    await Promise.all(erasures.map((erasure) => erase(service, erasure, HOA)));
    const ofOther = { organizationId: other, id: randomUUID() };
    expect(await erase(service, ofOther, HOA)).toMatchObject({ erasedAt: ANY_TIME });
    letGoOn();
    await Promise.all(erasures.map((erasure) => service.finish(erasure)));
    await work.destroy();
  });
});
