import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** How long a server of DNS may take to answer the first time, in milliseconds; the second time it may take twice as long. */
const DNS_TIMEOUT_MS = 500;

const HOSTS_FILE = '/etc/hosts';

/** A hint that is not sent; the message has the reason, and names no address. */
export class HintError extends Error {}

export class AllowedAddresses {
  private readonly networks: readonly [Address, number][];
  private readonly resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });

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
   * @throws HintError
   */
  async resolve(host: string): Promise<readonly LookupAddress[]> {
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    const family = isIP(literal);
    const found = family ? [{ address: literal, family }] : await this.addressesOf(host);
    if (found.length === 0) throw new HintError('the host of the url does not resolve');
    if (!found.every(({ address }) => this.isAllowed(address))) {
      throw new HintError('the host of the url resolves to an address that is not public');
    }
    return found;
  }

  isAllowed(address: string): boolean {
    // An IPv4 address in an IPv6 one (::ffff:0:0/96) is never public; in a network that is set, it is that IPv4 address.
    const parsed = ipaddr.process(address);
    return (
      isPublic(ipaddr.parse(address)) ||
      this.networks.some((network) => network[0].kind() === parsed.kind() && parsed.match(network))
    );
  }

  /**
   * By the file of hosts, and else by DNS. Not by the system's resolver: each name that it looks up blocks a thread, of which Node.js has few, for as
   * long as the servers of the name like.
   */
  private async addressesOf(host: string): Promise<LookupAddress[]> {
    const local = await addressesInFile(host);
    if (local.length > 0) return local.map((address) => ({ address, family: isIP(address) }));
    const [v4, v6] = await Promise.all(
      [this.resolver.resolve4(host), this.resolver.resolve6(host)].map((answer) => answer.catch(() => [])),
    );
    return [
      ...v4!.map((address) => ({ address, family: 4 })),
      ...v6!.map((address) => ({ address, family: 6 })),
    ];
  }
}

async function addressesInFile(host: string): Promise<string[]> {
  const lines = (await readFile(HOSTS_FILE, 'utf8').catch(() => '')).split('\n');
  return lines.flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) && names.includes(host) ? [address] : [];
  });
}

/** Outside 2000::/3 no address of IPv6 is public, and in it `unicast` is what is left of the special ranges. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).parts[0]! >> 13 === 1;
}
