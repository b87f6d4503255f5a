import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { ErasedKeys, keyOf, keyText } from './erased-keys';
import { type ErasureArea, type ErasureMode, type Found, MAX_COUNT, type RecordKey } from './erasure-area';
import { type AgainRequest, type Erasure, ErasureRepository, NOT_KNOWN } from './erasure.repository';
import { type ErasureSecret, HASH_BYTES } from './erasure-secret';
import { comparableEmail, comparablePhone, isIdentifierOf, type Subject } from './subject';

/** The roots that one erasure erases at most. Its certificate carries their keys, and those of what belongs to them. */
const MAX_ROOTS = 100_000;

/** Roots that are compared with the keys of an erasure that is applied again, by one step. */
const ROOTS_PER_SCAN = 5_000;

/** How long a request waits for its erasure, in milliseconds; a larger one goes on without it. */
const WAIT_MS = 1_000;

/** How often erasures are looked for that another process has left, in milliseconds. */
const LOOK_EVERY_MS = 5_000;

/** The pause between two steps, in which others have their turn, in milliseconds. */
const STEP_PAUSE_MS = 10;

/** Erasures that a process goes on with at once. */
const AT_ONCE = 2;

/** What is answered of an erasure. It holds no identifier. */
export interface Certificate {
  /** Null: of a dry run. */
  readonly id: string | null;
  readonly area: string;
  readonly mode: ErasureMode;
  readonly requestedAt: string;
  readonly erasedAt: string | null;
  readonly found: Found;
  readonly lastChange: number | null;
  readonly sealed: string | null;
}

/** What is relied on of a certificate. */
export type EraseAgainRequest = Omit<AgainRequest, 'organizationId'> & { readonly area: string };

export interface ErasureRequest {
  readonly id: string;
  readonly subject: Subject;
  readonly mode: ErasureMode;
}

/**
 * Erases the data of persons, in steps that are transactions of their own. What is left of an erasure stands in the data itself: whatever
 * interrupts one, the next step of any process goes on.
 */
