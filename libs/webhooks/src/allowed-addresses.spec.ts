import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { AllowedAddresses } from './allowed-addresses';

/** What the test's resolver answers for each name. */
const NAMES: Record<string, readonly string[]> = {
  'public.test': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
  'mixed.test': ['93.184.216.34', '127.0.0.1'],
  'mixed6.test': ['93.184.216.34', '::1'],
  'loopback.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'metadata6.test': ['fd00:ec2::254'],
  'mapped.test': ['::ffff:10.0.0.1'],
  'inner.test': ['10.1.2.3'],
};

/** Whose resolver answers from `NAMES`. */
function allowing(...networks: string[]): AllowedAddresses {
  const allowed = new AllowedAddresses(networks);
  const answers = (family: number) => (name: string) => {
    const found = NAMES[name.toLowerCase().replace(/\.$/, '')];
    if (!found) return Promise.reject(new Error(`queryA ENOTFOUND ${name}`));
    return Promise.resolve(found.filter((address) => isIP(address) === family));
  };
  allowed.resolver.resolve4 = answers(4) as typeof allowed.resolver.resolve4;
  allowed.resolver.resolve6 = answers(6) as typeof allowed.resolver.resolve6;
  return allowed;
}

const addresses = allowing();

/** As a call does: the host of the URL, as Node.js reads it. */
function resolve(url: string, by = addresses) {
  return by.resolve(new URL(url).hostname);
}

it.each([
  // Loopback, in every spelling.
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '017700000001', '0x7f000001', '0x7f.1', '0177.0.0.1'],
  ...['127.0.0.1.', '127.255.255.254', '①②⑦.⓪.⓪.①', '１２７。０。０。１', '[::1]', '[0:0:0:0:0:0:0:1]'],
  ...['localhost', 'LOCALHOST', 'loopback.test', 'LoopBack.Test.'],
  // This host.
  ...['0', '0.0.0.0', '[::]', '0x0'],
  // Private, shared, link-local, metadata.
  ...['10.0.0.1', '10.255.255.255', '0xa.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '3232235521'],
  ...['100.64.0.1', '100.127.255.255', '169.254.169.254', '2852039166', '169.254.1', '0xa9fea9fe'],
  ...[
    'metadata.test',
    'metadata6.test',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    'inner.test',
  ],
  // Documentation, benchmarks, protocols, multicast, reserved, broadcast.
  ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
  ...[
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '[ff02::1]',
    '[2001:db8::1]',
    '[3fff::1]',
  ],
  // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo.
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:a9fe:a9fe]',
    '[::ffff:8.8.8.8]',
    '[::ffff:808:808]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    'mapped.test',
  ],
  ...['[::ffff:0:7f00:1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001::7f00:1]'],
  // Not allocated, discarded, routed inside.
  ...['[100::1]', '[5f00::1]', '[4000::1]', '[2001:2::1]', '[2001:10::1]', '[2001:20::1]'],
  // One address of several.
  ...['mixed.test', 'mixed6.test'],
])('refuses %s', async (host) => {
  await expect(resolve(`https://${host}/`)).rejects.toThrow(/resolves to an address that is not public$/);
});

it.each(['nowhere.test', 'nowhere.invalid', 'a.b.c.nowhere.test'])('refuses %s', async (host) => {
  await expect(resolve(`https://${host}/`)).rejects.toThrow('the host of the url does not resolve');
});

it.each<[string, string[]]>([
  ['public.test', NAMES['public.test'] as string[]],
  ['8.8.8.8', ['8.8.8.8']],
  ['134744072', ['8.8.8.8']],
  ['[2606:4700::1111]', ['2606:4700::1111']],
  ['172.32.0.1', ['172.32.0.1']],
  ['100.128.0.1', ['100.128.0.1']],
])('allows %s', async (host, expected) => {
  const found = await resolve(`https://${host}/`);
  expect(found.map(({ address }) => address)).toEqual(expected);
});

it('allows networks that are set, and no others', async () => {
  const some = allowing('10.0.0.0/8', 'fd00:1::/32', '127.0.0.1');
  for (const host of [
    '10.1.2.3',
    'inner.test',
    'mapped.test',
    '[fd00:1::5]',
    '127.0.0.1',
    '[::ffff:127.0.0.1]',
    '8.8.8.8',
  ]) {
    await expect(resolve(`https://${host}/`, some)).resolves.toBeDefined();
  }
  for (const host of ['127.0.0.2', '192.168.0.1', '[fd00:2::5]', '[::1]']) {
    await expect(resolve(`https://${host}/`, some)).rejects.toThrow('not public');
  }
});

it('gives up on names whose servers do not answer, which hold up no other name', async () => {
  const silent = createSocket('udp4');
  await new Promise<void>((bound) => silent.bind(0, '127.0.0.1', bound));
  const { port } = silent.address();
  const some = new AllowedAddresses(['127.0.0.0/8']);
  some.resolver.setServers([`127.0.0.1:${port}`]);
  const slow = Array.from({ length: 100 }, (_, i) => resolve(`https://slow-${i}.test/`, some));
  const outcomes = Promise.allSettled(slow);
  const others = Promise.all([resolve('https://localhost/', some), resolve('https://public.test/')]);
  await expect(Promise.race([outcomes, others.then(() => 'others')])).resolves.toBe('others');
  const reasons = (await outcomes).map((outcome) => 'reason' in outcome && (outcome.reason as Error).message);
  expect(new Set(reasons)).toEqual(new Set(['the host of the url does not resolve']));
  silent.close();
});
