import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { isInstant } from '@cxp/platform-records';
import { pause } from '@cxp/service-kit';
import { OrganizationLimit, WORK_DATA_SOURCE } from '@cxp/storage';
import { ErasedKeys } from './erased-keys';
import {
  ERASURE_AREA,
  type ErasedKeysOfTypes,
  type ErasureArea,
  type ErasureMode,
  type Found,
  type RecordKey,
} from './erasure-area';
import { type AgainRequest, type Erasure, ErasureRepository } from './erasure.repository';
import { isIdentifierOf, type Subject } from './subject';

/** How long a request waits for its erasure, in milliseconds; a larger one continues without it. */
const WAIT_MS = 1_000;

/** The erasures of other processes that are gone on with in one run. */
const LEFT_PER_RUN = 100;

/** The pause before a step that has failed is tried again, in milliseconds. */
const RETRY_PAUSE_MS = 2_000;

/** The pause between two steps, in which others have their turn, in milliseconds. */
const STEP_PAUSE_MS = 10;

/** How long a transaction waits for those of their organization before them, in milliseconds. */
const TURN_MS = 15_000;

/** The roots that a dry run erases before it is rolled back: the organization waits for it. */
export const MAX_TRIED_ROOTS = 10_000;

/** What is answered of an erasure. It holds no identifier. */
export interface Certificate {
  /** Null: of a dry run. */
  readonly id: string | null;
  readonly organizationId: string;
  readonly area: string;
  readonly mode: ErasureMode;
  readonly requestedAt: string;
  readonly erasedAt: string | null;
  readonly found: Found;
  readonly lastChange: number | null;
  readonly keys: ErasedKeysOfTypes;
}

/** What is relied on of a certificate. */
export type EraseAgainRequest = AgainRequest & { readonly area: string };

export interface ErasureRequest {
  readonly id: string;
  readonly subject: Subject;
  readonly mode: ErasureMode;
}

/**
 * Erases the data of persons, in steps that are transactions of their own. What is left of an erasure is in the data itself: whatever
 * interrupts one, the next step of any process continues it.
 */
