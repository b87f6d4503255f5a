import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath, freePort, startGuarded, workspaceRoot } from '@cxp/local-servers';
import { eventually } from '@cxp/testing';

/** Debian's, which the search path of an ordinary user does not have. */
export const nginxProgram = findOnPath('nginx') ?? ['/usr/sbin/nginx'].find((program) => existsSync(program));

/** The services as `docker/nginx.conf` names them, with the ports that it listens on for them. */
const PORTS: Readonly<Record<string, string>> = {
  'webchat-gateway': '3001',
  'contact-center-export': '3002',
  'survey-api': '3003',
};

export interface Edge {
  /** Where it listens for a service. */
  readonly urlOf: (service: string) => string;
  readonly stop: () => Promise<void>;
}

/** Starts nginx with `docker/nginx.conf`, of which only addresses and ports are others. */
export async function startEdge(urls: Readonly<Record<string, string>>): Promise<Edge> {
  const directory = mkdtempSync(join(tmpdir(), 'cxp-nginx-'));
  let text = readFileSync(join(workspaceRoot, 'docker/nginx.conf'), 'utf8');
  const listening: Record<string, string> = {};
  for (const [service, port] of Object.entries(PORTS)) {
    const own = String(await freePort());
    listening[service] = `http://127.0.0.1:${own}`;
    text = text.replace(`${service}:3000`, new URL(urls[service]!).host).replaceAll(port, own);
  }
  writeFileSync(join(directory, 'nginx.conf'), text);
  const user = process.getuid?.() === 0 ? ' user root;' : '';
  const nginx = startGuarded({
    command: [
      nginxProgram!,
      '-p',
      directory,
      '-c',
      join(directory, 'nginx.conf'),
      '-g',
      `daemon off;${user}`,
    ],
    removeDirectory: directory,
  });
  const isListening = (url: string) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
    });
  await eventually(async () => (await Promise.all(Object.values(listening).map(isListening))).every(Boolean));
  return { urlOf: (service) => listening[service]!, stop: nginx.stop };
}
