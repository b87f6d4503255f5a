import { ChangeRepository } from '@cxp/change-feed';
import {
  type Eraser,
  type ErasureStep,
  IS_OF_PERSON,
  isNoNewData,
  type RunningErasure,
  type Subject,
} from '@cxp/erasure';
import { INTAKE_TIMEOUTS, withOrganizationLock } from '@cxp/records';
import { pagesById, Statement, textColumn } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { Projection } from '../records/projection';
import { ConversationRecordsReadModel } from '../records/conversation-records.read-model';
import { eraseConversationRecords } from '../records/erased-records';
import { RecordRepository } from '../records/record.repository';
import { KINDS, personKeysOfSubject } from '../records/stored-record';

const { name, schema } = contactCenterDatabase;

/** Limits of one step: conversations, and their records together. */
const CONVERSATIONS_PER_STEP = 200;
const RECORDS_PER_STEP = 10_000;

/** Conversations of one statement of a dry run. */
const COUNTED_AT_ONCE = 1_000;

/** `$requestedAt` of the erasure; null: not requested yet. */
const FIND = new Statement(
  {
    organizationId: 'text',
    personKeys: 'text[]',
    limit: 'integer',
    requestedAt: 'timestamptz | null',
    after: 'text',
  },
  { id: textColumn('id') },
  (list) => `SELECT ${list} FROM ${schema}.record
    WHERE ${IS_OF_PERSON} AND ${isNoNewData('$requestedAt')} AND id > $after ORDER BY record.id LIMIT $limit`,
);

export function contactCenterEraser(dataSource: DataSource): Eraser {
  return {
    name,
    schema,
    kinds: Object.values(KINDS),
    transaction: (organizationId, work) =>
      withOrganizationLock(dataSource, name, organizationId, work, INTAKE_TIMEOUTS),
    count,
    erase,
    lastChange: (manager, organizationId) => new ChangeRepository(manager, schema).last(organizationId),
  };
}

async function* count(manager: EntityManager, organizationId: string, subject: Subject) {
  const keys = personKeysOfSubject(subject);
  const read = (after: string) =>
    FIND.run(manager, { organizationId, personKeys: keys, limit: COUNTED_AT_ONCE, requestedAt: null, after });
  const records = new RecordRepository(manager);
  for await (const found of pagesById('', read)) {
    yield records.countKinds(
      organizationId,
      found.map(({ id }) => id),
    );
  }
}

/** Erased conversations are not found again, so each step begins at the first. */
async function erase(
  manager: EntityManager,
  { organizationId, subject, requestedAt }: RunningErasure,
): Promise<ErasureStep> {
  const keys = personKeysOfSubject(subject);
  const found = await FIND.run(manager, {
    organizationId,
    personKeys: keys,
    limit: CONVERSATIONS_PER_STEP,
    requestedAt,
    after: '',
  });
  const ids = await fitting(
    manager,
    organizationId,
    found.map(({ id }) => id),
  );
  if (ids.length === 0) return { found: {}, keys: [], next: null };
  const erased = await eraseConversationRecords(manager, organizationId, ids);
  const projection = new Projection(manager);
  await projection.renew(organizationId, ids, 'erased');
  await projection.removeAgain(organizationId, ids, 'erased');
  const conversations = ids.map((id) => ({ type: 'conversation', id }));
  return { found: erased.found, keys: [...conversations, ...erased.tickets], next: '' };
}

/** As many conversations as one step erases, at least one. */
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