@Injectable()
export class ErasureService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ErasureService.name);
  private readonly erasures: ErasureRepository;
  private readonly keys: ErasedKeys;
  /** By organization and id. */
  private readonly working = new Map<string, Promise<void>>();
  private readonly turns = new OrganizationLimit({ places: 1, waitMs: TURN_MS });
  private readonly stopping = new AbortController();

  constructor(
    @InjectDataSource(WORK_DATA_SOURCE) private readonly dataSource: DataSource,
    @Inject(ERASURE_AREA) private readonly area: ErasureArea,
  ) {
    this.erasures = new ErasureRepository(area.schema);
    this.keys = new ErasedKeys(area.schema);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.working.values());
  }

  /** What an erasure would find, up to `MAX_TRIED_ROOTS`: it is done in one transaction, which is rolled back. */
  async tryOut(
    organizationId: string,
    { subject: asked, mode }: Omit<ErasureRequest, 'id'>,
  ): Promise<Certificate> {
    const subject = this.subjectHere(asked);
    let found: Found = {};
    const rollBack = new Error('a dry run is rolled back');
    await this.transaction(organizationId, async (manager) => {
      for (let tried = 0; tried < MAX_TRIED_ROOTS;) {
        const roots = await this.area.find(manager, organizationId, subject, this.area.rootsPerStep);
        if (roots.length === 0) break;
        const isIdentifier = (text: string) => isIdentifierOf(subject, text);
        const erased = await this.area.erase(manager, organizationId, roots, mode, isIdentifier, true);
        found = addFound(found, erased.found);
        tried += roots.length;
      }
      throw rollBack;
    }).catch((error: unknown) => {
      if (error !== rollBack) throw error;
    });
    const untried = { requestedAt: new Date(), erasedAt: null, lastChange: null };
    return this.certificateOf({ organizationId, mode, found, id: null, ...untried }, {});
  }

  /**
   * Begins an erasure, or finds the one that was begun with the id, and waits a moment for its end.
   * @throws ProblemError 422 if the id belongs to another erasure
   */
  async erase(organizationId: string, { id, subject, mode }: ErasureRequest): Promise<Certificate> {
    const { manager } = this.dataSource;
    const subjectHash = hashOf(subject, mode);
    const find = () => this.erasures.find(manager, organizationId, id);
    let erasure = await find();
    // Adding would wait for the step of one that is under way.
    if (!erasure?.subjectHash) {
      await this.erasures.add(manager, { organizationId, id, mode }, this.subjectHere(subject), subjectHash);
      erasure = (await find())!;
    }
    if (!erasure.subjectHash?.equals(subjectHash)) rejectAsInvalid(ID_TAKEN);
    if (!erasure.erasedAt) await this.waitFor(this.work(organizationId, id));
    return this.certificate(organizationId, id);
  }

  /**
   * Applies an erasure once more, to a database that was restored: what has the keys of its certificate is erased.
   * @throws ProblemError 422 if it is no certificate of this area
   */
  async eraseAgain({ area, ...request }: EraseAgainRequest): Promise<Certificate> {
    const keys = Object.entries(request.keys).flatMap(([type, ids]) =>
      (ids ?? []).map((id) => ({ type, id })),
    );
    if (area !== this.area.name) rejectAsInvalid(OTHER_AREA);
    const forms = new Map(Object.entries(this.area.keyTypes));
    if (!keys.every(({ type, id }) => forms.get(type)?.test(id))) rejectAsInvalid(NO_KEYS);
    if (!isInstant(request.requestedAt)) rejectAsInvalid(NO_INSTANT);
    const { organizationId, id } = request;
    await this.transaction(organizationId, async (manager) => {
      await this.erasures.addAgain(manager, request);
      const { mode } = (await this.erasures.find(manager, organizationId, id))!;
      if (mode !== request.mode) rejectAsInvalid(ID_TAKEN);
      await this.keys.addAgain(manager, request, keys);
    });
    // What is under way may end before it finds the keys.
    const before = this.working.get(keyOf(organizationId, id));
    await this.waitFor(Promise.resolve(before).then(() => this.work(organizationId, id)));
    return this.certificate(organizationId, id);
  }

  /** @throws ProblemError 404 */
  async certificate(organizationId: string, id: string): Promise<Certificate> {
    const { manager } = this.dataSource;
    const erasure = await this.erasures.find(manager, organizationId, id);
    if (!erasure) throw new ProblemError({ code: 'resource_not_found', model: 'Erasure', id });
    const types = Object.keys(this.area.keyTypes);
    const keys: Record<string, string[]> = {};
    const kept = erasure.erasedAt ? await this.keys.ofErasure(manager, erasure, types) : [];
    for (const key of kept) (keys[key.type] ??= []).push(key.id);
    return this.certificateOf(erasure, keys);
  }

  private certificateOf(
    {
      id,
      organizationId,
      mode,
      requestedAt,
      erasedAt,
      found,
      lastChange,
    }: Omit<Erasure, 'id' | 'subject' | 'subjectHash'> & { readonly id: string | null },
    keys: ErasedKeysOfTypes,
  ): Certificate {
    return {
      id,
      organizationId,
      area: this.area.name,
      mode,
      requestedAt: requestedAt.toISOString(),
      erasedAt: erasedAt?.toISOString() ?? null,
      found: Object.fromEntries(this.area.kinds.map((kind) => [kind, found[kind] ?? 0])),
      lastChange: erasedAt && lastChange,
      keys,
    };
  }

  /** Goes on with erasures that other processes have left, once: one that fails does not hold up the others. */
  async goOn(): Promise<void> {
    const underWay = await this.erasures.underWay(this.dataSource.manager, LEFT_PER_RUN);
    for (const { organizationId, id } of underWay) {
      try {
        while (this.isFree(organizationId, id) && (await this.step(organizationId, id)))
          await pause(STEP_PAUSE_MS, this.stopping.signal);
      } catch (error) {
        this.warn(error);
      }
    }
  }

  /** Whether this process may work at an erasure beside its requests. */
  private isFree(organizationId: string, id: string): boolean {
    return !this.stopping.signal.aborted && !this.working.has(keyOf(organizationId, id));
  }

  /** A request waits for a moment only. */
  private async waitFor(work: Promise<void>): Promise<void> {
    const ended = new AbortController();
    await Promise.race([work, pause(WAIT_MS, ended.signal)]);
    ended.abort();
  }

  /** A process does one step of an erasure at a time. */
  private work(organizationId: string, id: string): Promise<void> {
    const key = keyOf(organizationId, id);
    const known = this.working.get(key);
    if (known) return known;
    const work = this.finish(organizationId, id).finally(() => this.working.delete(key));
    this.working.set(key, work);
    return work;
  }

  private async finish(organizationId: string, id: string): Promise<void> {
    while (await this.retried(() => this.step(organizationId, id)))
      await pause(STEP_PAUSE_MS, this.stopping.signal);
  }

  /** Does a step again until it succeeds: others may hold a lock. @returns undefined if the process stops before */
  private async retried<Result>(step: () => Promise<Result>): Promise<Result | undefined> {
    while (!this.stopping.signal.aborted) {
      try {
        return await step();
      } catch (error) {
        this.warn(error);
        await pause(RETRY_PAUSE_MS, this.stopping.signal);
      }
    }
    return undefined;
  }

  /** Errors of PostgreSQL may quote values: only their class and code are logged. */
  private warn(error: unknown): void {
    const { name = 'Error', code = '' } = (error ?? {}) as { name?: string; code?: string };
    this.logger.warn(`a step of an erasure is tried again: ${name} ${code}`);
  }

  /** @returns whether something is left to do */
  private async step(organizationId: string, id: string): Promise<boolean> {
    let roots: readonly RecordKey[] = [];
    const isLeft = await this.transaction(organizationId, async (manager) => {
      const erasure = await this.erasures.lock(manager, organizationId, id);
      if (!erasure) return false;
      const { subject, mode, requestedAt } = erasure as Erasure & { readonly subject: Subject };
      const { rootsPerStep } = this.area;
      const pending = await this.keys.pending(manager, erasure, rootsPerStep);
      roots =
        pending?.keys ?? (await this.area.find(manager, organizationId, subject, rootsPerStep, requestedAt));
      if (roots.length === 0) {
        await this.area.eraseIdentifiers?.(organizationId, subject);
        await this.erasures.finish(manager, erasure, await this.area.lastChange(manager, organizationId));
        return false;
      }
      const isIdentifier = (text: string) => pending !== undefined || isIdentifierOf(subject, text);
      const { found, keys } = await this.area.erase(
        manager,
        organizationId,
        roots,
        mode,
        isIdentifier,
        false,
        requestedAt,
      );
      await this.keys.add(manager, erasure, keys);
      // A key that does not exist is not erased, and nothing is found of it.
      const isFound = Object.values(found).some((count) => count > 0);
      if (pending) await this.keys.removePending(manager, erasure, pending.type, isFound ? keys : roots);
      if (isFound && !pending?.wereKnown) {
        await this.erasures.note(manager, erasure, addFound(erasure.found, found));
      }
      return true;
    });
    // If it is lost, others notice by themselves.
    if (roots.length > 0) await this.area.erased?.(organizationId, roots);
    return isLeft;
  }

  /** Waits without a connection for the transactions of the organization before it in this process. None may open another one. */
  private transaction<Result>(
    organizationId: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return this.turns.run(organizationId, () => this.area.transaction(organizationId, work));
  }

  /** The identifiers of a subject that can match something in this area. */
  private subjectHere(subject: Subject): Subject {
    return this.area.ignoresUserIds ? { ...subject, userIds: [] } : subject;
  }
}

function keyOf(organizationId: string, id: string): string {
  return `${organizationId} ${id}`;
}

function hashOf({ userIds, phones, emails }: Subject, mode: ErasureMode): Buffer {
  const sorted = [userIds, phones, emails].map((texts) => [...new Set(texts)].sort());
  return createHash('sha256')
    .update(JSON.stringify([mode, ...sorted]))
    .digest();
}

function addFound(all: Found, more: Found): Found {
  const sums: Record<string, number> = { ...all };
  for (const [kind, count] of Object.entries(more)) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}

const ID_TAKEN = {
  loc: ['body', 'id'],
  msg: 'id belongs to an erasure of another subject or mode',
  type: 'value_error',
};

const OTHER_AREA = { loc: ['body', 'area'], msg: 'area must be this one', type: 'value_error' };

const NO_KEYS = {
  loc: ['body', 'keys'],
  msg: 'keys must be ids of records of this area by their type',
  type: 'value_error',
};

const NO_INSTANT = {
  loc: ['body', 'requestedAt'],
  msg: 'requestedAt must be a date-time with an offset (2026-01-05T02:11:09.000Z)',
  type: 'value_error',
};
