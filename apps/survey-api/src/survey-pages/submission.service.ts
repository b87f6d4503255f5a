import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { lastByKey, surveyRecordTypes, withOrganizationLock } from '@cxp/records';
import { GroupCommit, REQUEST_LIMIT_MS, Statement, textColumn } from '@cxp/storage';
import { jsonBytes } from '../json';
import { surveyDatabase } from '../database';
import { withoutErased } from '../responses/erased-responses';
import type { ResponseRecord } from '../responses/response-fields';
import { ResponseRepository } from '../responses/response.repository';
import { metadataOfLinks } from './linked-survey.read-model';

interface Submission {
  readonly organizationId: string;
  readonly publicId: string;
  readonly response: ResponseRecord;
  readonly answersBytes: number;
}

/** Answers and metadata as they are stored. The other fields of a page's response take less than a KiB, and it is a legal record. */
const MAX_STORED_BYTES = surveyRecordTypes.survey_response.maxBytes - 1_024;

/**
 * Milliseconds of waiting for the organization's intakes and for other locks; then the request is a 503 and the page sends
 * again.
 */
const LOCK_TIMEOUTS = { organizationLockMs: 1_000, lockMs: 300 };

const FIND_RESPONSE = new Statement(
  { organizationId: 'text', identifier: 'uuid' },
  { identifier: textColumn('identifier') },
  (list) =>
    `SELECT ${list} FROM survey.response WHERE organization_id = $organizationId AND identifier = $identifier`,
);

/** Submissions of one transaction: 13 MB at most, in most cases some kilobytes. */
const MAX_COMMITTED = 100;

/**
 * Stores submissions like records, under the organization's lock. Submissions that arrive during a transaction of their
 * organization share the next one.
 */
@Injectable()
export class SubmissionService {
  private readonly commits: GroupCommit<Submission, boolean>;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(REQUEST_LIMIT_MS) waitMs: number,
  ) {
    this.commits = new GroupCommit({
      maxItems: MAX_COMMITTED,
      waitMs,
      groupOf: ({ organizationId }) => organizationId,
      commit: (submissions) => this.storeAll(submissions),
      commitAlone: async (submission) => (await this.storeAll([submission]))[0]!,
    });
  }

  /** @returns false if the response would be too large */
  async store(submission: Omit<Submission, 'answersBytes'>): Promise<boolean> {
    const answersBytes = jsonBytes(submission.response.answers);
    return answersBytes <= MAX_STORED_BYTES && this.commits.add({ ...submission, answersBytes });
  }

  async isStored(organizationId: string, identifier: string): Promise<boolean> {
    const found = await FIND_RESPONSE.first(this.dataSource.manager, { organizationId, identifier });
    return found !== undefined;
  }

  /**
   * Reads metadata under the lock, which erasures hold, too: erased metadata come into no response.
   * @param submissions of one organization, in order of arrival
   * @returns whether each is stored, or too large
   */
  private storeAll(submissions: readonly Submission[]): Promise<boolean[]> {
    const { organizationId } = submissions[0]!;
    const store = async (manager: EntityManager) => {
      const links = [...new Set(submissions.map(({ publicId }) => publicId))];
      const metadata = await metadataOfLinks(manager, organizationId, links);
      const metadataBytes = new Map([...metadata].map(([link, values]) => [link, jsonBytes(values)]));
      const isFitting = ({ publicId, answersBytes }: Submission) =>
        answersBytes + (metadataBytes.get(publicId) ?? 0) <= MAX_STORED_BYTES;
      const fitting = submissions.filter(isFitting).reverse();
      const responses = lastByKey(fitting, ({ response }) => response.identifier).map(
        ({ publicId, response }) => ({
          data: { ...response, metadata_mappings: metadata.get(publicId) ?? null },
        }),
      );
      const kept = await withoutErased(manager, organizationId, responses);
      await new ResponseRepository(manager).add(
        organizationId,
        kept.map(({ data }) => data),
      );
      return submissions.map(isFitting);
    };
    return withOrganizationLock(this.dataSource, surveyDatabase.name, organizationId, store, LOCK_TIMEOUTS);
  }
}

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Milliseconds between opening a page and its answer. After a longer time the page counts as opened at its answer. */
const MAX_OPEN_MS = 7 * 24 * 60 * 60 * 1_000;

/** A UUIDv7 (RFC 9562) of the time at which the page was opened. */
export function newResponseId(openedMs = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(openedMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A new id if the form has no valid UUIDv7, so that no typed answer is lost. */
export function responseIdOf(sent: string | undefined): string {
  const id = sent?.toLowerCase();
  return id !== undefined && UUID_V7.test(id) ? id : newResponseId();
}

/** An impossible time is replaced by the time of the answer. */
export function openedAt(responseId: string, answeredAt: Date): Date {
  const [, high = '', low = ''] = UUID_V7.exec(responseId) ?? [];
  const age = Number(answeredAt) - Number.parseInt(high + low, 16);
  return age >= 0 && age <= MAX_OPEN_MS ? new Date(Number(answeredAt) - age) : answeredAt;
}
