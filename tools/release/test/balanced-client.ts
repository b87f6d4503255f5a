import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answersOk, type ServiceProcess } from '@cxp/testing/local-servers';
import { send, type HttpAnswer, type HttpRequest } from '@cxp/system-tests/http';

/** How often processes are asked whether they are ready, in milliseconds; Kubernetes takes its time, too. */
const PROBE_MS = 200;

/**
 * Clients of a service with several processes, as in Kubernetes: each keeps its connection to one process as long as
 * that process does, and only new connections go to the processes that are ready at the time, in turn.
 */
export class BalancedClients {
  private readonly processes: ServiceProcess[];
  private ready: readonly ServiceProcess[];
  private readonly connections = new Map<number, { process: ServiceProcess; agent: Agent }>();
  private turn = 0;
  private stopping = false;
  private readonly probing: Promise<void>;

  constructor(processes: readonly ServiceProcess[]) {
    this.processes = [...processes];
    this.ready = processes;
    this.probing = this.probe();
  }

  /** One that a new version starts; it is sent requests once it is ready. */
  add(process: ServiceProcess): void {
    this.processes.push(process);
  }

  /** Sends over the connection of the client of this number, never twice. */
  send(request: HttpRequest, client: number): Promise<HttpAnswer> {
    const { process, agent } = this.connectionOf(client);
    return send(process.url, request, agent);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.probing;
    for (const { agent } of this.connections.values()) agent.destroy();
  }

  private connectionOf(client: number): { process: ServiceProcess; agent: Agent } {
    const kept = this.connections.get(client);
    if (kept && isOpen(kept.agent)) return kept;
    kept?.agent.destroy();
    const connection = {
      process: this.ready[this.turn++ % this.ready.length]!,
      agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    };
    this.connections.set(client, connection);
    return connection;
  }

  private async probe(): Promise<void> {
    while (!this.stopping) {
      const asked = [...this.processes];
      const answers = await Promise.all(asked.map(({ url }) => answersOk(`${url}/health/ready`)));
      this.ready = asked.filter((_, index) => answers[index]);
      await sleep(PROBE_MS);
    }
  }
}

function isOpen(agent: Agent): boolean {
  const sockets = [...Object.values(agent.freeSockets), ...Object.values(agent.sockets)].flat();
  return sockets.some((socket) => socket !== undefined && !socket.destroyed);
}
