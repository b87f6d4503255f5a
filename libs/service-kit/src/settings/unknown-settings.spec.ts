import { unknownSettings } from './unknown-settings';

const NAMES = [
  ...['DATABASE_URL', 'DATABASE_POOL_SIZE', 'REDIS_URL', 'LISTEN_HOST', 'LOG_LEVEL'],
  ...['TRUSTED_PROXIES', 'EXTERNAL_FRUIT_PER_SEC_LIMIT', 'FRUIT_PORT', 'FRUIT_KEYS', 'FRUIT_KEPT_DAYS'],
];

describe('unknownSettings', () => {
  it.each<[string, string, string | undefined]>([
    ['FRUIT_KEPT_DAY', '30', 'FRUIT_KEPT_DAYS'],
    ['FRUIT_RETENTION_DAYS', '30', undefined],
    ['FRUITS_PORT', '3001', 'FRUIT_PORT'],
    ['FRUIT_KEY_FILE', '/run/keys', 'FRUIT_KEYS_FILE'],
    ['EXTERNAL_FRUIT_PER_MINUTE_LIMIT', '60', 'EXTERNAL_FRUIT_PER_SEC_LIMIT'],
    ['DATABASE_POOLSIZE', '20', 'DATABASE_POOL_SIZE'],
    ['DATABSE_URL', 'postgres://database', 'DATABASE_URL'],
    ['REDIS_HOST', 'redis', undefined],
    ['TRUSTED_PROXYS', '::1', 'TRUSTED_PROXIES'],
    ['LOG_LEVL', 'debug', 'LOG_LEVEL'],
  ])('finds %s', (name, value, nearest) => {
    expect(unknownSettings(NAMES, { [name]: value })).toEqual([{ name, nearest }]);
  });

  it.each([
    ['what is known', 'FRUIT_KEYS', 'a:b'],
    ['what is known, in a file', 'FRUIT_KEYS_FILE', '/run/keys'],
    ['a setting of another area', 'EXTERNAL_VEGETABLE_PER_SEC_LIMIT', '5'],
    ['a setting of another program', 'LISTEN_FDS', '1'],
    ['a setting of another program', 'PATH', '/bin'],
    ['a link of Kubernetes', 'FRUIT_API_SERVICE_HOST', '10.0.0.1'],
    ['a link of Kubernetes', 'FRUIT_API_SERVICE_PORT', '80'],
    ['a link of Kubernetes', 'FRUIT_API_SERVICE_PORT_HTTP', '80'],
    ['a link of Kubernetes', 'FRUIT_API_PORT', 'tcp://10.0.0.1:80'],
    ['a link of Kubernetes', 'FRUIT_API_PORT_80_TCP', 'tcp://10.0.0.1:80'],
    ['a link of Kubernetes', 'FRUIT_API_PORT_80_TCP_ADDR', '10.0.0.1'],
    ['a link of Kubernetes', 'DATABASE_PORT_5432_TCP_PROTO', 'tcp'],
  ])('passes over %s: %s', (_, name, value) => {
    expect(unknownSettings(NAMES, { [name]: value })).toEqual([]);
  });
});
