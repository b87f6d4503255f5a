import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { lastByKey } from '@cxp/platform-records';
import { organizationWork } from '@cxp/service-kit';
import { GroupCommit } from '@cxp/storage';
import { personKeysOfResponse } from '../erasure/person-keys';
import { responseDigest } from '../responses/response-feed';
import type { ResponseRecord } from '../responses/response-record';
import { SUBMIT } from './store-submissions';

/** The answers of a respondent, as a response of area C. */
interface Submission {
  readonly organizationId: string;
  readonly response: ResponseRecord;
  /** The link whose metadata the response has, if it has any, and the mapping key with which they were read. */
  readonly linkWithMetadata: { readonly publicId: string; readonly mappingKey: Buffer } | undefined;
}

/**
 * How long a submission waits for an intake of its organization, and for other locks, in milliseconds. After that
 * the request is a 503, and the page sends the answers again.
 */
const LOCK_TIMEOUTS = { turnMs: 1_000, lockMs: 300 };

/** Submissions of one transaction: together at most a few megabytes. */
const MAX_COMMITTED = 100;

/**
 * Stores submissions as records are stored, under the turn of their organization, by one call of a function. Submissions that come
 * while one of their organization is under way share the next one, so that they do not wait for each other's turns.
 */
@Injectable()
export class SubmissionService {
  private readonly commits: GroupCommit<Submission, boolean>;

  constructor(private readonly dataSource: DataSource) {
    this.commits = new GroupCommit({
      maxItems: MAX_COMMITTED,
      groupOf: ({ organizationId }) => organizationId,
      commit: async (submissions) => {
        const isStored = await this.storeAll(submissions);
        return submissions.map(() => isStored);
      },
      commitAlone: (submission) => this.storeAll([submission]),
    });
  }

  /**
   * Stores a response, unless there is one of this id.
   * @returns false if the metadata of a link were changed meanwhile, and have to be read again
   */
  store(submission: Submission): Promise<boolean> {
    return this.commits.add(submission);
  }

  /** @param submissions of one organization, in the order of their arrival */
  private storeAll(submissions: readonly Submission[]): Promise<boolean> {
    const { organizationId } = submissions[0]!;
    const store = async () => {
      const { manager } = this.dataSource;
      const first = lastByKey([...submissions].reverse(), ({ response }) => response.identifier);
      const responses = first.map(({ response }) => ({
        ...response,
        digest: responseDigest(response),
        person_keys: personKeysOfResponse(response),
      }));
      // Of one link, those of before and after an erasure may come together.
      const links = lastByKey(
        first.flatMap(({ linkWithMetadata }) => linkWithMetadata ?? []),
        ({ publicId, mappingKey }) => publicId + mappingKey.toString('hex'),
      );
      const { isStored } = (await SUBMIT.first(manager, [
        organizationId,
        JSON.stringify(responses),
        links.map(({ publicId }) => publicId),
        links.map(({ mappingKey }) => mappingKey),
        LOCK_TIMEOUTS.turnMs,
        LOCK_TIMEOUTS.lockMs,
      ]))!;
      return isStored;
    };
    return organizationWork.run(organizationId, store);
  }
}
