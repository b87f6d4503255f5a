import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { send, type HttpAnswer, type HttpRequest } from '@cxp/services/http';
import { importRecords, postJson, postRecords, record } from '@cxp/services/workloads';
import { conversationRecords } from '../data/conversations';
import { WorstOrganization } from './worst-organization';
import { ChatSockets, type BenchSession } from '../rows/chat-sockets';
import { campaignRecords, fullResponses } from '../data/surveys';
import type { Caller, Target } from '../target';
import { openRaw, textOf } from '../worst/raw-call';

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
  private clients = new WorstOrganization();
  private readonly cursors = new Map<string, string>();
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
    await this.createSession();
    await this.createLink();
    this.clients = new WorstOrganization();
    this.useWebchat();
    this.useContactCenter();
    this.useSurvey();
    this.misbehave();
    await sleep(seconds * 1_000);
    await this.clients.stop();
  }

  private useWebchat(): void {
    const { webchat } = this.urls;
    this.repeat('A1 sessions', 20, () => this.createSession());
    this.repeat('A2 refreshes', 50, () => this.refreshSession());
    this.repeat('messages of the platform', 50, () => {
      const path = `/internal/conversations/${this.session.conversationId}/messages`;
      const message = { id: randomUUID(), senderType: 'agent', text: 'Hello' };
      return ok(webchat, postJson(path, this.caller, message));
    });
    this.repeat('sockets', 50, async () => {
      // A session that is reused may end at once.
      const session = await this.refreshSession();
      const sockets = await ChatSockets.open(randomUUID(), webchat.replace('http', 'ws'), [session, session]);
      const sent = await Promise.race([sockets.saturate(2, 0.3), sleep(5_000)]);
      sockets.close();
      if (!sent) throw new Error('messages did not come back');
    });
  }

  private useContactCenter(): void {
    const { contactCenter } = this.urls;
    const get = (path: string) => ok(contactCenter, { method: 'GET', path, headers: this.caller.headers });
    const next = (count: number) => this.n++ % count;
    this.repeat('records of conversations', 50, () => {
      const id = `soak-${next(CONVERSATIONS)}`;
      const times = { createdAt: '2025-06-01T00:00:00.000Z', updatedAt: new Date().toISOString() };
      const activity = { action: 'assign', occurredAt: '2025-06-01T00:01:00.000Z', agent: { accountId: 1 } };
      const records = [
        record('conversation', { id, ...times }),
        record('activity', { id: `${id}-1`, conversationId: id, ...activity }),
      ];
      return ok(contactCenter, postRecords(this.caller, records));
    });
    this.repeat('B1 pages', 30, () => get(`/external/conversation-sessions?${YEAR}&page=${1 + next(6)}`));
    this.repeat('B2 conversations', 50, () =>
      get(`/external/conversation-sessions/conversation-${next(ROWS)}`),
    );
    this.repeat('B digests', 200, () => get(`/external/conversation-session-digests?${YEAR}`));
    this.repeat('B streams', 200, () => ok(contactCenter, this.stream()));
    this.follow('B changes', contactCenter, '/external/conversation-session-changes', 'nextCursor');
  }

  private useSurvey(): void {
    const { survey } = this.urls;
    const { headers } = this.caller;
    const list = `/external/survey-responses?survey_campaign_id=${this.campaignId}&${QUARTER}&per_page=50`;
    this.repeat('C1 campaigns', 50, () =>
      ok(survey, { method: 'GET', path: '/external/survey-campaigns', headers }),
    );
    this.repeat('C2 responses', 50, () => ok(survey, { method: 'GET', path: list, headers }));
    this.repeat('C3 exports', 300, () => ok(survey, this.export()));
    this.repeat('C4 links', 50, () => this.createLink());
    this.repeat('survey pages and submissions', 100, async () => {
      const path = `/s/${this.link}`;
      const page = await ok(survey, { method: 'GET', path });
      const [, identifier = ''] = /name="identifier" value="([^"]+)"/.exec(page.text) ?? [];
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ identifier, q1: 'Tốt', q6: '5' }).toString();
      await ok(survey, { method: 'POST', path: `${path}/responses`, headers: form, body });
    });
    this.follow('C changes', survey, '/external/survey-response-changes', 'next_cursor');
  }

  /** Answers are not looked at: most have none. */
  private misbehave(): void {
    const { webchat, contactCenter, survey } = this.urls;
    const { headers } = this.caller;
    const { headers: ofRecords, ...intake } = postRecords(this.caller, []);
    const endless = { ...intake, headers: { ...ofRecords, 'content-length': '100000000' }, body: '{"type":' };
    const changes = '/external/conversation-session-changes?wait=20';
    const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    for (const url of [webchat, contactCenter, survey]) {
      this.clients.dripBody(1, url, endless);
      this.cutLines(url, endless);
      this.clients.call(1, () => send(url, this.guess()));
    }
    this.clients.stallReading(2, contactCenter, this.stream());
    this.cutLines(contactCenter, this.stream());
    this.cutLines(contactCenter, { method: 'GET', path: changes, headers });
    this.cutLines(survey, this.export());
    this.cutLines(webchat, {
      method: 'GET',
      path: `/sessions/${this.session.sessionId}`,
      headers: { ...upgrade, 'sec-websocket-key': randomBytes(16).toString('base64') },
    });
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

  /** Sends a request, and cuts the connection before, while or after it is answered. */
  private cutLines(url: string, request: HttpRequest): void {
    const cut = async () => {
      const { socket, closed } = openRaw(url);
      socket.write(textOf(request, 'keep-alive'));
      await sleep(Math.random() * 50);
      socket.destroy();
      await closed;
    };
    this.clients.call(1, cut, 200);
  }

  private follow(name: string, url: string, path: string, next: 'nextCursor' | 'next_cursor'): void {
    this.repeat(name, 10, async () => {
      const cursor = this.cursors.get(name);
      const query = new URLSearchParams({ wait: '2', limit: '500', ...(cursor && { cursor }) });
      const request = { method: 'GET', path: `${path}?${query}`, headers: this.caller.headers };
      const { body } = await ok(url, request);
      this.cursors.set(name, (body as Record<typeof next, string>)[next]);
    });
  }

  private async createSession(): Promise<void> {
    const { organizationId } = this.caller;
    const user = { id: `user-${this.n++ % USERS}` };
    const body = { organizationId, installedSourceId: 1, user };
    const answer = await ok(this.urls.webchat, postJson('/external/sessions', this.caller, body));
    this.session = answer.body as BenchSession;
  }

  private async refreshSession(): Promise<BenchSession> {
    const { session } = this;
    const { sessionId } = session;
    const answer = await ok(
      this.urls.webchat,
      postJson('/external/sessions/refresh', this.caller, { sessionId }),
    );
    return { ...session, ...(answer.body as Pick<BenchSession, 'sessionToken'>) };
  }

  private async createLink(): Promise<void> {
    const metadata_mapping = [{ metadata_id: 1, value: `store ${this.n++ % LINKS}` }];
    const path = `/external/survey-campaigns/${this.campaignId}/links`;
    const body = { name: 'soak', metadata_mapping };
    const answer = await ok(this.urls.survey, postJson(path, this.caller, body));
    this.link = (answer.body as { public_id: string }).public_id;
  }

  private repeat(name: string, pauseMs: number, call: () => Promise<unknown>): void {
    const outcome = this.outcomes.get(name) ?? { succeeded: 0, failed: {} };
    this.outcomes.set(name, outcome);
    const counted = async () => {
      try {
        await call();
        outcome.succeeded += 1;
      } catch (error) {
        const reason = String(error);
        outcome.failed[reason] = (outcome.failed[reason] ?? 0) + 1;
      }
    };
    this.clients.call(1, counted, pauseMs);
  }
}

/** @throws when it is answered with an error */
async function ok(url: string, request: HttpRequest): Promise<HttpAnswer> {
  const answer = await send(url, request);
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text.slice(0, 2_000)}`);
  return answer;
}
