import { stackDirectory } from './running-stack';
import { type Service, services } from '@cxp/areas/services';

export interface LocalStackSettings {
  readonly directory: string;
  /** An existing PostgreSQL (`DATABASE_URL`) and Redis (`REDIS_URL`), used instead of started ones. */
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  /** Where the sample backend listens with TLS, in front of webchat-gateway: `websocketUrl` leads there. */
  readonly webchatTlsPort: number;
  readonly services: readonly (Service & { readonly port: number; readonly url: string })[];
}

/** @throws one line that names the variable that is wrong */
export function readSettings(environment: NodeJS.ProcessEnv): LocalStackSettings {
  return {
    directory: stackDirectory(environment),
    databaseUrl: environment.DATABASE_URL || undefined,
    redisUrl: environment.REDIS_URL || undefined,
    webchatTlsPort: readPort(environment.WEBCHAT_TLS_PORT, {
      portVariable: 'WEBCHAT_TLS_PORT',
      defaultPort: 3443,
    }),
    services: services.map((service) => {
      const port = readPort(environment[service.portVariable], service);
      return { ...service, port, url: `http://localhost:${port}` };
    }),
  };
}

function readPort(
  value: string | undefined,
  { portVariable, defaultPort }: Pick<Service, 'portVariable' | 'defaultPort'>,
): number {
  const port = Number(value || defaultPort);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new Error(`${portVariable} must be a port number, and is "${value}"`);
}
