import { randomUUID } from 'node:crypto';
import { ErasureService } from '@cxp/erasure';
import { type ReceivedRecord, RetentionJob, storeRecords } from '@cxp/records';
import { runs } from '@cxp/testing';
import fc from 'fast-check';
import { record } from '../../test/builders/platform-records';
import { type ContactCenterDatabase, createContactCenterDatabase } from '../../test/contact-center-database';
import { contactCenterRecords, contactCenterRecordStore } from '../records/contact-center-writer';
import { reproject } from '../records/projection';
import { ExpiredConversations } from './retention';
import { contactCenterEraser } from './contact-center-eraser';

const KEPT_DAYS = 5;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Days of the histories; those before the limit have expired. */
const DAYS = 10;
const FIRST_DAY = Date.now() - (DAYS - 0.5) * DAY_MS;
const EXPIRED_BEFORE = DAYS - KEPT_DAYS;

/** Hoa is erased, An is not. */
const HOA = ['c-0', 'c-1'];
const AN = ['c-2', 'c-3'];
const MARKER = 'm4rk3r';
const SUBJECT = { userIds: [], phones: [], emails: ['hoa@example.com'] };

type Transaction = {
  readonly kind: 'store';
  readonly keeps: boolean;
  readonly records: readonly ReceivedRecord[];
};
type Event = Transaction | { readonly kind: 'erase' | 'expire' };

const day = fc.nat(DAYS - 1);
const isoOf = (at: number) => new Date(FIRST_DAY + at * DAY_MS).toISOString();
const conversationId = fc.constantFrom(...HOA, ...AN);
const at = (field: string) =>
  fc
    .record({ conversationId, at: day, number: fc.nat(2), text: fc.nat(99) })
    .map(({ at: when, conversationId: id, ...rest }) => ({
      ...rest,
      named: { conversationId: id, [field]: isoOf(when) },
      personal: HOA.includes(id) ? `${MARKER} ${rest.text}` : `An ${rest.text}`,
    }));
const removal = (type: string, id: string | number, more: object = {}, how: object = {}) =>
  ({ line: 0, type, op: 'delete', ...how, data: { id, ...more } }) as unknown as ReceivedRecord;

const received: fc.Arbitrary<ReceivedRecord> = fc.oneof(
  fc.tuple(conversationId, day).map(([id, when]) =>
    record.conversation({
      id,
      createdAt: isoOf(0),
      updatedAt: isoOf(when),
      customer: HOA.includes(id) ? { name: MARKER, email: 'hoa@example.com' } : { name: 'An' },
    }),
  ),
  {
    weight: 2,
    arbitrary: at('updatedAt').map(({ named, number, personal }) =>
      record.ticket({ ...named, id: number, subject: personal }),
    ),
  },
  at('submittedAt').map(({ named, number, personal }) =>
    record.survey({ ...named, id: `s-${number}`, feedback: personal }),
  ),
  at('sentAt').map(({ named, number }) => record.message({ ...named, id: `m-${number}` })),
  at('occurredAt').map(({ named, number }) =>
    record.activity({ ...named, id: `a-${number}`, agent: { accountId: number } }),
  ),
  fc
    .tuple(conversationId, fc.option(day))
    .map(([id, when]) => removal('conversation', id, when === null ? {} : { updatedAt: isoOf(when) })),
  fc
    .tuple(fc.nat(2), fc.option(day))
    .map(([id, when]) => removal('ticket', id, when === null ? {} : { updatedAt: isoOf(when) })),
  fc.constantFrom(...HOA).map((id) => removal('conversation', id, {}, { reason: 'erased' })),
);

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('store' as const),
      keeps: fc.boolean(),
      records: fc.array(received, { minLength: 1, maxLength: 12 }),
    }),
  },
  fc.constantFrom('erase' as const, 'expire' as const).map((kind) => ({ kind })),
);

interface Stored {
  readonly type: string;
  readonly id: string;
  readonly conversationId: string;
  readonly at: number;
  readonly text: string;
}

const TIMES: Readonly<Record<string, string>> = {
  conversation: 'updatedAt',
  ticket: 'updatedAt',
  conversation_survey: 'submittedAt',
  message: 'sentAt',
  activity: 'occurredAt',
};

/** What is stored, if records count one after the other. */
class Model {
  readonly stored = new Map<string, Stored>();
  /** Keys of conversations and tickets. */
  private readonly erased = new Set<string>();
  private readonly removedAt = new Map<string, number>();

  receive(each: ReceivedRecord, keeps: boolean): void {
    const { type, op, reason, data } = each as unknown as {
      type: string;
      op?: string;
      reason?: string;
      data: Readonly<Record<string, unknown>>;
    };
    const key = `${type} ${String(data.id)}`;
    const time = data[TIMES[type]!] as string | undefined;
    const when = time === undefined ? undefined : Date.parse(time);
    if (op === 'delete') {
      if (type === 'conversation') this.deleteAll(String(data.id), reason === 'erased');
      this.stored.delete(key);
      if (when !== undefined) this.removedAt.set(key, Math.max(when, this.removedAt.get(key) ?? -Infinity));
      return;
    }
    if (this.erased.has(key)) return;
    if (type === 'conversation' && keeps && when! < isExpiredBefore()) return;
    const isVersioned = TIMES[type] === 'updatedAt' || type === 'conversation_survey';
    if (
      isVersioned &&
      Math.max(this.stored.get(key)?.at ?? -Infinity, this.removedAt.get(key) ?? -Infinity) > when!
    )
      return;
    if (this.erased.has(`conversation ${String(data.conversationId)}`)) {
      if (type === 'ticket') this.erased.add(key);
      this.stored.delete(key);
      return;
    }
    const { name } = (data.customer ?? {}) as { name?: string };
    const text = (name ?? data.subject ?? data.feedback ?? '') as string;
    this.stored.set(key, {
      type,
      id: String(data.id),
      conversationId: String(data.conversationId ?? data.id),
      at: when!,
      text,
    });
  }

