import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Milliseconds for a DNS server's first answer; the second try doubles them. */
const DNS_TIMEOUT_MS = 500;

const HOSTS_FILE = '/etc/hosts';

/** The message has the reason and names no address. */
export class HintError extends Error {}

export class AllowedAddresses {
  private readonly networks: readonly [Address, number][];
  /** Asks the servers of the system. */
  readonly resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });

  /** @param networks allowed addresses and CIDR ranges besides public addresses */
  constructor(networks: readonly string[] = []) {
    this.networks = networks.map((network) =>
      ipaddr.parseCIDR(network.includes('/') ? network : `${network}/${isIP(network) === 4 ? 32 : 128}`),
    );
  }

  /**
   * Each of the addresses is allowed.
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
    // An IPv4 address in an IPv6 one (::ffff:0:0/96) counts as that IPv4 address only in a set network; it is never public.
    const parsed = ipaddr.process(address);
    return (
      isPublic(ipaddr.parse(address)) ||
      this.networks.some((network) => network[0].kind() === parsed.kind() && parsed.match(network))
    );
  }

  /**
   * Reads the hosts file, then DNS. The system's resolver would block one of Node.js's few threads for as long as a slow name
   * server likes.
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

/** Public IPv6 is `unicast` in 2000::/3: special ranges have other names. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).parts[0]! >> 13 === 1;
}
