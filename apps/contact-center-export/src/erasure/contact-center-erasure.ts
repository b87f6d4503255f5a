import { ChangeRepository } from '@cxp/change-feed';
import {
  type Erased,
  type ErasureArea,
  type ErasureMode,
  IS_OF_PERSON,
  isNoNewData,
  keyText,
  type RecordKey,
  type Subject,
} from '@cxp/erasure';
import { INTAKE_TIMEOUTS, withIntakeTurn } from '@cxp/record-intake';
import { Statement, textColumn } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { Projection } from '../projection/projection';
import { CONVERSATIONS_PER_STEP, eraseConversations, erasedKeys } from '../records/erased-records';
import { RecordRepository } from '../records/record.repository';
import { KINDS, personKeysOf } from '../records/stored-record';
import { ExpiredConversations } from './expired-conversations';

const { name, schema } = contactCenterDatabase;

/** $1 organization, $2 keys of the subject, $3 limit, $4 when the erasure was asked for, if it was yet. */
const FIND = new Statement(
  { id: textColumn('id') },
  (list) => `SELECT ${list} FROM ${schema}.record
    WHERE ${IS_OF_PERSON} AND ${isNoNewData('$4::timestamptz')} LIMIT $3`,
);

/** How a person's data is erased from area B. @param keptDays undefined: conversations do not expire */
export function contactCenterErasure(dataSource: DataSource, keptDays?: number): ErasureArea {
  return new ContactCenterErasure(dataSource, keptDays);
}

class ContactCenterErasure implements ErasureArea {
  readonly name = name;
  readonly schema = schema;
  readonly kinds = Object.values(KINDS);
  readonly keyTypes = { conversation: /^[^\0]{1,255}$/su, ticket: /^-?\d{1,16}$/ };
  readonly rootsPerStep = CONVERSATIONS_PER_STEP;

  readonly expiring?: ExpiredConversations;

  constructor(
    private readonly dataSource: DataSource,
    keptDays: number | undefined,
  ) {
    if (keptDays !== undefined) this.expiring = new ExpiredConversations(dataSource, keptDays);
  }

  transaction<Result>(
    organizationId: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return withIntakeTurn(this.dataSource, name, organizationId, work, INTAKE_TIMEOUTS);
  }

  async find(
    manager: EntityManager,
    organizationId: string,
    subject: Subject,
    limit: number,
    requestedAt?: Date,
  ): Promise<readonly RecordKey[]> {
    const found = await FIND.run(manager, [organizationId, personKeysOf(subject), limit, requestedAt]);
    return found.map(({ id }) => ({ type: 'conversation', id }));
  }

  async erase(
    manager: EntityManager,
    organizationId: string,
    roots: readonly RecordKey[],
    mode: ErasureMode,
  ): Promise<Erased> {
    const idsOf = (wanted: string) => roots.filter(({ type }) => type === wanted).map(({ id }) => id);
    const ids = idsOf('conversation');
    const { found, keys } = await eraseConversations(manager, organizationId, ids, mode);
    // Of an erasure that is applied again: those that have moved to another conversation are not counted with it.
    const tickets = idsOf('ticket');
    const records = new RecordRepository(manager);
    const keysOfTickets = tickets.map((id) => ({ type: 'ticket', id }));
    const touched = (await records.find(organizationId, keysOfTickets)).flatMap(
      ({ conversationId }) => conversationId ?? [],
    );
    const parents = touched.map((id) => ({ type: 'conversation', id }));
    const modes = await erasedKeys.find(manager, organizationId, parents);
    const moved = parents.filter((parent) => modes.get(keyText(parent)) !== mode);
    if (mode === 'delete') await records.remove(organizationId, keysOfTickets);
    else await records.anonymize(organizationId, keysOfTickets);
    const erased = {
      found: { ...found, tickets: found.tickets! + moved.length },
      keys: [...keys, ...keysOfTickets],
    };
    const reason = mode === 'delete' ? 'erased' : undefined;
    await new Projection(manager).renew(organizationId, [...new Set([...ids, ...touched])], reason);
    return erased;
  }

  async lastChange(manager: EntityManager, organizationId: string): Promise<number> {
    return new ChangeRepository(manager, schema).last(organizationId);
  }
}
