import { loadSettings } from '@cxp/service-kit';
import { WebchatSettings } from './settings';

const SECRET = '0123456789abcdef0123456789abcdef';
const SOUND = {
  DATABASE_URL: 'postgres://localhost/cxp',
  REDIS_URL: 'redis://localhost',
  WEBCHAT_WEBSOCKET_URL: 'wss://chat.example.com/sessions',
  WEBCHAT_SESSION_TOKEN_KEYS: `k1:${SECRET}`,
};

describe('the settings of webchat-gateway', () => {
  it('have the figures of the contract as defaults', () => {
    expect(loadSettings(WebchatSettings, SOUND)).toMatchObject({
      WEBCHAT_PORT: 3001,
      WEBCHAT_SESSION_TTL_SECONDS: 3_600,
      WEBCHAT_STRICT_USER_ID: false,
      EXTERNAL_WEBCHAT_PER_SEC_LIMIT: 20,
      EXTERNAL_WEBCHAT_PER_MIN_LIMIT: 1_200,
      EXTERNAL_UNAUTHENTICATED_PER_SEC_LIMIT: 20,
      EXTERNAL_UNAUTHENTICATED_PER_MIN_LIMIT: 300,
    });
  });

  it('list the signing keys in the order in which they are given', () => {
    const WEBCHAT_SESSION_TOKEN_KEYS = `k2:${SECRET}:with:colons, k1:${SECRET}`;
    expect(
      loadSettings(WebchatSettings, { ...SOUND, WEBCHAT_SESSION_TOKEN_KEYS }).WEBCHAT_SESSION_TOKEN_KEYS,
    ).toEqual([
      { id: 'k2', secret: `${SECRET}:with:colons` },
      { id: 'k1', secret: SECRET },
    ]);
  });

  it.each<[variable: string, value: string | undefined]>([
    ['WEBCHAT_CONVERSATIONS_KEPT_DAYS', '0'],
    ['WEBCHAT_WEBSOCKET_URL', undefined],
    ['WEBCHAT_WEBSOCKET_URL', 'ws://chat.example.com'],
    ['WEBCHAT_WEBSOCKET_URL', 'wss://chat.example.com/'],
    ['WEBCHAT_WEBSOCKET_URL', 'wss://chat.example.com/sessions?x=1'],
    ['WEBCHAT_SESSION_TOKEN_KEYS', undefined],
    ['WEBCHAT_SESSION_TOKEN_KEYS', SECRET],
    ['WEBCHAT_SESSION_TOKEN_KEYS', 'k1:short'],
    ['WEBCHAT_SESSION_TOKEN_KEYS', `k1:${SECRET},`],
    ['WEBCHAT_SESSION_TOKEN_KEYS', `k1:${SECRET},k1:${SECRET}x`],
    ['CONTACT_CENTER_RECORDS_URL', 'contact-center'],
    ['CONTACT_CENTER_RECORDS_URL', 'ftp://contact-center/'],
    ['SERVICE_TOKEN_KEYS', 'k1:short'],
    ['WEBCHAT_SESSION_TTL_SECONDS', '0'],
    ['WEBCHAT_SESSION_TTL_SECONDS', '1.5'],
    ['WEBCHAT_STRICT_USER_ID', 'true'],
    ['EXTERNAL_WEBCHAT_PER_SEC_LIMIT', '0'],
    ['EXTERNAL_WEBCHAT_PER_MIN_LIMIT', 'many'],
    ['WEBCHAT_PORT', '65536'],
  ])('stop the service with one line that names %s when it is %j', (variable, value) => {
    const load = () => loadSettings(WebchatSettings, { ...SOUND, [variable]: value });
    expect(load).toThrow(new RegExp(`^bad settings: ${variable} [^\n]*$`));
  });

  it('need keys for the tokens with which records are delivered', () => {
    const delivering = { ...SOUND, CONTACT_CENTER_RECORDS_URL: 'http://contact-center/internal/records' };
    expect(() => loadSettings(WebchatSettings, delivering)).toThrow(/^bad settings: SERVICE_TOKEN_KEYS /);
    const keys = { SERVICE_TOKEN_KEYS: `k1:${SECRET}` };
    expect(loadSettings(WebchatSettings, { ...delivering, ...keys }).deliversRecords).toBe(true);
    expect(loadSettings(WebchatSettings, SOUND).deliversRecords).toBe(false);
  });
});
