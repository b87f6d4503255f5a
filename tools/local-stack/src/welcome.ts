import { lastWeek } from './last-week';
import type { DemoFacts } from './demo-facts';

/** What `npm start` prints when everything is ready: the facts, and a command per area that works when pasted. */
export function welcome(facts: DemoFacts): string {
  const lines = [
    '',
    'The local stack is ready. Ctrl-C stops it.',
    '',
    `  organization  ${facts.organizationId}`,
    `  token         ${facts.token}`,
    ...Object.entries(facts.urls).map(([area, url]) => `  ${area.padEnd(13)} ${url}`),
    `  reference     ${facts.urls.webchat}/docs`,
    `  chat page     ${facts.demoPage}  (your browser will ask about its certificate)`,
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
