import { readAuthHeaders } from './authentication';

const SOUND = { authorization: 'Bearer t-1', 'organization-id': 'acme', 'auth-type': 'token' };
const READ = { token: 't-1', organizationId: 'acme', authType: 'token' };

describe('readAuthHeaders', () => {
  it.each<[string, Parameters<typeof readAuthHeaders>[0], Partial<typeof READ>]>([
    ['the three headers', {}, {}],
    ['auth-type account', { 'auth-type': 'account' }, { authType: 'account' }],
    ['the scheme without case', { authorization: 'bEARER t-1' }, {}],
    ['several spaces after the scheme', { authorization: 'Bearer   t-1' }, {}],
    [
      'a token with every character a token may have',
      { authorization: 'Bearer aZ0-._~+/=' },
      { token: 'aZ0-._~+/=' },
    ],
    ['spaces around an organization-id', { 'organization-id': ' acme ' }, {}],
    ['spaces around an auth-type', { 'auth-type': ' token ' }, {}],
    [
      'an organization-id with spaces and signs',
      { 'organization-id': 'Acme & Co. {1}' },
      { organizationId: 'Acme & Co. {1}' },
    ],
  ])('reads %s', (_, change, read) => {
    expect(readAuthHeaders({ ...SOUND, ...change })).toEqual({ ...READ, ...read });
  });

  it.each<[string, Parameters<typeof readAuthHeaders>[0]]>([
    ['authorization missing', { authorization: undefined }],
    ['authorization empty', { authorization: '' }],
    ['no scheme', { authorization: 't-1' }],
    ['another scheme', { authorization: 'Basic t-1' }],
    ['a scheme that only begins like Bearer', { authorization: 'Bearers t-1' }],
    ['something before the scheme', { authorization: 'x Bearer t-1' }],
    ['no token', { authorization: 'Bearer' }],
    ['a blank token', { authorization: 'Bearer  ' }],
    ['two tokens', { authorization: 'Bearer t-1 t-2' }],
    ['a tab between scheme and token', { authorization: 'Bearer\tt-1' }],
    ['organization-id missing', { 'organization-id': undefined }],
    ['organization-id blank', { 'organization-id': ' ' }],
    ['organization-id twice', { 'organization-id': ['acme', 'acme'] }],
    ['auth-type missing', { 'auth-type': undefined }],
    ['auth-type blank', { 'auth-type': '' }],
    ['auth-type twice', { 'auth-type': ['token', 'account'] }],
  ])('names the header with %s', (_, change) => {
    expect(readAuthHeaders({ ...SOUND, ...change })).toEqual({
      reason: 'missing_header',
      header: Object.keys(change)[0],
    });
  });

  it.each(['Token', 'session', 'bearer', 'constructor'])('says that auth-type %s is none', (type) => {
    expect(readAuthHeaders({ ...SOUND, 'auth-type': type })).toEqual({ reason: 'auth_type_not_accepted' });
  });
});
