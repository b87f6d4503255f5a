import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findOnPath,
  freePort,
  imageEnvironment,
  startGuarded,
  workspaceRoot,
} from '@cxp/testing/local-servers';
import { useBuiltService } from './tenants';
import { KNOWN_ROUTES } from './known-routes';
import { SERVICES } from './service-under-test';
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

/**
 * Starts nginx with `docker/nginx.conf`, of which only addresses and ports are others.
 * @param change what else is
 */
export async function startEdge(
  urls: Readonly<Record<string, string>>,
  change = (text: string) => text,
): Promise<Edge> {
  const directory = mkdtempSync(join(tmpdir(), 'cxp-nginx-'));
  let text = change(readFileSync(join(workspaceRoot, 'docker/nginx.conf'), 'utf8'));
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

/** The built services behind an edge, for the tests of a file. @param settings of all services */
export function useEdge(settings: Readonly<Record<string, string>> = {}) {
  const running = SERVICES.map((service) => ({
    service,
    // The first endpoint of the area's contract: hostile clients call it, too.
    route: KNOWN_ROUTES.find(({ service: its, path }) => its === service && path.startsWith('/external'))!,
    used: useBuiltService(service, () => ({
      ...imageEnvironment(),
      TRUSTED_PROXIES: '127.0.0.1',
      WEBCHAT_WEBSOCKET_URL: 'wss://localhost/websocket',
      ...settings,
    })),
  }));
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge(
      Object.fromEntries(running.map(({ service, used }) => [service.name, used.built.url])),
    );
  });
  afterAll(() => edge?.stop());
  return { running, urlOf: (service: string) => edge.urlOf(service) };
}
