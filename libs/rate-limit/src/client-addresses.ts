import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import * as ipaddr from 'ipaddr.js';

/** The addresses that all limits of clients without an identity count by. */
export class ClientAddresses {
  private readonly isTrusted: (address: string) => boolean;

  /** @param trustedProxies addresses or CIDR ranges */
  constructor(trustedProxies: readonly string[]) {
    const isTrusted = proxyAddr.compile([...trustedProxies]);
    this.isTrusted = (address) => isTrusted(address, 0);
  }

  /** The last address of `X-Forwarded-For` that a trusted proxy wrote. If it wrote none, its own; of IPv6 the /64. */
  of({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    const entries = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean);
    // Without the interface of a link-local address.
    let address = (socket.remoteAddress ?? '').replace(/%.*$/, '');
    while (this.isTrusted(address)) {
      const next = withoutPort(entries.pop() ?? '');
      if (isIP(next) === 0) break;
      address = next;
    }
    return networkOf(address);
  }
}

/** `203.0.113.7:1024`, `[2001:db8::1]:1024` and `[2001:db8::1]`, as some gateways write them. */
function withoutPort(entry: string): string {
  const [, address = entry] = /^\[(.*)\](?::\d+)?$/.exec(entry) ?? /^([\d.]+):\d+$/.exec(entry) ?? [];
  return address;
}

function networkOf(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const { parts } = parsed as ipaddr.IPv6;
  return `${new ipaddr.IPv6([...parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
