import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { DataSource } from 'typeorm';
import {
  type Certificate,
  type ErasureKey,
  ErasureService,
  isNobody,
  MAX_IDENTIFIERS,
  subjectOf,
} from '@cxp/erasure';
import { ProblemError } from '@cxp/error-envelopes';
import { MAX_IDENTIFIER_LENGTH } from '@cxp/identifiers';
import { hasCodePoints } from '@cxp/service-kit';
import { connectRedis, failureReason } from '@cxp/storage';
import { openCertificates } from './certificate-file';
import { requireOrganization, withDatabase } from './database';
import type { ErasedSubject } from './erase.command';
import { CommandError, setting, UsageError } from './environment';

/** A certificate, and the same with its keys as JSON. */
type CertificateText = Certificate & { readonly text: string };

/**
 * Erases the data of a person from all areas, one after the other. The certificate of an area is kept as soon as it is there, and so are those
 * of an earlier run that was interrupted.
 */
export async function eraseSubject(options: ErasedSubject): Promise<CertificateText[]> {
  const { organization: organizationId, dryRun, userId: userIds, phone: phones, email: emails } = options;
  checkIdentifiers(options);
  const subject = subjectOf({ userIds, phones, emails });
  const file = options.certificates === undefined ? undefined : await openCertificates(options.certificates);
  try {
    return await withAreas(async (areas, dataSource) => {
      await requireOrganization(dataSource, organizationId);
      const certificates: CertificateText[] = [];
      if (dryRun) {
        for (const { service } of areas)
          certificates.push(await withText(service, await service.count(organizationId, subject)));
        return certificates;
      }
      const erasures = areas.map(({ name }) => ({ area: name, organizationId, id: randomUUID() }));
      await file?.begin(erasures);
      for (const erasure of file?.interrupted ?? []) {
        const service = serviceOf(areas, erasure.area)!;
        if (await isKnown(service, erasure)) await file!.append(await finish(service, erasure));
      }
      for (const erasure of erasures) {
        const service = serviceOf(areas, erasure.area)!;
        await service.begin(erasure, subject);
        const certificate = await finish(service, erasure);
        certificates.push(certificate);
        await file?.append(certificate);
      }
      await file?.end();
      return certificates;
    });
  } finally {
    await file?.close();
  }
}

/** Applies the erasures of a file of certificates once more. @param only the organization that they have to be of */
export async function eraseAgain(file: string, only: string | undefined): Promise<CertificateText[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const kept = lines.flatMap((line, place) => (line === '' ? [] : [parseCertificate(line, place + 1, only)]));
  return withAreas(async (areas) => {
    const certificates: CertificateText[] = [];
    for (const { number, certificate } of kept) {
      const { organizationId, area } = certificate;
      const service = serviceOf(areas, area);
      if (!service) throw new CommandError(`line ${number} is no certificate`);
      // A backup may not know the organization yet: what comes of it later is erased.
      const erasure = await service.beginAgain(organizationId, certificate).catch(reportProblem(number));
      certificates.push(await finish(service, erasure));
    }
    return certificates;
  });
}

async function finish(service: ErasureService, erasure: ErasureKey): Promise<CertificateText> {
  return withText(service, await service.finish(erasure));
}

async function withText(service: ErasureService, certificate: Certificate): Promise<CertificateText> {
  let text = '';
  for await (const piece of service.json(certificate)) text += piece;
  return { ...certificate, text };
}

/** A run that was interrupted may have ended before it began an erasure. */
async function isKnown(service: ErasureService, erasure: ErasureKey): Promise<boolean> {
  return service.find(erasure).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ProblemError && error.problem.code === 'resource_not_found') return false;
      throw error;
    },
  );
}

interface RunningArea {
  readonly name: string;
  readonly service: ErasureService;
}

async function withAreas<Result>(
  use: (areas: readonly RunningArea[], dataSource: DataSource) => Promise<Result>,
): Promise<Result> {
  const { databases, erasureAreas } = await import('@cxp/areas/wiring');
  return withDatabase(async (dataSource) => {
    const redis = connectRedis(setting('REDIS_URL'));
    // Without a listener ioredis prints each failed attempt to connect.
    redis.on('error', () => undefined);
    const areas = erasureAreas(dataSource, redis).map((area) => ({
      name: area.name,
      service: new ErasureService(dataSource, area, dataSource),
    }));
    try {
      await once(redis, 'ready').catch((error: unknown) => {
        throw new CommandError(`Redis does not answer: is REDIS_URL right? ${failureReason(error)}`);
      });
      return await use(areas, dataSource);
    } finally {
      redis.disconnect();
    }
  }, databases);
}

function serviceOf(areas: readonly RunningArea[], area: string): ErasureService | undefined {
  return areas.find(({ name }) => name === area)?.service;
}

/** Of a certificate that is refused: what is wrong with it, as the endpoint answers it. @throws CommandError */
function reportProblem(number: number): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ProblemError && error.problem.code === 'invalid')) throw error;
    throw new CommandError(
      `line ${number} is no certificate: ${error.problem.items.map(({ msg }) => msg).join('; ')}`,
    );
  };
}

/** As the endpoints do. @throws UsageError */
function checkIdentifiers({ userId: userIds, phone: phones, email: emails }: ErasedSubject): void {
  const all = [...userIds, ...phones, ...emails];
  if (all.length > MAX_IDENTIFIERS)
    throw new UsageError(`an erasure has at most ${MAX_IDENTIFIERS} identifiers`);
  if (!all.every((text) => hasCodePoints(text, 1, MAX_IDENTIFIER_LENGTH)))
    throw new UsageError(`an identifier must have 1 to ${MAX_IDENTIFIER_LENGTH} characters`);
  if (isNobody(subjectOf({ userIds, phones, emails })))
    throw new UsageError('--user-id, --phone or --email must not be blank');
}

/** @throws CommandError */
function parseCertificate(line: string, number: number, only: string | undefined) {
  let certificate: Partial<Record<string, unknown>> | null = null;
  try {
    certificate = JSON.parse(line) as Partial<Record<string, unknown>> | null;
  } catch {
    // Refused below.
  }
  const { organizationId, area } = certificate ?? {};
  if (typeof organizationId !== 'string' || typeof area !== 'string')
    throw new CommandError(`line ${number} is no certificate`);
  if (only !== undefined && organizationId !== only)
    throw new CommandError(`line ${number} is the certificate of another organization`);
  return { number, certificate: { ...certificate, organizationId, area } };
}
