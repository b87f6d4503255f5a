import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { lastByKey, withOrganizationLock } from '@cxp/records';
import { GroupCommit, Statement, textColumn } from '@cxp/storage';
import { surveyDatabase } from '../database';
import { withoutErased } from '../responses/erased-responses';
import type { ResponseRecord } from '../responses/response-fields';
import { ResponseRepository } from '../responses/response.repository';
import { metadataOfLinks } from './linked-survey.read-model';

interface Submission {
  readonly organizationId: string;
  /** Of the link, whose metadata the response gets. */
  readonly publicId: string;
  readonly response: ResponseRecord;
}

/**
 * How long a submission waits for an intake of its organization, and for other locks, in milliseconds. After that
 * the request is a 503, and the page sends the answers again.
 */
const LOCK_TIMEOUTS = { organizationLockMs: 1_000, lockMs: 300 };

const FIND_RESPONSE = new Statement(
  { identifier: textColumn('identifier') },
  (list) => `SELECT ${list} FROM survey.response WHERE organization_id = $1 AND identifier = $2`,
);

/** Submissions of one transaction: together at most a few megabytes. */
const MAX_COMMITTED = 100;

/**
 * Stores submissions as records are stored, under the lock of their organization. Submissions that come
 * while one of their organization is under way share the next one, so that they do not wait for each other.
 */
@Injectable()
export class SubmissionService {
  private readonly commits: GroupCommit<Submission, void>;

  constructor(private readonly dataSource: DataSource) {
    this.commits = new GroupCommit({
      maxItems: MAX_COMMITTED,
      groupOf: ({ organizationId }) => organizationId,
      commit: async (submissions) => {
        await this.storeAll(submissions);
        return submissions.map(() => undefined);
      },
      commitAlone: (submission) => this.storeAll([submission]),
    });
  }

  store(submission: Submission): Promise<void> {
    return this.commits.add(submission);
  }

  async isStored(organizationId: string, identifier: string): Promise<boolean> {
    const found = await FIND_RESPONSE.first(this.dataSource.manager, [organizationId, identifier]);
    return found !== undefined;
  }

  /**
   * The metadata are read under the lock, which an erasure holds, too: what it takes out of a link comes into no response.
   * @param submissions of one organization, in the order of their arrival
   */
  private storeAll(submissions: readonly Submission[]): Promise<void> {
    const { organizationId } = submissions[0]!;
    const first = lastByKey([...submissions].reverse(), ({ response }) => response.identifier);
    const store = async (manager: EntityManager) => {
      const links = [...new Set(first.map(({ publicId }) => publicId))];
      const metadata = await metadataOfLinks(manager, organizationId, links);
      const responses = first.map(({ publicId, response }) => ({
        data: { ...response, metadata_mappings: metadata.get(publicId) ?? null },
      }));
      const kept = await withoutErased(manager, organizationId, responses);
      await new ResponseRepository(manager).add(
        organizationId,
        kept.map(({ data }) => data),
      );
    };
    return withOrganizationLock(this.dataSource, surveyDatabase.name, organizationId, store, LOCK_TIMEOUTS);
  }
}

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The longest time between opening a page and its answer; if it was longer, the page counts as opened at its answer. */
const MAX_OPEN_MS = 7 * 24 * 60 * 60 * 1_000;

/** The id of a response that is not stored: a UUIDv7 (RFC 9562) of the time at which its page was opened. */
export function newResponseId(openedMs = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(openedMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The response id that a form holds; a new one if that is no UUIDv7: nothing that was typed is wrong. */
export function responseIdOf(sent: string | undefined): string {
  const id = sent?.toLowerCase();
  return id !== undefined && UUID_V7.test(id) ? id : newResponseId();
}

/** When the page of a response was opened; a time that cannot be true is the time of the answer. */
export function openedAt(responseId: string, answeredAt: Date): Date {
  const [, high = '', low = ''] = UUID_V7.exec(responseId) ?? [];
  const age = Number(answeredAt) - Number.parseInt(high + low, 16);
  return age >= 0 && age <= MAX_OPEN_MS ? new Date(Number(answeredAt) - age) : answeredAt;
}