export class ErasureService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ErasureService.name);
  private readonly erasures: ErasureRepository;
  private readonly keys: ErasedKeys;
  private isStopping = false;
  /** Emits the key of an erasure that is done, and `wake`. */
  private readonly events = new EventEmitter().setMaxListeners(0);
  private finished: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly area: ErasureArea,
  ) {
    this.erasures = new ErasureRepository(area.schema);
    this.keys = new ErasedKeys(area.schema);
  }

  onApplicationBootstrap(): void {
    this.finished = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.events.emit('wake');
    await this.finished;
  }

  /** What an erasure would find, up to `MAX_COUNT` of each kind. Nothing is changed. */
  async tryOut(
    organizationId: string,
    { subject: asked, mode }: Omit<ErasureRequest, 'id'>,
  ): Promise<Certificate> {
    const { manager } = this.dataSource;
    const subject = this.subjectHere(asked);
    const found = await this.area.count(manager, organizationId, subject, MAX_COUNT);
    return {
      id: null,
      area: this.area.name,
      mode,
      requestedAt: new Date().toISOString(),
      erasedAt: null,
      found: this.allKinds(found),
      lastChange: null,
      sealed: null,
    };
  }

  /**
   * Begins an erasure, or finds the one that was begun with the id, and waits a moment for its end.
   * @throws ProblemError 422 if the id belongs to another erasure, or the subject has too much
   */
  async erase(organizationId: string, { id, subject, mode }: ErasureRequest): Promise<Certificate> {
    const { manager } = this.dataSource;
    const secret = await this.keys.secretOf(manager);
    const sorted = [subject.userIds, subject.phones, subject.emails].map((texts) =>
      [...new Set(texts)].sort(),
    );
    const subjectHash = secret.hash(organizationId, mode, JSON.stringify(sorted));
    const known = await this.erasures.find(manager, organizationId, id);
    if (!known) {
      const subjectHere = this.subjectHere(subject);
      const roots = await this.area.find(manager, organizationId, subjectHere, MAX_ROOTS + 1);
      if (roots.length > MAX_ROOTS) rejectAsInvalid(TOO_LARGE);
      const encrypted = secret.encrypt(JSON.stringify(subjectHere), organizationId);
      await this.erasures.add(manager, { organizationId, id, mode, subjectHash }, encrypted);
    } else if (known.subjectHash.equals(NOT_KNOWN)) {
      await this.erasures.noteSubject(manager, { organizationId, id, mode, subjectHash });
    }
    return this.outcome(organizationId, id, ({ subjectHash: hash }) => {
      if (!hash.equals(subjectHash)) rejectAsInvalid(ID_TAKEN);
    });
  }

  /**
   * Applies an erasure once more, to a database that was restored: what has the keys that its certificate carries is erased.
   * @throws ProblemError 422 if this service has not sealed the keys for the organization
   */
  async eraseAgain(organizationId: string, { area, ...request }: EraseAgainRequest): Promise<Certificate> {
    const secret = await this.keys.secretOf(this.dataSource.manager);
    const keys = this.unseal(secret, { ...request, organizationId });
    if (!keys || area !== this.area.name) rejectAsInvalid(NOT_SEALED);
    const reference = { organizationId, id: request.id, mode: request.mode };
    await this.dataSource.transaction(async (manager) => {
      for (const [type, hashes] of Object.entries(keys.hashes)) {
        const hashed = splitHashes(hashes).map((hash) => ({ type, hash }));
        await this.keys.addHashed(manager, reference, hashed);
      }
      await this.erasures.addAgain(manager, { ...request, organizationId });
    });
    return this.outcome(organizationId, request.id);
  }

  /** @throws ProblemError 404 */
  async certificate(organizationId: string, id: string): Promise<Certificate> {
    const erasure = await this.erasures.find(this.dataSource.manager, organizationId, id);
    if (!erasure) throw new ProblemError({ code: 'resource_not_found', model: 'Erasure', id });
    return this.certificateOf(erasure);
  }

  private async outcome(
    organizationId: string,
    id: string,
    check?: (erasure: Erasure) => void,
  ): Promise<Certificate> {
    const { manager } = this.dataSource;
    const begun = (await this.erasures.find(manager, organizationId, id))!;
    check?.(begun);
    if (begun.erasedAt) return this.certificateOf(begun);
    const waited = once(this.events, doneEvent(organizationId, id), { signal: AbortSignal.timeout(WAIT_MS) });
    this.events.emit('wake');
    await waited.catch(() => undefined);
    return this.certificate(organizationId, id);
  }

  private certificateOf(erasure: Erasure): Certificate {
    const { id, mode, requestedAt, erasedAt, found, lastChange, sealed } = erasure;
    return {
      id,
      area: this.area.name,
      mode,
      requestedAt: requestedAt.toISOString(),
      erasedAt: erasedAt?.toISOString() ?? null,
      found: this.allKinds(found),
      lastChange: erasedAt && lastChange,
      sealed: erasedAt && sealed,
    };
  }

  /** The identifiers of a subject that can match something in this area. */
  private subjectHere(subject: Subject): Subject {
    return this.area.ignoresUserIds ? { ...subject, userIds: [] } : subject;
  }

  private allKinds(found: Found): Found {
    return Object.fromEntries(this.area.kinds.map((kind) => [kind, found[kind] ?? 0]));
  }

  /** Until the service stops. */
  private async run(): Promise<void> {
    const timer = setInterval(() => this.events.emit('wake'), LOOK_EVERY_MS);
    while (!this.isStopping) {
      const woken = once(this.events, 'wake');
      const cameFurther = await this.round().catch((error: unknown) => this.warn(error));
      await (cameFurther ? sleep(STEP_PAUSE_MS) : woken);
    }
    clearInterval(timer);
  }

  /** One step of some erasures, none of which waits for one that fails or whose organization is busy. @returns whether any came further */
  private async round(): Promise<boolean> {
    const underWay = await this.erasures.underWay(this.dataSource.manager, AT_ONCE);
    const steps = underWay.map(async ({ organizationId, id }): Promise<Progress> => {
      try {
        const progress = await this.step(organizationId, id);
        if (progress === 'done') this.events.emit(doneEvent(organizationId, id));
        return progress;
      } catch (error) {
        this.warn(error);
        return 'none';
      }
    });
    return (await Promise.all(steps)).some((progress) => progress !== 'none');
  }

  private async step(organizationId: string, id: string): Promise<Progress> {
    let roots: readonly RecordKey[] = [];
    const progress = await this.area.transaction(organizationId, async (manager) => {
      const erasure = await this.erasures.lock(manager, organizationId, id);
      if (!erasure) return 'none';
      const next = await this.next(manager, erasure);
      if (next.isLast) return this.lastStep(manager, erasure, next);
      ({ roots } = next);
      const { found, keys } = await this.area.erase(
        manager,
        organizationId,
        roots,
        erasure.mode,
        next.isIdentifier,
      );
      await this.keys.add(manager, erasure, keys);
      const all = addFound(erasure.found, found);
      await this.erasures.note(manager, erasure, { isDone: false, found: all, scannedTo: next.scannedTo });
      return 'further';
    });
    // If it is lost, others find out by themselves.
    if (roots.length > 0) await this.area.erased?.(organizationId, roots);
    return progress;
  }

  /** When no root is left. */
  private async lastStep(manager: EntityManager, erasure: Erasure, { subject }: NextStep): Promise<Progress> {
    const { organizationId } = erasure;
    if (subject) await this.area.eraseIdentifiers?.(organizationId, subject);
    const lastChange = await this.area.lastChange(manager, organizationId);
    const sealed = erasure.sealed ?? (await this.seal(manager, erasure));
    await this.erasures.note(manager, erasure, { isDone: true, lastChange, sealed });
    return 'done';
  }

  private async next(manager: EntityManager, erasure: Erasure): Promise<NextStep> {
    const { organizationId, scannedTo } = erasure;
    const { rootsPerStep } = this.area;
    const secret = await this.keys.secretOf(manager);
    if (scannedTo === null) {
      const subject = subjectOf(erasure, secret);
      const roots = await this.area.find(manager, organizationId, subject, rootsPerStep, erasure.requestedAt);
      const isIdentifier = (text: string) => isIdentifierOf(subject, text);
      return { roots, isIdentifier, scannedTo, isLast: roots.length === 0, subject };
    }
    const { identifiers } = this.unseal(secret, {
      ...erasure,
      requestedAt: erasure.requestedAt.toISOString(),
      sealed: erasure.sealed!,
    })!;
    const known = new Set(splitHashes(identifiers).map((hash) => hash.toString('base64')));
    const isIdentifier = (text: string) =>
      identifierHashes(secret, organizationId, oneOfEach(text)).some((hash) =>
        known.has(hash.toString('base64')),
      );
    const listed = await this.area.list(manager, organizationId, keyOf(scannedTo), ROOTS_PER_SCAN);
    const erased = await this.keys.find(manager, organizationId, listed);
    // Another erasure that is applied again meanwhile may have another mode.
    const isOfMode = (key: RecordKey) => erased.get(keyText(key)) === erasure.mode;
    const roots = listed.filter(isOfMode).slice(0, rootsPerStep);
    // What has just been erased is no longer listed, so the place stays until nothing is found from there.
    const scanned = roots.length === 0 && listed.length > 0 ? keyText(listed.at(-1)!) : scannedTo;
    return { roots, isIdentifier, scannedTo: scanned, isLast: listed.length === 0 };
  }

  private async seal(manager: EntityManager, erasure: Erasure): Promise<string> {
    const { organizationId } = erasure;
    const kept = await this.keys.ofErasure(manager, erasure, this.area.sealedTypes);
    const hashes: Record<string, Buffer[]> = {};
    for (const { type, hash } of kept) (hashes[type] ??= []).push(hash);
    const secret = await this.keys.secretOf(manager);
    const keys: SealedKeys = {
      identifiers: joinHashes(identifierHashes(secret, organizationId, subjectOf(erasure, secret))),
      hashes: Object.fromEntries(Object.entries(hashes).map(([type, each]) => [type, joinHashes(each)])),
    };
    const context = this.contextOf({ ...erasure, requestedAt: erasure.requestedAt.toISOString() });
    return secret.encrypt(JSON.stringify(keys), ...context).toString('base64url');
  }

  /** @returns undefined if anything of the certificate was changed that is relied on */
  private unseal(secret: ErasureSecret, certificate: AgainRequest): SealedKeys | undefined {
    const sealed = Buffer.from(certificate.sealed, 'base64url');
    const keys = secret.decrypt(sealed, ...this.contextOf(certificate));
    return keys === undefined ? undefined : (JSON.parse(keys) as SealedKeys);
  }

  /** What is relied on of a certificate, but for what is encrypted. */
  private contextOf({ organizationId, id, mode, requestedAt }: Omit<AgainRequest, 'sealed'>): string[] {
    return [organizationId, this.area.name, id, mode, requestedAt];
  }

  /** Errors of PostgreSQL may quote values: only their class and code are told. */
  private warn(error: unknown): void {
    const { name = 'Error', code = '' } = (error ?? {}) as { name?: string; code?: string };
    this.logger.warn(`an erasure is tried again: ${name} ${code}`);
  }
}

