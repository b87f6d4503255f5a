import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IntegerSetting } from './decorators';
import { loadSettings } from './load-settings';
import { ServiceSettings } from './service-settings';

class FruitSettings extends ServiceSettings {
  @IntegerSetting(1, 9)
  APPLES: number;

  @IntegerSetting(1, 9)
  PEARS = 2;
}

const stores = { DATABASE_URL: 'postgres://db/cxp', REDIS_URL: 'redis://redis' };

describe('loadSettings', () => {
  it('reads the variables of the class and of its parents, typed, with their defaults', () => {
    const settings = loadSettings(FruitSettings, { ...stores, APPLES: '3', PEARS: '', SOMETHING: 'else' });

    expect(settings).toMatchObject({ ...stores, APPLES: 3, PEARS: 2, LISTEN_HOST: '::' });
    expect(settings).not.toHaveProperty('SOMETHING');
  });

  it.each([
    ['missing', {}, 'APPLES'],
    ['out of bounds', { APPLES: '10' }, 'APPLES'],
    ['not of its kind', { APPLES: '3', LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [
      'in a file that is not there',
      { APPLES_FILE: '/nowhere/apples' },
      'APPLES_FILE must .*: ENOENT: no such file',
    ],
    ['in a file that can’t be read', { APPLES_FILE: tmpdir() }, 'APPLES_FILE must .*: EISDIR'],
    ['given twice', { APPLES: '3', APPLES_FILE: '/nowhere/apples' }, 'APPLES and APPLES_FILE are set'],
  ])('names a setting that is %s in one line', (_, environment, named) => {
    const load = () => loadSettings(FruitSettings, { ...stores, ...environment });

    expect(load).toThrow(new RegExp(`^bad settings: .*${named}[^\n]*$`));
  });

  it('does not repeat a secret that was written where the name of a file belongs', () => {
    const load = () => loadSettings(FruitSettings, { ...stores, APPLES_FILE: 'hunter2, hunter3' });

    expect(load).toThrow(/^(?!.*hunter)bad settings: APPLES_FILE must/);
  });

  it.each([
    ['DATABASE_URL', '', 'must be a postgres:// URL'],
    ['DATABASE_URL', 'mysql://db/cxp', 'must be a postgres:// URL'],
    ['DATABASE_URL', 'postgres://one,two/cxp', 'must be a postgres:// URL of one host'],
    ['DATABASE_URL', 'postgres://one:5432,two:5432/cxp', 'must be a postgres:// URL of one host'],
    ['REDIS_URL', 'http://localhost', 'must be a redis://, redis+cluster:// or redis+sentinel:// URL'],
    ['EXTERNAL_UNAUTHENTICATED_PER_SEC_LIMIT', '0', 'must not be less than 1'],
    ['EXTERNAL_UNAUTHENTICATED_PER_MIN_LIMIT', 'x', 'must be an integer number'],
    ['DATABASE_POOL_SIZE', '0', 'must not be less than 2'],
    ['SHUTDOWN_DRAIN_SECONDS', '-1', 'must not be less than 0'],
    ['TRUSTED_PROXIES', 'proxy.internal', 'must be IP addresses or CIDR ranges'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'must be IP addresses or CIDR ranges'],
    ['TRUSTED_PROXIES', '10.0.0.1,', 'must be IP addresses or CIDR ranges'],
    ['LOG_LEVEL', 'INFO', 'must be one of'],
  ])('names %s, which can not be %j, and says what it has to be', (variable, value, reason) => {
    const load = () => loadSettings(FruitSettings, { ...stores, APPLES: '3', [variable]: value });
    expect(load).toThrow(`bad settings: ${variable} ${reason}`);
  });

  it('takes proxies by address and by network, and names everything that is wrong at once', () => {
    const TRUSTED_PROXIES = '::1, 10.0.0.0/8, 192.168.0.1/32';
    const { TRUSTED_PROXIES: proxies } = loadSettings(FruitSettings, {
      ...stores,
      APPLES: '3',
      TRUSTED_PROXIES,
    });
    expect(proxies.join(', ')).toBe(TRUSTED_PROXIES);
    expect(() => loadSettings(FruitSettings, {})).toThrow(/(?=.*DATABASE_URL)(?=.*REDIS_URL)(?=.*APPLES)/);
  });

  describe('with a file', () => {
    const directory = mkdtempSync(join(tmpdir(), 'settings-'));
    const file = join(directory, 'apples');
    writeFileSync(file, '7\n');
    afterAll(() => rmSync(directory, { recursive: true }));

    it.each([
      ['the variable is not there', { APPLES_FILE: file }, 7],
      ['the variable is empty', { APPLES: '', APPLES_FILE: file }, 7],
      ['the name of the file is empty', { APPLES: '3', APPLES_FILE: '' }, 3],
    ])('reads the one that is set, when %s', (_, given, apples) => {
      expect(loadSettings(FruitSettings, { ...stores, ...given }).APPLES).toBe(apples);
    });
  });
});
