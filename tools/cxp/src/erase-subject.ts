import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import {
  type Certificate,
  ERASURE_AREAS,
  type ErasureArea,
  type ErasureMode,
  ErasureService,
  isBlank,
  isKeys,
  MAX_IDENTIFIERS,
} from '@cxp/erasure';
import { ProblemError } from '@cxp/error-envelopes';
import { comparableEmail, comparablePhone, MAX_IDENTIFIER_LENGTH } from '@cxp/identifiers';
import { hasCodePoints } from '@cxp/service-kit';
import { connectRedis, failureReason } from '@cxp/storage';
import type { Redis } from 'ioredis';
import { CommandError, requireOrganization, setting, UsageError, withDatabase } from './environment';

/** How often a large erasure is asked whether it is done, in milliseconds. */
const POLL_MS = 500;

/** Makes the areas that erase, in the order in which they are asked. */
type ErasureAreas = (dataSource: DataSource, redis: Redis, mode: ErasureMode) => readonly ErasureArea[];

export interface EraseSubjectOptions {
  readonly organization: string;
  readonly userId: readonly string[];
  readonly phone: readonly string[];
  readonly email: readonly string[];
  readonly mode: ErasureMode;
  readonly dryRun?: boolean;
  /** A file that certificates are appended to. */
  readonly certificates?: string;
}

/**
 * Erases the data of a person from all areas, one after the other. The certificate of an area is kept as soon as it is there.
 */
export async function eraseSubject(
  erasureAreas: ErasureAreas,
  options: EraseSubjectOptions,
): Promise<Certificate[]> {
  const { organization, mode, dryRun } = options;
  checkIdentifiers(options);
  const subject = {
    userIds: options.userId,
    phones: options.phone.map(comparablePhone),
    emails: options.email.map(comparableEmail),
  };
  const file = options.certificates === undefined ? undefined : await open(options.certificates, 'a', 0o600);
  try {
    return await withAreas(erasureAreas, mode, async (areas, dataSource) => {
      await requireOrganization(dataSource, organization);
      const certificates: Certificate[] = [];
      for (const { service } of areas) {
        const certificate = dryRun
          ? await service.tryOut(organization, { subject, mode })
          : await finished(service, organization, (id) =>
              service.erase(organization, { id, subject, mode }).catch(reportProblem('the erasure')),
            );
        certificates.push(certificate);
        if (dryRun) continue;
        await file?.appendFile(`${JSON.stringify(certificate)}\n`);
        await file?.sync();
      }
      return certificates;
    });
  } finally {
    await file?.close();
  }
}

/** Applies the erasures of a file of certificates once more. @param only the organization that they have to be of */
export async function eraseAgain(
  erasureAreas: ErasureAreas,
  file: string,
  only: string | undefined,
): Promise<Certificate[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const kept = lines.flatMap((line, place) => (line === '' ? [] : [parseCertificate(line, place + 1, only)]));
  return withAreas(erasureAreas, 'delete', async (areas) => {
    const certificates: Certificate[] = [];
    for (const { number, ...request } of kept) {
      const { organizationId, area, id } = request;
      // A backup may not know the organization yet: what comes of it later is erased.
      const { service } = areas.find(({ name }) => name === area)!;
      const again = () => service.eraseAgain(request).catch(reportProblem(`line ${number}`));
      certificates.push(await finished(service, organizationId, again, id));
    }
    return certificates;
  });
}

interface RunningArea {
  readonly name: string;
  readonly service: ErasureService;
}

async function withAreas<Result>(
  erasureAreas: ErasureAreas,
  mode: ErasureMode,
  use: (areas: readonly RunningArea[], dataSource: DataSource) => Promise<Result>,
): Promise<Result> {
  return withDatabase(async (dataSource) => {
    const redis = connectRedis(setting('REDIS_URL'));
    // Without a listener ioredis prints each failed attempt to connect.
    redis.on('error', () => undefined);
    const areas = erasureAreas(dataSource, redis, mode).map((area) => ({
      name: area.name,
      service: new ErasureService(dataSource, area),
    }));
    try {
      await once(redis, 'ready').catch((error: unknown) => {
        throw new CommandError(`Redis does not answer: is REDIS_URL right? ${failureReason(error)}`);
      });
      return await use(areas, dataSource);
    } finally {
      for (const { service } of areas) await service.beforeApplicationShutdown();
      redis.disconnect();
    }
  });
}

/** The certificate of an erasure that is done, however long it takes. */
async function finished(
  service: ErasureService,
  organizationId: string,
  begin: (id: string) => Promise<Certificate>,
  id: string = randomUUID(),
): Promise<Certificate> {
  let certificate = await begin(id);
  while (certificate.erasedAt === null) {
    await sleep(POLL_MS);
    certificate = await service.certificate(organizationId, id);
  }
  return certificate;
}

/** Of a request that is refused: what is wrong with it, as the endpoint answers it. @throws CommandError */
function reportProblem(what: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ProblemError && error.problem.code === 'invalid')) throw error;
    throw new CommandError(`${what} is refused: ${error.problem.items.map(({ msg }) => msg).join('; ')}`);
  };
}

/** As the endpoints do: a blank identifier would be that of everybody who has none. @throws UsageError */
function checkIdentifiers({ userId, phone, email }: EraseSubjectOptions): void {
  if (userId.length + phone.length + email.length > MAX_IDENTIFIERS) {
    throw new UsageError(`an erasure has at most ${MAX_IDENTIFIERS} identifiers`);
  }
  const check = (option: string, values: readonly string[], comparable: (text: string) => string) => {
    if (
      values.every((value) => !isBlank(value, comparable) && hasCodePoints(value, 1, MAX_IDENTIFIER_LENGTH))
    )
      return;
    throw new UsageError(`${option} must not be blank, nor longer than ${MAX_IDENTIFIER_LENGTH} characters`);
  };
  check('--user-id', userId, String);
  check('--phone', phone, comparablePhone);
  check('--email', email, comparableEmail);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws CommandError */
function parseCertificate(line: string, number: number, only: string | undefined) {
  let certificate: Partial<Certificate> | null = null;
  try {
    certificate = JSON.parse(line) as Partial<Certificate> | null;
  } catch {
    // Refused below.
  }
  const { organizationId, area, id, mode, requestedAt, keys } = certificate ?? {};
  const isText = typeof organizationId === 'string' && UUID.test(String(id));
  const isTime = typeof requestedAt === 'string' && !Number.isNaN(Date.parse(requestedAt));
  const isMode = mode === 'delete' || mode === 'anonymize';
  if (!isText || !isTime || !isMode || !ERASURE_AREAS.includes(area!) || !isKeys(keys)) {
    throw new CommandError(`line ${number} is no certificate`);
  }
  if (only !== undefined && organizationId !== only) {
    throw new CommandError(`line ${number} is the certificate of another organization`);
  }
  return {
    number,
    organizationId: organizationId,
    area: area!,
    id: id!,
    mode,
    requestedAt: requestedAt,
    keys,
  };
}
