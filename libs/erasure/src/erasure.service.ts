import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { inPieces, inTransaction, pause, RepeatedJob, WORK_DATA_SOURCE } from '@cxp/storage';
import { readCertificate } from './certificate';
import { ErasedKeys, keyText } from './erased-keys';
import type { CertificateResponse } from './erasure.dto';
import {
  ERASURE_AREA,
  type ErasureArea,
  type Found,
  isSameSubject,
  type RecordKey,
  type Subject,
} from './erasure-area';
import { type Erasure, type ErasureKey, ErasureRepository, sumOf } from './erasure.repository';

/** Milliseconds that a request waits; a larger erasure continues without it. */
const WAIT_MS = 1_000;

/** Erasures of one round, and how many of their steps are concurrent. */
const DUE_PER_ROUND = 100;
const STEPS_AT_ONCE = 2;

/** The pause between two rounds, in which others are served, in milliseconds. */
const ROUND_PAUSE_MS = 10;

/** Milliseconds between polls of a waiter. */
const POLL_MS = 500;

/** What is answered of an erasure, beside its keys. It holds no identifier. */
export type Certificate = Readonly<Omit<CertificateResponse, 'keys'>>;

/**
 * Erases persons' data in steps, each a transaction. The tables hold the remaining work: any process continues an interrupted
 * erasure.
 */
@Injectable()
export class ErasureService extends RepeatedJob {
  protected readonly pauseMs = 2_000;
  private readonly logger = new Logger(ErasureService.name);
  private readonly erasures: ErasureRepository;
  private readonly keys: ErasedKeys;

  /** @param requests connections of requests, for all but the steps */
  constructor(
    @InjectDataSource(WORK_DATA_SOURCE) private readonly dataSource: DataSource,
    @Inject(ERASURE_AREA) private readonly area: ErasureArea,
    private readonly requests: DataSource,
  ) {
    super();
    this.erasures = new ErasureRepository(area.schema);
    this.keys = new ErasedKeys(area.schema);
  }

  protected work(stop: AbortSignal): Promise<void> {
    return this.continueDue(stop);
  }

  /** Counts what an erasure would find. Nothing is changed or locked. @param signal aborted when the client is gone */
  async count(organizationId: string, subject: Subject, signal?: AbortSignal): Promise<Certificate> {
    const requestedAt = new Date();
    let found: Found = {};
    const { manager } = this.requests;
    for await (const keys of this.area.find(manager, organizationId, subject, null)) {
      signal?.throwIfAborted();
      found = sumOf(found, await this.area.count(manager, organizationId, keys));
    }
    return this.certificateOf({
      organizationId,
      id: null,
      requestedAt,
      found,
      erasedAt: null,
      lastChange: null,
    });
  }

  /**
   * Stores an erasure, unless its id is known.
   * @throws ProblemError 422 if the id belongs to an erasure of another subject that is under way
   */
  async begin(erasure: ErasureKey, subject: Subject): Promise<ErasureKey> {
    const { manager } = this.requests;
    await this.erasures.add(manager, { ...erasure, subject });
    const known = (await this.erasures.find(manager, erasure))!;
    if (known.subject && !isSameSubject(known.subject, subject)) rejectAsInvalid(ID_TAKEN);
    return known;
  }

  /**
   * Stores an erasure that is to be applied once more, to a database that was restored, unless its id is known.
   * @param body its certificate
   * @throws ProblemError 422 if it is no certificate of this organization and area
   */
  async beginAgain(organizationId: string, body: unknown): Promise<ErasureKey> {
    const certificate = await readCertificate(body, this.area, organizationId);
    if (!(await this.erasures.find(this.requests.manager, certificate)))
      await inTransaction(this.requests, organizationId, [], (own) =>
        this.erasures.addAgain(own, certificate),
      );
    return certificate;
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

  /** A certificate as JSON, with its keys once it is done, in pieces: nothing limits how many keys an erasure has. */
  async *json(certificate: Certificate): AsyncGenerator<string, void> {
    const { organizationId, id, erasedAt } = certificate;
    yield `${JSON.stringify(certificate).slice(0, -1)},"keys":{`;
    let separator = '';
    for (const type of erasedAt === null ? [] : Object.keys(this.area.keyTypes).sort()) {
      let start = `${separator}"${type}":[`;
      for await (const ids of this.erasures.keysOf(
        this.requests.manager,
        { organizationId, id: id! },
        type,
      )) {
        yield `${start}${JSON.stringify(ids).slice(1, -1)}`;
        start = ',';
        separator = '],';
      }
    }
    yield separator === '' ? '}}' : ']}}';
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
    const step = async (manager: EntityManager): Promise<readonly RecordKey[] | undefined> => {
      const erasure = await this.erasures.lock(manager, key);
      if (!erasure) return undefined;
      const { subject, requestedAt } = erasure;
      const left = await this.erasures.left(manager, key);
      const found = left
        ? await this.unknown(manager, organizationId, left.keys)
        : subject
          ? await firstOf(this.area.find(manager, organizationId, subject, requestedAt))
          : [];
      if (!left && found.length === 0) {
        if (subject) await this.area.eraseIdentifiers?.(organizationId, subject);
        await this.erasures.finish(manager, key, await this.area.lastChange(manager, organizationId));
        return undefined;
      }
      const keys = found.slice(0, this.area.maxKeys);
      const erased = await this.area.erase(manager, organizationId, keys, requestedAt);
      const remaining = new Set(erased.left.map(keyText));
      const more = erased.more ?? [];
      const gone = keys.filter((each) => !remaining.has(keyText(each)));
      await this.keys.add(manager, organizationId, [...gone, ...more]);
      // Includes unfinished keys: another erasure that finds them may finish them.
      if (!left) await this.erasures.note(manager, erasure, erased.found, [...keys, ...more]);
      else if (gone.length === found.length) await this.erasures.endPart(manager, key, left.part);
      await this.erasures.succeed(manager, key);
      return keys;
    };
    const keys = await this.area.transaction(organizationId, step);
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
    erasure: Omit<Erasure, 'id' | 'subject' | 'attempts' | 'nextTryAt'> & Pick<Certificate, 'id'>,
  ): Certificate {
    return {
      id: erasure.id,
      organizationId: erasure.organizationId,
      area: this.area.name,
      requestedAt: erasure.requestedAt.toISOString(),
      erasedAt: erasure.erasedAt?.toISOString() ?? null,
      found: Object.fromEntries(this.area.kinds.map((kind) => [kind, erasure.found[kind] ?? 0])),
      lastChange: erasure.lastChange,
    };
  }
}

/** The first page that holds a key. */
async function firstOf(pages: AsyncIterable<readonly RecordKey[]>): Promise<readonly RecordKey[]> {
  for await (const keys of pages) if (keys.length > 0) return keys;
  return [];
}

const ID_TAKEN = {
  loc: ['body', 'id'],
  msg: 'id belongs to an erasure of another subject, which is under way',
  type: 'value_error',
};
