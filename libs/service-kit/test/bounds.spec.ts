import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { UNREAD_ANSWERS } from '../src/http/answers';
import { MAX_CONNECTIONS, MAX_WAITING, MAX_WAITING_OF_CONNECTION } from '../src/http/http-server';
import { LARGE_BODIES, SMALL_BODIES } from '../src/http/request-body';

const mib = (bytes: number) => `${bytes / 1_024 / 1_024} MiB`;

it('operators read the bounds that hold', () => {
  const guide = readFileSync(join(workspaceRoot, 'docker', 'README.md'), 'utf8');
  const [, table] = /### Bounds without a setting\n([^]+?)\n#/.exec(guide)!;
  const rows = table!
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| [^|]* chat/.test(line))
    .slice(2);
  const figures = rows.map((row) =>
    row
      .split('|')
      .slice(2, 4)
      .map((cell) => cell.trim()),
  );
  // The rows of chats are checked by webchat-gateway.
  expect(figures).toEqual([
    ['', MAX_CONNECTIONS.toLocaleString('en')],
    [String(MAX_WAITING_OF_CONNECTION), String(MAX_WAITING)],
    [mib(SMALL_BODIES.perOrganization), mib(SMALL_BODIES.total)],
    [mib(LARGE_BODIES.perOrganization), mib(LARGE_BODIES.total)],
    // `LARGE_LINKS` of survey-api.
    ['2', '16'],
    [mib(UNREAD_ANSWERS.perOrganization), mib(UNREAD_ANSWERS.total)],
  ]);
});
