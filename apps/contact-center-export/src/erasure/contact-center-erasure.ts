import { ChangeRepository } from '@cxp/change-feed';
import {
  type Erased,
  type ErasureArea,
  IS_OF_PERSON,
  isNoNewData,
  type RecordKey,
  type Subject,
} from '@cxp/erasure';
import { INTAKE_TIMEOUTS, withOrganizationLock } from '@cxp/records';
import { pagesById, Statement, textColumn } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { Projection } from '../records/projection';
import { ConversationRecordsReadModel } from '../records/conversation-records.read-model';
import { eraseConversationRecords } from '../records/erased-records';
import { type FoundRecord, RecordRepository } from '../records/record.repository';
import { KINDS, personKeysOfSubject } from '../records/stored-record';

const { name, schema } = contactCenterDatabase;

/** Limits of one step: conversations, and their records together. */
const CONVERSATIONS_PER_STEP = 20;
const RECORDS_PER_STEP = 10_000;

/**
 * $1 organization, $2 keys of the subject, $3 limit, $4 when the erasure was requested, or null, $5 the id before the first.
 */
const FIND = new Statement(
  { id: textColumn('id') },
  (list) => `SELECT ${list} FROM ${schema}.record
    WHERE ${IS_OF_PERSON} AND ${isNoNewData('$4::timestamptz')} AND id > $5 ORDER BY record.id LIMIT $3`,
);

export function contactCenterErasure(dataSource: DataSource): ErasureArea {
  return {
    name,
    schema,
    kinds: Object.values(KINDS),
    keyTypes: { conversation: /^[^\0]{1,255}$/su, ticket: /^-?\d{1,16}$/ },
    transaction: (organizationId, work) =>
      withOrganizationLock(dataSource, name, organizationId, work, INTAKE_TIMEOUTS),
    maxKeys: CONVERSATIONS_PER_STEP,
    find,
    count: (manager, organizationId, keys) =>
      new RecordRepository(manager).countKinds(
        organizationId,
        keys.map(({ id }) => id),
      ),
    erase,
    lastChange: (manager, organizationId) => new ChangeRepository(manager, schema).last(organizationId),
  };
}

async function* find(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
  requestedAt: Date | null,
): AsyncGenerator<readonly RecordKey[]> {
  const keys = personKeysOfSubject(subject);
  const read = (after: string) =>
    FIND.run(manager, [organizationId, keys, CONVERSATIONS_PER_STEP, requestedAt, after]);
  for await (const found of pagesById('', read)) yield found.map(({ id }) => ({ type: 'conversation', id }));
}

/** Tickets are erased singly, too: for a repeated erasure they may have moved to another conversation. */
async function erase(
  manager: EntityManager,
  organizationId: string,
  keys: readonly RecordKey[],
): Promise<Erased> {
  const records = new RecordRepository(manager);
  const keysOf = (wanted: string) => keys.filter(({ type }) => type === wanted);
  const ids = keysOf('conversation').map(({ id }) => id);
  const conversations = await fitting(manager, organizationId, ids);
  const { found, tickets } = await eraseConversationRecords(manager, organizationId, conversations);

  const others = (await records.find(organizationId, keysOf('ticket'))).filter(hasConversation);
  const parents = await fitting(manager, organizationId, [
    ...new Set(others.map(({ conversationId }) => conversationId)),
  ]);
  const isOfParents = ({ conversationId }: { readonly conversationId: string }) =>
    parents.includes(conversationId);
  await records.remove(organizationId, others.filter(isOfParents));

  const projection = new Projection(manager);
  await projection.renew(organizationId, [...conversations, ...parents], 'erased');
  await projection.removeAgain(organizationId, conversations, 'erased');
  const left = [
    ...ids.filter((id) => !conversations.includes(id)).map((id) => ({ type: 'conversation', id })),
    ...others.filter((ticket) => !isOfParents(ticket)).map(({ id }) => ({ type: 'ticket', id })),
  ];
  return { found, more: tickets, left };
}

/** False for the kept removal of a ticket. */
function hasConversation(found: FoundRecord): found is FoundRecord & { readonly conversationId: string } {
  return found.conversationId !== null;
}

/** As many conversations as one step projects, at least one. */
async function fitting(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const weights = await new ConversationRecordsReadModel(manager).weights(organizationId, ids);
  let records = 0;
  return weights
    .filter((weight, place) => (records += weight.records) <= RECORDS_PER_STEP || place === 0)
    .map(({ id }) => id);
}
