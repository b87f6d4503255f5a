import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { databases, erasers } from '@cxp/areas/wiring';
import { type Certificate, ERASURE_BODY, ErasureService, readEraseRequest, subjectOf } from '@cxp/erasure';
import { ProblemError } from '@cxp/error-envelopes';
import { linesOfStream } from '@cxp/records';
import { connectRedis, failureReason } from '@cxp/storage';
import { requireOrganization, withDatabase } from './database';
import { CommandError, setting, UsageError } from './environment';

export interface EraseOptions {
  readonly organization: string;
  readonly userId: readonly string[];
  readonly phone: readonly string[];
  readonly email: readonly string[];
  readonly id?: string;
  readonly dryRun?: boolean;
  readonly requests?: string;
  readonly json?: boolean;
}

/** What became of a line of a file of requests. */
export type RequestResult =
  | { readonly request: string; readonly certificates: readonly Certificate[] }
  | { readonly request: string; readonly problem: string };

type EraseRequest = Awaited<ReturnType<typeof readEraseRequest>>;

/** Does a request in all areas, one after the other. */
type Erase = (request: EraseRequest) => Promise<Certificate[]>;

export async function eraseSubject(options: EraseOptions): Promise<Certificate[]> {
  const { userId: userIds, phone: phones, email: emails, id = randomUUID(), dryRun } = options;
  const body = JSON.stringify({ id, dryRun, subject: { userIds, phones, emails } });
  const request = await readEraseRequest(body).catch((error: unknown) => {
    throw new UsageError(problemOf(error));
  });
  return withAreas(options.organization, (erase) =>
    erase(request).catch((error: unknown) => {
      throw new CommandError(problemOf(error));
    }),
  );
}

/** Does each request of a file. A line that is none is reported, and the others are done. */
export async function eraseAll(
  organizationId: string,
  file: string,
  report: (result: RequestResult) => void,
): Promise<void> {
  await withAreas(organizationId, async (erase) => {
    const input: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
    for await (const { number, bytes } of linesOfStream(input, ERASURE_BODY.jsonBytes)) {
      if (bytes?.length === 0) continue;
      let name = `line ${number}`;
      try {
        if (!bytes) throw new CommandError(`a request has at most ${ERASURE_BODY.jsonBytes} bytes`);
        const request = await readEraseRequest(bytes);
        if (!request.dryRun) name = request.id.toLowerCase();
        report({ request: name, certificates: await erase(request) });
      } catch (error) {
        report({ request: name, problem: problemOf(error) });
      }
    }
  });
}

/** What is wrong with a request; it quotes no value of it. @throws any other error */
function problemOf(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  if (!(error instanceof ProblemError && error.problem.code === 'invalid')) throw error;
  return error.problem.items
    .map(({ loc, type, msg }) => (type === 'missing' ? `${loc.slice(1).join('.')} is missing` : msg))
    .join('; ');
}

async function withAreas<Result>(
  organizationId: string,
  use: (erase: Erase) => Promise<Result>,
): Promise<Result> {
  return withDatabase(async (dataSource) => {
    const redis = connectRedis(setting('REDIS_URL'));
    // Without a listener ioredis prints each failed attempt to connect.
    redis.on('error', () => undefined);
    const services = erasers(dataSource, redis).map(
      (eraser) => new ErasureService(dataSource, eraser, dataSource),
    );
    const erase: Erase = async ({ id, subject: sent, dryRun }) => {
      const subject = subjectOf(sent);
      const certificates: Certificate[] = [];
      for (const service of services) {
        if (dryRun) certificates.push(await service.count(organizationId, subject));
        else {
          const erasure = await service.begin({ organizationId, id: id.toLowerCase() }, subject);
          certificates.push(await service.finish(erasure));
        }
      }
      return certificates;
    };
    try {
      await once(redis, 'ready').catch((error: unknown) => {
        throw new CommandError(`Redis does not answer: is REDIS_URL right? ${failureReason(error)}`);
      });
      await requireOrganization(dataSource, organizationId);
      return await use(erase);
    } finally {
      redis.disconnect();
    }
  }, databases);
}
