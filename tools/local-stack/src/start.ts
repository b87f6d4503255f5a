import { setTimeout as sleep } from 'node:timers/promises';
import { lastWeek } from './last-week';
import { type OnStop, startLocalStack } from './local-stack';
import type { DemoFacts } from './running-stack';
import { readSettings } from './settings';

/** Ctrl-C also reaches a command that is under way, and its end may be noticed before the signal. In milliseconds. */
const SIGNAL_DELAY_MS = 500;

/** `npm start`: in the foreground until Ctrl-C, which leaves no process behind. */
export async function main(): Promise<void> {
  const stops: Parameters<OnStop>[0][] = [];
  let stopping = false;
  const stop = async (status: number) => {
    if (stopping) return;
    stopping = true;
    for (const stopOne of stops.reverse()) await stopOne();
    process.exit(status);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  // The terminal may be closed before the services have printed their last lines.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  setInterval(() => undefined, 60_000); // Guarded processes don't keep this one alive.

  const fail = async (reason: string) => {
    await sleep(SIGNAL_DELAY_MS);
    if (!stopping) console.error(`npm start: ${reason}`);
    await stop(1);
  };
  try {
    const settings = readSettings(process.env);
    const { facts, broken } = await startLocalStack(
      settings,
      process.env,
      (stopOne) => stops.push(stopOne),
      (step) => console.log(`npm start: ${step}`),
    );
    console.log(welcome(facts));
    await fail(await broken);
  } catch (error) {
    await fail(error instanceof Error ? error.message : String(error));
  }
}

/** What `npm start` prints when everything is ready: the facts, and a command per area that works when pasted. */
function welcome(facts: DemoFacts): string {
  const lines = [
    '',
    'The local stack is ready. Ctrl-C stops it.',
    '',
    `  organization  ${facts.organizationId}`,
    `  token         ${facts.token}`,
    ...Object.entries(facts.urls).map(([area, url]) => `  ${area.padEnd(13)} ${url}`),
    `  reference     ${facts.urls.webchat}/docs`,
    `  chat page     ${facts.demoPage}  (https only; your browser will ask about its certificate)`,
    `  report        ${facts.report}  (the demo's last week, as a team lead reads it)`,
    ...(facts.surveyLink ? [`  survey        ${facts.surveyLink}`] : []),
    '',
    ...Object.keys(facts.urls).flatMap((area) => [demoCommands[area]?.(facts) ?? '', '']),
  ];
  return lines.join('\n');
}

const demoCommands: Record<string, (facts: DemoFacts) => string> = {
  webchat: (facts) =>
    curl(
      facts,
      `${facts.urls.webchat}/external/sessions`,
      `-H 'content-type: application/json'`,
      `-d '${JSON.stringify({
        organizationId: facts.organizationId,
        installedSourceId: facts.installedSourceId,
        user: { id: 'customer-1', name: 'Linh' },
      })}'`,
    ),
  contactCenter: (facts) => {
    const { monday, sunday } = lastWeek(new Date());
    const window = `startDate=${monday}&endDate=${sunday}`;
    return curl(facts, `${facts.urls.contactCenter}/external/conversation-sessions?${window}`);
  },
  survey: (facts) => curl(facts, `${facts.urls.survey}/external/survey-campaigns`),
};

function curl({ organizationId, token }: DemoFacts, url: string, ...options: string[]): string {
  return [
    `curl -i '${url}'`,
    `-H 'authorization: Bearer ${token}'`,
    `-H 'organization-id: ${organizationId}'`,
    `-H 'auth-type: token'`,
    ...options,
  ].join(' \\\n  ');
}
