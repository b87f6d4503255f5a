import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { inPieces, pause, RepeatedJob, RunsByItself, WORK_DATA_SOURCE } from '@cxp/storage';
import { ErasedKeys } from './erased-keys';
import type { CertificateResponse } from './erasure.dto';
import { ERASER, type Eraser, type ErasureStep, type Found, isSameSubject, type Subject } from './eraser';
import { type Erasure, type ErasureKey, ErasureRepository } from './erasure.repository';

/** Milliseconds that a request waits; a larger erasure continues without it. */
const WAIT_MS = 1_000;

/** Erasures of one round, and how many of their steps are concurrent. */
const DUE_PER_ROUND = 100;
const STEPS_AT_ONCE = 2;

/** The pause between two rounds, in which others are served, in milliseconds. */
const ROUND_PAUSE_MS = 10;

/** Milliseconds between polls of a waiter. */
const POLL_MS = 500;

export type Certificate = Readonly<CertificateResponse>;

/**
 * Erases persons' data in steps, each a transaction. The tables hold the remaining work: any process continues an interrupted
 * erasure.
 */
@RunsByItself({
  name: 'Erasures go on',
  services: 'A, B, C',
  pauseMs: 2_000,
  connections: 'of background work',
  missed: 'Certificates without `erasedAt`. Log: "a step of an erasure is tried again"',
})
@Injectable()
export class ErasureService extends RepeatedJob {
  private readonly logger = new Logger(ErasureService.name);
  private readonly erasures: ErasureRepository;
  private readonly keys: ErasedKeys;

  /** @param requests connections of requests, for all but the steps */
  constructor(
    @InjectDataSource(WORK_DATA_SOURCE) private readonly dataSource: DataSource,
    @Inject(ERASER) private readonly eraser: Eraser,
    private readonly requests: DataSource,
  ) {
    super();
    this.erasures = new ErasureRepository(eraser.schema);
    this.keys = new ErasedKeys(eraser.schema);
  }

  protected work(stop: AbortSignal): Promise<void> {
    return this.continueDue(stop);
  }

  /** Counts what an erasure would find. Nothing is changed or locked. @param signal aborted when the client is gone */
  async count(organizationId: string, subject: Subject, signal?: AbortSignal): Promise<Certificate> {
    const requestedAt = new Date();
    let found: Found = {};
    for await (const part of this.eraser.count(this.requests.manager, organizationId, subject)) {
      signal?.throwIfAborted();
      found = sumOf(found, part);
    }
    const erasure = { organizationId, requestedAt, found, erasedAt: null, lastChange: null };
    return this.certificateOf({ ...erasure, id: null });
  }

  /**
   * Stores an erasure, unless its id is known.
   * @throws ProblemError 422 if the id belongs to an erasure of another subject that is under way
   */
  async begin(erasure: ErasureKey, subject: Subject): Promise<ErasureKey> {
    const { manager } = this.requests;
    await this.erasures.add(manager, erasure, subject);
    const known = (await this.erasures.find(manager, erasure))!;
    if (known.subject && !isSameSubject(known.subject, subject)) rejectAsInvalid(ID_TAKEN);
    return known;
  }

  /** Works at an erasure for a moment. @returns its certificate; if it is not done by then, `continueDue` goes on with it */
  async afterMoment(erasure: ErasureKey): Promise<Certificate> {
    const over = new AbortController();
    const work = async () => {
      while (!over.signal.aborted && (await this.tryStep(erasure)));
    };
    await Promise.race([work(), pause(WAIT_MS, over.signal)]);
    over.abort();
    return this.find(erasure);
  }

  /** Waits without limit. */
  async finish(erasure: ErasureKey): Promise<Certificate> {
    for (;;) {
      const certificate = await this.afterMoment(erasure);
      if (certificate.erasedAt !== null) return certificate;
      await pause(POLL_MS);
    }
  }

  /** @throws ProblemError 404 */
  async find(key: ErasureKey): Promise<Certificate> {
    const erasure = await this.erasures.find(this.requests.manager, key);
    if (!erasure) throw new ProblemError({ code: 'resource_not_found', model: 'Erasure', id: key.id });
    return this.certificateOf(erasure);
  }

  /** Does a step of each erasure that is due, and then the next steps, until none is due. One that fails holds up no other. */
  async continueDue(stop?: AbortSignal): Promise<void> {
    while (!stop?.aborted) {
      const due = await this.erasures.due(this.dataSource.manager, DUE_PER_ROUND);
      if (due.length === 0) return;
      for (const some of inPieces(due, STEPS_AT_ONCE))
        await Promise.all(some.map((each) => this.tryStep(each)));
      await pause(ROUND_PAUSE_MS, stop);
    }
  }

  /** @returns whether a step was done, and another one can be done now */
  private async tryStep(erasure: ErasureKey): Promise<boolean> {
    try {
      return (await this.erasures.claim(this.dataSource.manager, erasure)) && (await this.step(erasure));
    } catch (error) {
      this.warn(error);
      return false;
    }
  }

  /** Errors of PostgreSQL may quote values: only their class and code are logged. */
  protected warn(error: unknown): void {
    const { name = 'Error', code = '' } = (error ?? {}) as { name?: string; code?: string };
    this.logger.warn(`a step of an erasure is tried again: ${name} ${code}`);
  }

  /** @returns whether something is left to do */
  private async step(key: ErasureKey): Promise<boolean> {
    const { organizationId } = key;
    const step = async (manager: EntityManager): Promise<ErasureStep | undefined> => {
      const erasure = await this.erasures.lock(manager, key);
      if (!erasure?.subject) return undefined;
      const { subject, requestedAt, position } = erasure;
      const done = await this.eraser.erase(manager, { organizationId, subject, requestedAt, position });
      const found = sumOf(erasure.found, done.found);
      await this.keys.add(manager, organizationId, done.keys);
      if (done.next !== null) {
        await this.erasures.goOn(manager, key, found, done.next);
      } else {
        await this.eraser.eraseIdentifiers?.(organizationId, subject);
        const lastChange = await this.eraser.lastChange(manager, organizationId);
        await this.erasures.finish(manager, key, found, lastChange);
      }
      return done;
    };
    const done = await this.eraser.transaction(organizationId, step);
    done?.afterCommit?.();
    return done !== undefined && done.next !== null;
  }

  private certificateOf(
    erasure: Pick<Erasure, 'organizationId' | 'requestedAt' | 'erasedAt' | 'found' | 'lastChange'> &
      Pick<Certificate, 'id'>,
  ): Certificate {
    return {
      id: erasure.id,
      organizationId: erasure.organizationId,
      area: this.eraser.name,
      requestedAt: erasure.requestedAt.toISOString(),
      erasedAt: erasure.erasedAt?.toISOString() ?? null,
      found: Object.fromEntries(this.eraser.kinds.map((kind) => [kind, erasure.found[kind] ?? 0])),
      lastChange: erasure.lastChange,
    };
  }
}

function sumOf(one: Found, other: Found): Found {
  const sums: Record<string, number> = { ...one };
  for (const [kind, count] of Object.entries(other)) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}

const ID_TAKEN = {
  loc: ['body', 'id'],
  msg: 'id belongs to an erasure of another subject, which is under way',
  type: 'value_error',
};