  erase(): void {
    const roots = [...this.stored.values()].filter(
      ({ type, text }) => type === 'conversation' && text === MARKER,
    );
    for (const { id } of roots) this.deleteAll(id, true);
  }

  deleteAll(id: string, isErased: boolean): void {
    for (const [key, each] of this.stored) {
      if (each.conversationId !== id) continue;
      this.stored.delete(key);
      if (isErased && each.type === 'ticket') this.erased.add(key);
    }
    if (isErased) this.erased.add(`conversation ${id}`);
  }
}

/** Of removals one after the other, those of erased conversations count first. */
function erasedFirst(records: readonly ReceivedRecord[]): ReceivedRecord[] {
  const runs: ReceivedRecord[][] = [];
  for (const [place, each] of records.entries()) {
    if (place > 0 && records[place - 1]!.op === each.op) runs.at(-1)!.push(each);
    else runs.push([each]);
  }
  const isErased = (each: ReceivedRecord) => 'reason' in each && each.reason === 'erased';
  return runs.flatMap((run) => [...run.filter(isErased), ...run.filter((each) => !isErased(each))]);
}

function isExpiredBefore(): number {
  return FIRST_DAY + (EXPIRED_BEFORE - 0.5) * DAY_MS;
}

describe('what is stored after records, erasures and expiry in any order', () => {
  let database: ContactCenterDatabase;
  let service: ErasureService;
  let organizations = 0;
  beforeAll(async () => {
    database = await createContactCenterDatabase();
    const { dataSource } = database;
    service = new ErasureService(dataSource, contactCenterEraser(dataSource), dataSource);
  });
  afterAll(() => database.drop());

  it('is what is left if they count one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 3, maxLength: 14 }), async (events) => {
        const organizationId = `organization-${++organizations}`;
        const model = new Model();
        for (const each of events) {
          if (each.kind === 'store') {
            const area = each.keeps ? contactCenterRecordStore(KEPT_DAYS) : contactCenterRecords;
            await storeRecords(database.dataSource, area, organizationId, each.records);
            for (const one of erasedFirst(each.records)) model.receive(one, each.keeps);
          } else if (each.kind === 'expire') await expire(organizationId, model);
          else {
            await service.finish(await service.begin({ organizationId, id: randomUUID() }, SUBJECT));
            model.erase();
          }
          expect(await storedIn(organizationId)).toEqual(sorted([...model.stored.values()]));
          await expectToFit(organizationId);
        }
      }),
      { numRuns: runs(12) },
    );
  });

  /** A day after the last records have arrived. */
  async function expire(organizationId: string, model: Model): Promise<void> {
    const { dataSource } = database;
    await dataSource.query(
      `UPDATE contact_center.record SET stored_at = now() - interval '2 days' WHERE organization_id = $1`,
      [organizationId],
    );
    const awaited = await dataSource.query<{ id: string; at: Date }[]>(
      'SELECT id, at FROM contact_center.record WHERE organization_id = $1 AND created_at IS NOT NULL AND data IS NULL',
      [organizationId],
    );
    await new RetentionJob(dataSource, new ExpiredConversations(dataSource), KEPT_DAYS).removeExpired();
    const ages = [...model.stored.values()]
      .filter(({ type }) => type === 'conversation')
      .map(({ id, at: when }) => ({ id, at: when }));
    for (const { id, at: when } of [...ages, ...awaited]) {
      if (Number(when) < isExpiredBefore()) model.deleteAll(id, false);
    }
  }

  async function storedIn(organizationId: string): Promise<Stored[]> {
    const found = await database.dataSource.query<(Omit<Stored, 'at'> & { at: Date })[]>(
      `SELECT type, id, conversation_id AS "conversationId", at,
         coalesce(data #>> '{customer,name}', data ->> 'subject', data ->> 'feedback', '') AS text
       FROM contact_center.record WHERE organization_id = $1 AND data IS NOT NULL`,
      [organizationId],
    );
    return sorted(found.map((each) => ({ ...each, at: each.at.getTime() })));
  }

  /** Rows fit the records; what belongs to no conversation is waited for until it expires. */
  async function expectToFit(organizationId: string): Promise<void> {
    const { changed } = await reproject(database.dataSource, organizationId);
    const [lost] = await database.dataSource.query<object[]>(
      `SELECT
         (SELECT count(*)::integer FROM contact_center.conversation_session AS row WHERE organization_id = $1 AND NOT EXISTS (
           SELECT FROM contact_center.record
           WHERE organization_id = $1 AND type = 'conversation' AND id = row.conversation_id AND data IS NOT NULL
         )) AS rows,
         (SELECT count(*)::integer FROM contact_center.record AS part
          WHERE organization_id = $1 AND data IS NOT NULL AND NOT EXISTS (
            SELECT FROM contact_center.record AS root WHERE organization_id = $1 AND type = 'conversation'
              AND id = part.conversation_id AND conversation_id = id AND (data IS NOT NULL OR root.at >= part.at)
          )) AS records`,
      [organizationId],
    );
    expect({ changed, ...lost }).toEqual({ changed: 0, rows: 0, records: 0 });
  }
});

function sorted(stored: readonly Stored[]): Stored[] {
  const keyOf = ({ type, id }: Stored) => `${type} ${id}`;
  return [...stored].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
