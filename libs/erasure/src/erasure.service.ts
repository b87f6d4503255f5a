import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { inPieces, inTransaction, KeyedLimit, requestMs, WORK_DATA_SOURCE, pause } from '@cxp/storage';
import { readCertificate } from './certificate';
import { ErasedKeys, keyText } from './erased-keys';
import { ERASURE_AREA, type ErasureArea, type Found, type RecordKey } from './erasure-area';
import { type Erasure, type ErasureKey, ErasureRepository, sumOf } from './erasure.repository';
import { isSameSubject, type Subject } from './subject';

/** Milliseconds that a request waits; a larger erasure continues without it. */
const WAIT_MS = 1_000;

/** Erasures of one round, and how many of their steps are concurrent. */
const DUE_PER_ROUND = 100;
const STEPS_AT_ONCE = 2;

/** Milliseconds between two steps of an erasure. */
const STEP_PAUSE_MS = 10;

/** Milliseconds between polls of a waiter. */
const POLL_MS = 500;

/** Milliseconds that a step waits for earlier ones of its organization. */
const QUEUE_MS = 15_000;

/** Holds no identifier. */
export interface Certificate {
  /** null for a dry run. */
  readonly id: string | null;
  readonly organizationId: string;
  readonly area: string;
  readonly requestedAt: string;
  readonly erasedAt: string | null;
  readonly found: Found;
  readonly lastChange: number | null;
  /** JSON, because there can be a million keys. Empty until the erasure is done. */
  readonly keys: string;
}

export function certificateJson({ keys, ...others }: Certificate): string {
  return `${JSON.stringify(others).slice(0, -1)},"keys":${keys}}`;
}

/**
 * Erases persons' data in steps, each a transaction. The tables hold the remaining work: any process continues an interrupted
 * erasure.
 */
