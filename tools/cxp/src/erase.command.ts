import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
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
import { databases, erasureAreas } from '@cxp/system-tests/areas';
import { requireOrganization, withDatabase } from './database';
import { CommandError, printResult, setting, UsageError } from './environment';

interface EraseOptions {
  readonly organization?: string;
  readonly userId: readonly string[];
  readonly phone: readonly string[];
  readonly email: readonly string[];
  readonly dryRun?: boolean;
  readonly certificates?: string;
  readonly again?: string;
  readonly json?: boolean;
}

export function eraseCommand(): Command {
  return new Command('erase')
    .description(
      'erase the data of a person from all areas, or apply erasures again after a backup was restored',
    )
    .option('--organization <id>', 'the organization')
    .option('--user-id <id>', 'a user id, which matches nothing in area survey; may be repeated', add, [])
    .option('--phone <phone>', 'a phone; may be repeated', add, [])
    .option('--email <email>', 'an email; may be repeated', add, [])
    .option('--dry-run', 'only count what would be erased')
    .option('--certificates <file>', 'append the certificates to this file, one JSON object a line')
    .option('--again <file>', 'apply the erasures of these certificates again')
    .option('--json', 'print one JSON object')
    .action(async (options: EraseOptions) => {
      checkUsage(options);
      const certificates =
        options.again === undefined
          ? await eraseSubject({ ...options, organization: options.organization! })
          : await eraseAgain(options.again, options.organization);
      printResult(
        {
          json: { certificates: certificates.map(({ text }) => JSON.parse(text) as object) },
          text: certificates.map((certificate) => describe(certificate, options.userId)).join('\n'),
        },
        options.json,
      );
    });
}

function add(value: string, values: readonly string[]): readonly string[] {
  return [...values, value];
}

/** @throws UsageError */
function checkUsage({ again, organization, userId, phone, email, dryRun, certificates }: EraseOptions): void {
  const identifiers = [...userId, ...phone, ...email];
  if (again !== undefined) {
    if (identifiers.length > 0 || dryRun || certificates) {
      throw new UsageError('--again takes no identifiers, no --dry-run and no --certificates');
    }
    return;
  }
  if (organization === undefined) throw new UsageError('--organization is missing');
  if (identifiers.length === 0)
    throw new UsageError('name whose data to erase: --user-id, --phone or --email');
}

/** For people: what was found in an area, and what became of it. */
function describe({ area, found, erasedAt }: Certificate, userIds: readonly string[]): string {
  const counts = Object.entries(found)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${words(kind)}`);
  const outcome = erasedAt === null ? 'found' : 'erased';
  const note = area === 'survey' && userIds.length > 0 ? '; user ids match nothing in this area' : '';
  return `${area}: ${counts.length > 0 ? `${counts.join(', ')} ${outcome}` : 'nothing found'}${note}`;
}

/** `conversationSurveys` as `conversation surveys`. */
function words(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A certificate, and the same with its keys as JSON. */
type CertificateText = Certificate & { readonly text: string };

/**
 * Erases the data of a person from all areas, one after the other. The certificate of an area is kept as soon as it is there, and so are those
 * of an earlier run that was interrupted.
 */
async function eraseSubject(
  options: EraseOptions & { readonly organization: string },
): Promise<CertificateText[]> {
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
async function eraseAgain(file: string, only: string | undefined): Promise<CertificateText[]> {
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
function checkIdentifiers({ userId: userIds, phone: phones, email: emails }: EraseOptions): void {
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

interface BegunErasure extends ErasureKey {
  readonly area: string;
}

/**
 * A file that certificates are appended to. Beside it, `FILE.begun` names the erasures of a run until it ends: the next run asks for the
 * certificates of one that was interrupted, whose keys only the services know by then.
 */
async function openCertificates(path: string) {
  const begunPath = `${path}.begun`;
  const interrupted = await readBegun(begunPath);
  const file = await open(path, 'a+', 0o600);
  // An interrupted run may have written half a line: its erasure is among those that it has begun.
  const written = await file.readFile();
  await file.truncate(written.lastIndexOf('\n') + 1);
  return {
    interrupted,
    async begin(erasures: readonly BegunErasure[]): Promise<void> {
      const lines = [...interrupted, ...erasures].map((erasure) => `${JSON.stringify(erasure)}\n`);
      await writeFile(`${begunPath}.new`, lines.join(''), { mode: 0o600, flush: true });
      await rename(`${begunPath}.new`, begunPath);
    },
    async append({ text }: { readonly text: string }): Promise<void> {
      await file.appendFile(`${text}\n`);
      await file.sync();
    },
    end: () => rm(begunPath),
    close: () => file.close(),
  };
}

async function readBegun(path: string): Promise<BegunErasure[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as BegunErasure);
}