/** What a step has done; `none`: it has failed, the erasure is done already, or another process has it. */
type Progress = 'further' | 'done' | 'none';

interface NextStep {
  readonly roots: readonly RecordKey[];
  readonly isIdentifier: (text: string) => boolean;
  readonly scannedTo: string | null;
  readonly isLast: boolean;
  /** Undefined of an erasure that is applied again. */
  readonly subject?: Subject;
}

/** What a certificate carries. */
interface SealedKeys {
  /** Hashes one after the other, in base64. */
  readonly identifiers: string;
  /** The same by type of record. */
  readonly hashes: Readonly<Record<string, string>>;
}

function splitHashes(hashes: string): Buffer[] {
  const bytes = Buffer.from(hashes, 'base64');
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, place) =>
    bytes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES),
  );
}

function joinHashes(hashes: readonly Buffer[]): string {
  return Buffer.concat(hashes).toString('base64');
}

function subjectOf({ subject, organizationId }: Erasure, secret: ErasureSecret): Subject {
  return JSON.parse(secret.decrypt(subject!, organizationId)!) as Subject;
}

/** What a text would be as each kind of identifier. */
function oneOfEach(text: string): Subject {
  return { userIds: [text], phones: [comparablePhone(text)], emails: [comparableEmail(text)] };
}

function identifierHashes(secret: ErasureSecret, organizationId: string, subject: Subject): Buffer[] {
  return Object.entries(subject).flatMap(([kind, texts]: [string, readonly string[]]) =>
    texts.map((text) => secret.hash(organizationId, kind, text)),
  );
}

function addFound(all: Found, more: Found): Found {
  const sums: Record<string, number> = { ...all };
  for (const [kind, count] of Object.entries(more)) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}

function doneEvent(organizationId: string, id: string): string {
  return `done ${organizationId} ${id}`;
}

const TOO_LARGE = {
  loc: ['body', 'subject'],
  msg: `These identifiers lead to more than ${MAX_ROOTS} records: name fewer of them`,
  type: 'too_large',
};

const ID_TAKEN = {
  loc: ['body', 'id'],
  msg: 'id belongs to an erasure of another subject or mode',
  type: 'value_error',
};

const NOT_SEALED = {
  loc: ['body', 'sealed'],
  msg: 'sealed must be that of a certificate of this area and organization, with its id, mode and requestedAt',
  type: 'value_error',
};