@Injectable()
export class ErasureService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ErasureService.name);
  private readonly erasures: ErasureRepository;
  private readonly keys: ErasedKeys;
  /** Erasures of this process's requests, by organization and id. */
  private readonly working = new Map<string, Promise<void>>();
  private readonly queue = new KeyedLimit({ places: 1, waitMs: QUEUE_MS });
  /** A certificate's keys can take 16 MiB, so an organization's are read one at a time. */
  private readonly reading = new KeyedLimit({ places: 1, waitMs: requestMs() });
  private readonly stopping = new AbortController();

  /** @param requests connections of requests, for all but the steps */
  constructor(
    @InjectDataSource(WORK_DATA_SOURCE) private readonly dataSource: DataSource,
    @Inject(ERASURE_AREA) private readonly area: ErasureArea,
    private readonly requests: DataSource,
  ) {
    this.erasures = new ErasureRepository(area.schema);
    this.keys = new ErasedKeys(area.schema);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.working.values());
  }

  /**
   * Changes and locks nothing.
   * @param signal aborted when the client disconnects
   */
  async count(organizationId: string, subject: Subject, signal?: AbortSignal): Promise<Certificate> {
    const requestedAt = new Date();
    let found: Found = {};
    for await (const some of this.area.count(this.requests.manager, organizationId, subject)) {
      signal?.throwIfAborted();
      found = sumOf(found, some);
    }
    const erasure = { organizationId, id: null, requestedAt, erasedAt: null, found, lastChange: null };
    return this.certificateOf(erasure, '{}');
  }

  /**
   * Begins an erasure, or finds the one with the id, and waits briefly for its end.
   * @throws ProblemError 422 if the id belongs to an unfinished erasure of another subject
   */
  async erase(erasure: ErasureKey, subject: Subject): Promise<Certificate> {
    const { manager } = this.requests;
    await this.erasures.add(manager, erasure, subject);
    const known = (await this.erasures.find(manager, erasure))!;
    if (known.subject && !isSameSubject(known.subject, subject)) rejectAsInvalid(ID_TAKEN);
    return this.afterMoment(known);
  }

  /**
   * Repeats an erasure on a restored database, by the keys of its certificate.
   * @param body the certificate
   * @throws ProblemError 422 if it is no certificate of this organization and area
   */
  async eraseAgain(organizationId: string, body: unknown): Promise<Certificate> {
    return this.afterMoment(await this.beginAgain(organizationId, body));
  }

  /**
   * Separate from `eraseAgain`, so that the keys are freed early.
   * @throws ProblemError 422
   */
  async beginAgain(organizationId: string, body: unknown): Promise<Erasure> {
    const certificate = await readCertificate(body, this.area, organizationId);
    const { manager } = this.requests;
    const known = await this.erasures.find(manager, certificate);
    if (known) return known;
    await inTransaction(this.requests, organizationId, [], (own) => this.erasures.addAgain(own, certificate));
    return (await this.erasures.find(manager, certificate))!;
  }

  /** Waits without limit. */
  async finish(erasure: ErasureKey): Promise<Certificate> {
    for (;;) {
      await this.work(erasure);
      const certificate = await this.certificate(erasure);
      if (certificate.erasedAt !== null) return certificate;
      await pause(POLL_MS, this.stopping.signal);
    }
  }

  /** @throws ProblemError 404 */
  async certificate(key: ErasureKey): Promise<Certificate> {
    const { manager } = this.requests;
    const erasure = await this.erasures.find(manager, key);
    if (!erasure) throw new ProblemError({ code: 'resource_not_found', model: 'Erasure', id: key.id });
    return this.certificateOf(
      erasure,
      erasure.erasedAt
        ? await this.reading.run(key.organizationId, () => this.erasures.keysOf(manager, erasure))
        : '{}',
    );
  }

  /** Takes steps of due erasures until none is due. A failing erasure does not delay the others. */
  async continueDue(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const due = await this.erasures.due(this.dataSource.manager, DUE_PER_ROUND);
      const free = due.filter((erasure) => !this.working.has(textOf(erasure)));
      if (free.length === 0) return;
      for (const some of inPieces(free, STEPS_AT_ONCE))
        await Promise.all(some.map((each) => this.tryStep(each)));
      await pause(STEP_PAUSE_MS, this.stopping.signal);
    }
  }

  /** Waits for the end, but only briefly. */
  async afterMoment(erasure: Erasure): Promise<Certificate> {
    if (!erasure.erasedAt) {
      const ended = new AbortController();
      await Promise.race([this.work(erasure), pause(WAIT_MS, ended.signal)]);
      ended.abort();
    }
    return this.certificate(erasure);
  }

  /** Takes steps until the erasure is done or a step fails: then it is due again later. */
  private work(erasure: ErasureKey): Promise<void> {
    const key = textOf(erasure);
    const known = this.working.get(key);
    if (known) return known;
    const work = (async () => {
      while (!this.stopping.signal.aborted && (await this.tryStep(erasure)))
        await pause(STEP_PAUSE_MS, this.stopping.signal);
    })().finally(() => this.working.delete(key));
    this.working.set(key, work);
    return work;
  }

  /** @returns whether another step can follow now */
  private async tryStep(erasure: ErasureKey): Promise<boolean> {
    try {
      return (await this.erasures.claim(this.dataSource.manager, erasure)) && (await this.step(erasure));
    } catch (error) {
      // Errors of PostgreSQL may quote values: only their class and code are logged.
      const { name = 'Error', code = '' } = (error ?? {}) as { name?: string; code?: string };
      this.logger.warn(`a step of an erasure is tried again: ${name} ${code}`);
      return false;
    }
  }

  /** @returns whether something is left to do */
  private async step(key: ErasureKey): Promise<boolean> {
    const { organizationId } = key;
    const step = async (manager: EntityManager): Promise<readonly RecordKey[] | undefined> => {
      const erasure = await this.erasures.lock(manager, key);
      if (!erasure) return undefined;
      const { subject, requestedAt } = erasure;
      const left = await this.erasures.left(manager, key);
      const keys = left
        ? await this.unknown(manager, organizationId, left.keys)
        : subject
          ? await this.area.find(manager, organizationId, subject, requestedAt)
          : [];
      if (!left && keys.length === 0) {
        if (subject) await this.area.eraseIdentifiers?.(organizationId, subject);
        await this.erasures.finish(manager, key, await this.area.lastChange(manager, organizationId));
        return undefined;
      }
      const erased = await this.area.erase(manager, organizationId, keys, requestedAt);
      const remaining = new Set(erased.left.map(keyText));
      const more = erased.more ?? [];
      const gone = keys.filter((each) => !remaining.has(keyText(each)));
      await this.keys.add(manager, organizationId, [...gone, ...more]);
      // Includes unfinished keys: another erasure that finds them may finish them.
      if (!left) await this.erasures.note(manager, erasure, erased.found, [...keys, ...more]);
      else if (remaining.size === 0) await this.erasures.endPart(manager, key, left.part);
      await this.erasures.succeed(manager, key);
      return keys;
    };
    const keys = await this.queue.run(organizationId, () => this.area.transaction(organizationId, step));
    if (!keys) return false;
    // If it is lost, others notice by themselves.
    this.area.erased?.(organizationId, keys);
    return true;
  }

  private async unknown(
    manager: EntityManager,
    organizationId: string,
    keys: readonly RecordKey[],
  ): Promise<readonly RecordKey[]> {
    const known = await this.keys.find(manager, organizationId, keys);
    return keys.filter((key) => !known.has(keyText(key)));
  }

  private certificateOf(
    {
      id,
      organizationId,
      requestedAt,
      erasedAt,
      found,
      lastChange,
    }: Omit<Erasure, 'id' | 'subject'> & { readonly id: string | null },
    keys: string,
  ): Certificate {
    return {
      id,
      organizationId,
      area: this.area.name,
      requestedAt: requestedAt.toISOString(),
      erasedAt: erasedAt?.toISOString() ?? null,
      found: Object.fromEntries(this.area.kinds.map((kind) => [kind, found[kind] ?? 0])),
      lastChange,
      keys,
    };
  }
}

function textOf({ organizationId, id }: ErasureKey): string {
  return `${organizationId} ${id}`;
}

const ID_TAKEN = {
  loc: ['body', 'id'],
  msg: 'id belongs to an erasure of another subject, which is under way',
  type: 'value_error',
};
