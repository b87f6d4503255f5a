import { once } from 'node:events';
import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const DNS_TIMEOUT_MS = 1_500;

/** An endpoint that hints are not sent to; the message says why, and names no address. */
export class RefusedHostError extends Error {}

/** Resolves the hosts of endpoints to the addresses that hints may be sent to. */
export class AllowedAddresses {
  private readonly networks: readonly [Address, number][];
  private readonly resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  private readonly asked = new Map<string, Promise<LookupAddress[]>>();
  private lookups: Promise<unknown> = Promise.resolve();

  /**
   * @param networks addresses and CIDR ranges that hints may be sent to besides public addresses
   * @param dnsServers instead of those of the system
   */
  constructor(networks: readonly string[] = [], dnsServers?: readonly string[]) {
    this.networks = networks.map((network) =>
      ipaddr.parseCIDR(network.includes('/') ? network : `${network}/${isIP(network) === 4 ? 32 : 128}`),
    );
    if (dnsServers) this.resolver.setServers(dnsServers);
  }

  /**
   * The addresses of a host of a URL, of which each is allowed.
   * @throws RefusedHostError
   */
  async resolve(host: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    const family = isIP(literal);
    const found = family ? [{ address: literal, family }] : await orAborted(this.ask(host), signal);
    if (found.length === 0) throw new RefusedHostError('the host of the url does not resolve');
    if (!found.every(({ address }) => this.isAllowed(address))) {
      throw new RefusedHostError('the host of the url resolves to an address that is not public');
    }
    return found;
  }

  isAllowed(address: string): boolean {
    // An IPv4 address in an IPv6 one (::ffff:0:0/96) is that IPv4 address.
    const parsed = ipaddr.process(address);
    return (
      isPublic(parsed) ||
      this.networks.some((network) => network[0].kind() === parsed.kind() && parsed.match(network))
    );
  }

  /** Hosts that are being asked for: many endpoints have the same. */
  private ask(host: string): Promise<LookupAddress[]> {
    const known = this.asked.get(host);
    if (known) return known;
    const found = this.askDns(host).finally(() => this.asked.delete(host));
    this.asked.set(host, found);
    return found;
  }

  private async askDns(host: string): Promise<LookupAddress[]> {
    const [v4, v6] = await Promise.all(
      [this.resolver.resolve4(host), this.resolver.resolve6(host)].map((answer) => answer.catch(() => [])),
    );
    const found = [
      ...v4!.map((address) => ({ address, family: 4 })),
      ...v6!.map((address) => ({ address, family: 6 })),
    ];
    return found.length > 0 ? found : this.askSystem(host);
  }

  /**
   * For what DNS does not answer: files, search domains. One at a time, because the system's resolver blocks a thread, of which Node.js has
   * two, also for PostgreSQL and Redis.
   */
  private askSystem(host: string): Promise<LookupAddress[]> {
    const turn = this.lookups.then(() => lookup(host, { all: true, verbatim: true }).catch(() => []));
    this.lookups = turn;
    return turn;
  }
}

/** Outside 2000::/3 no address of IPv6 is public, and in it `unicast` is what is left of the special ranges. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).parts[0]! >> 13 === 1;
}

async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = once(signal, 'abort').then(() => {
    throw signal.reason;
  });
  return Promise.race([work, aborted]);
}
