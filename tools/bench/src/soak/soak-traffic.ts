import { randomBytes, randomUUID } from 'node:crypto';
import { request as open, type ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { send, type HttpAnswer, type HttpRequest } from '@cxp/services/http';
import { importRecords, postJson, postRecords, record } from '@cxp/services/workloads';
import { conversationRecords } from '../data/conversations';
import { campaignRecords, fullResponses } from '../data/surveys';
import { ChatSockets, type BenchSession } from '../rows/chat-sockets';
import type { Caller, Target } from '../target';

export interface SoakUrls {
  readonly webchat: string;
  readonly contactCenter: string;
  readonly survey: string;
}

/** How many different ones there are: what is kept for each stops to grow. */
const USERS = 200;
const CONVERSATIONS = 100;
const LINKS = 50;
/** Four of Redis for each user, one for each link, and the limits of routes: however fast the calls are. */
export const MOST_KEYS = 4 * USERS + LINKS + 50;
/** What lists and exports hold. */
const ROWS = 300;

const YEAR = 'startDate=2025-01-01&endDate=2025-12-31';
const QUARTER = 'start_date=2026-08-01&end_date=2026-10-30';

/** How often a call was answered as it should be, and what came instead. */
export interface Outcome {
  succeeded: number;
  readonly failed: Record<string, number>;
}

/** An organization that uses everything, beside clients that cut, stall, drip and guess. */
export class SoakTraffic {
  /** By the name of the call. */
  readonly outcomes = new Map<string, Outcome>();
  private readonly cursors = new Map<string, string>();
  private readonly opened = new Set<ClientRequest>();
  private loops: Promise<void>[] = [];
  private isOver = false;
  private session!: BenchSession;
  /** The public id of a link. */
  private link!: string;
  private n = 0;

  private constructor(
    private readonly urls: SoakUrls,
    private readonly caller: Caller,
    private readonly campaignId: string,
  ) {}

  static async prepare(target: Target, urls: SoakUrls): Promise<SoakTraffic> {
    const caller = await target.newCaller();
    const campaignId = randomUUID();
    await importRecords(urls.webchat, caller, [record('installed_source', { id: 1, name: 'Website' })]);
    await importRecords(urls.contactCenter, caller, [...conversationRecords(ROWS)]);
    await importRecords(urls.survey, caller, campaignRecords([campaignId]));
    await importRecords(urls.survey, caller, fullResponses(campaignId, ROWS));
    return new SoakTraffic(urls, caller, campaignId);
  }

  /** When it resolves, no call is under way. */
  async run(seconds: number): Promise<void> {
    this.isOver = false;
    await this.createSession();
    await this.createLink();
    this.useServices();
    this.misbehave();
    await sleep(seconds * 1_000);
    this.isOver = true;
    for (const request of this.opened) request.destroy();
    await Promise.all(this.loops);
    this.loops = [];
  }

  private useServices(): void {
    const { urls, campaignId } = this;
    const next = (count: number) => this.n++ % count;
    const get = (url: string, path: string) => () => this.get(url, path);
    const chat = (part: string) => `/internal/conversations/${this.session.conversationId}/${part}`;
    const responses = `/external/survey-responses?survey_campaign_id=${campaignId}&${QUARTER}&per_page=50`;
    this.use('A1 sessions', 20, () => this.createSession());
    this.use('A2 refreshes', 50, () => this.refreshSession());
    this.use('messages of the platform', 50, () => {
      const message = { id: randomUUID(), senderType: 'agent', text: 'Hello' };
      return ok(urls.webchat, postJson(chat('messages'), this.caller, message));
    });
    this.use('sockets', 50, () => this.useSockets());
    this.use('records of conversations', 50, () => {
      const id = `soak-${next(CONVERSATIONS)}`;
      const times = { createdAt: '2025-06-01T00:00:00.000Z', updatedAt: new Date().toISOString() };
      const activity = { action: 'assign', occurredAt: '2025-06-01T00:01:00.000Z', agent: { accountId: 1 } };
      const records = [
        record('conversation', { id, ...times }),
        record('activity', { id: `${id}-1`, conversationId: id, ...activity }),
      ];
      return ok(urls.contactCenter, postRecords(this.caller, records));
    });
    this.use('B1 pages', 30, () =>
      this.get(urls.contactCenter, `/external/conversation-sessions?${YEAR}&page=${1 + next(6)}`),
    );
    this.use('B2 conversations', 50, () =>
      this.get(urls.contactCenter, `/external/conversation-sessions/conversation-${next(ROWS)}`),
    );
    this.use('B digests', 200, get(urls.contactCenter, `/external/conversation-session-digests?${YEAR}`));
    this.use('B streams', 200, () => ok(urls.contactCenter, this.stream()));
    this.follow('B changes', urls.contactCenter, '/external/conversation-session-changes', 'nextCursor');
    this.use('C1 campaigns', 50, get(urls.survey, '/external/survey-campaigns'));
    this.use('C2 responses', 50, get(urls.survey, responses));
    this.use('C3 exports', 300, () => ok(urls.survey, this.export()));
    this.use('C4 links', 50, () => this.createLink());
    this.use('survey pages and submissions', 100, () => this.submit());
    this.follow('C changes', urls.survey, '/external/survey-response-changes', 'next_cursor');
  }

  /** Answers are not looked at: most have none. */
  private misbehave(): void {
    const { webchat, contactCenter, survey } = this.urls;
    const { headers } = this.caller;
    const intake = postRecords(this.caller, []);
    const endless = {
      ...intake,
      headers: { ...intake.headers, 'content-length': '100000000' },
      body: '{"type":',
    };
    const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    for (const url of Object.values(this.urls) as string[]) {
      this.repeat(() => this.drip(url, endless));
      this.cut(url, endless);
      this.use('guesses', 100, () => send(url, this.guess()));
    }
    for (let n = 0; n < 2; n++) this.repeat(() => this.stall(contactCenter, this.stream()));
    this.cut(contactCenter, this.stream());
    this.cut(contactCenter, {
      method: 'GET',
      path: '/external/conversation-session-changes?wait=20',
      headers,
    });
    this.cut(survey, this.export());
    this.cut(webchat, {
      method: 'GET',
      path: `/sessions/${this.session.sessionId}`,
      headers: { ...upgrade, 'sec-websocket-key': randomBytes(16).toString('base64') },
    });
  }

  /** Does not read the answer. */
  private stall(url: string, request: HttpRequest): Promise<void> {
    return this.untilClosed(this.send(url, request).on('response', () => undefined));
  }

  /** Sends the beginning of a body, and then a byte every now and then. */
  private async drip(url: string, request: HttpRequest): Promise<void> {
    const sent = this.send(url, request).on('response', (answer) => answer.resume());
    const dripping = setInterval(() => sent.write(' '), 1_000);
    await this.untilClosed(sent);
    clearInterval(dripping);
  }

  /** Sends a request again and again, and cuts the connection before, while or after it is answered. */
  private cut(url: string, request: HttpRequest): void {
    this.repeat(async () => {
      const sent = this.send(url, request);
      await sleep(Math.random() * 50);
      sent.destroy();
      await sleep(200);
    });
  }

  private send(url: string, { method, path, headers, body }: HttpRequest): ClientRequest {
    const sent = open(url, { method, path, headers, agent: false });
    sent.on('error', () => undefined).on('upgrade', (_, socket) => socket.on('error', () => undefined));
    if (body === undefined) sent.end();
    else sent.write(body);
    return sent;
  }

  /** @returns when the connection is closed, and after a pause */
  private async untilClosed(sent: ClientRequest): Promise<void> {
    this.opened.add(sent);
    await new Promise((resolve) => sent.once('close', resolve));
    this.opened.delete(sent);
    if (!this.isOver) await sleep(500);
  }

  private stream(): HttpRequest {
    const headers = { ...this.caller.headers, accept: 'application/x-ndjson' };
    return { method: 'GET', path: `/external/conversation-sessions?${YEAR}`, headers };
  }

  private export(): HttpRequest {
    const path = `/external/survey-responses/export?survey_campaign_id=${this.campaignId}&${QUARTER}`;
    return { method: 'POST', path, headers: { ...this.caller.headers, 'content-length': '0' } };
  }

  /** With a token that does not exist, each time another one. */
  private guess(): HttpRequest {
    const authorization = `Bearer cxp_${randomBytes(32).toString('base64url')}`;
    const headers = { ...this.caller.headers, authorization };
    return { method: 'GET', path: '/external/survey-campaigns', headers };
  }

  private follow(name: string, url: string, path: string, next: 'nextCursor' | 'next_cursor'): void {
    this.use(name, 10, async () => {
      const cursor = this.cursors.get(name);
      const query = new URLSearchParams({ wait: '2', limit: '500', ...(cursor && { cursor }) });
      const { body } = await this.get(url, `${path}?${query}`);
      this.cursors.set(name, (body as Record<typeof next, string>)[next]);
    });
  }

  private async useSockets(): Promise<void> {
    // A session that is reused may end at once.
    const session = await this.refreshSession();
    const url = this.urls.webchat.replace('http', 'ws');
    const sockets = await ChatSockets.open(randomUUID(), url, [session, session]);
    const sent = await Promise.race([sockets.saturate(2, 0.3), sleep(5_000)]);
    sockets.close();
    if (!sent) throw new Error('messages did not come back');
  }

  private async createSession(): Promise<void> {
    const { organizationId } = this.caller;
    const body = { organizationId, installedSourceId: 1, user: { id: `user-${this.n++ % USERS}` } };
    const answer = await ok(this.urls.webchat, postJson('/external/sessions', this.caller, body));
    this.session = answer.body as BenchSession;
  }

  private async refreshSession(): Promise<BenchSession> {
    const { session } = this;
    const refresh = postJson('/external/sessions/refresh', this.caller, { sessionId: session.sessionId });
    const { body } = await ok(this.urls.webchat, refresh);
    return { ...session, ...(body as Pick<BenchSession, 'sessionToken'>) };
  }

  private async createLink(): Promise<void> {
    const metadata_mapping = [{ metadata_id: 1, value: `store ${this.n++ % LINKS}` }];
    const path = `/external/survey-campaigns/${this.campaignId}/links`;
    const { body } = await ok(
      this.urls.survey,
      postJson(path, this.caller, { name: 'soak', metadata_mapping }),
    );
    this.link = (body as { public_id: string }).public_id;
  }

  private async submit(): Promise<void> {
    const { survey } = this.urls;
    const path = `/s/${this.link}`;
    const page = await ok(survey, { method: 'GET', path });
    const [, identifier = ''] = /name="identifier" value="([^"]+)"/.exec(page.text) ?? [];
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ identifier, q1: 'Tốt', q6: '5' }).toString();
    await ok(survey, { method: 'POST', path: `${path}/responses`, headers, body });
  }

  private get(url: string, path: string): Promise<HttpAnswer> {
    return ok(url, { method: 'GET', path, headers: this.caller.headers });
  }

  /** Makes a call again and again, and counts how often it succeeds. */
  private use(name: string, pauseMs: number, call: () => Promise<unknown>): void {
    const outcome = this.outcomes.get(name) ?? { succeeded: 0, failed: {} };
    this.outcomes.set(name, outcome);
    this.repeat(async () => {
      try {
        await call();
        outcome.succeeded += 1;
      } catch (error) {
        const reason = String(error);
        outcome.failed[reason] = (outcome.failed[reason] ?? 0) + 1;
      }
      await sleep(pauseMs);
    });
  }

  private repeat(work: () => Promise<void>): void {
    const loop = async () => {
      while (!this.isOver) await work();
    };
    this.loops.push(loop());
  }
}

/** @throws when it is answered with an error */
async function ok(url: string, request: HttpRequest): Promise<HttpAnswer> {
  const answer = await send(url, request);
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text.slice(0, 2_000)}`);
  return answer;
}
