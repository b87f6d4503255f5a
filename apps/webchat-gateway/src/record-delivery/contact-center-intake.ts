import { signServiceToken, type ServiceTokenKey } from '@cxp/auth-headers';

/** Milliseconds; shorter than the lease. */
const TIMEOUT_MS = 15_000;

/** Characters. */
const MAX_REASON = 500;

/** Area B stored all, or refused lines (from 1) and stored nothing, or failed. */
export type IntakeAnswer =
  | { readonly kind: 'stored' }
  | { readonly kind: 'refused'; readonly reasons: ReadonlyMap<number, string> }
  | {
      readonly kind: 'unavailable';
      readonly reason: string;
      /** Area B may still store the records: the answer did not arrive. */
      readonly isUnknown: boolean;
    };

export class ContactCenterIntake {
  constructor(
    private readonly url: string,
    private readonly keys: readonly ServiceTokenKey[],
  ) {}

  /**
   * Never throws: a failure is an answer.
   * @param lines one record each
   */
  async post(organizationId: string, lines: readonly string[], stopping: AbortSignal): Promise<IntakeAnswer> {
    const cancelling = new AbortController();
    const cancel = () => cancelling.abort(new Error('cancelled'));
    const timer = setTimeout(
      () => cancelling.abort(new Error(`no answer in ${TIMEOUT_MS / 1_000} s`)),
      TIMEOUT_MS,
    );
    stopping.addEventListener('abort', cancel);
    try {
      const token = await signServiceToken(this.keys, { organizationId, service: 'webchat-gateway' });
      const response = await fetch(this.url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'organization-id': organizationId,
          'auth-type': 'token',
          'content-type': 'application/x-ndjson',
        },
        body: lines.join('\n'),
        redirect: 'manual',
        signal: cancelling.signal,
      });
      return answerOf(response, await response.text(), lines.length);
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      const isUnknown = cancelling.signal.aborted;
      return { kind: 'unavailable', reason: shorten(String(cause ?? error)), isUnknown };
    } finally {
      clearTimeout(timer);
      stopping.removeEventListener('abort', cancel);
    }
  }
}

function answerOf({ status, headers }: Response, text: string, lines: number): IntakeAnswer {
  const body = parse(text) as { accepted?: unknown; detail?: unknown } | undefined;
  // A proxy may answer 200, too.
  if (status === 200 && body?.accepted === lines) return { kind: 'stored' };
  const reasons = status === 422 ? reasonsOf(body?.detail, lines) : undefined;
  if (reasons && reasons.size > 0) return { kind: 'refused', reasons };
  const location = headers.get('location');
  const reason = shorten(`${status} ${location ? `to ${location} ` : ''}${text}`);
  return { kind: 'unavailable', reason, isUnknown: false };
}

function reasonsOf(detail: unknown, lines: number): Map<number, string> {
  const reasons = new Map<number, string>();
  if (!Array.isArray(detail)) return reasons;
  for (const item of detail as unknown[]) {
    const { loc, msg } = (item ?? {}) as { loc?: unknown; msg?: unknown };
    if (!Array.isArray(loc)) continue;
    const [, line, ...path] = loc as unknown[];
    if (!Number.isInteger(line) || (line as number) < 1 || (line as number) > lines) continue;
    if (!reasons.has(line as number)) {
      reasons.set(line as number, shorten(`422 ${path.join('.')}: ${String(msg)}`));
    }
  }
  return reasons;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** PostgreSQL stores no NUL. */
function shorten(text: string): string {
  return text
    .replaceAll(/[\s\0]+/g, ' ')
    .trim()
    .slice(0, MAX_REASON);
}
