import { ConversationSessions } from './conversation-sessions';
import { CxpError } from './errors';
import { checkToken, HttpClient, type HttpOptions } from './http-client';
import { Sessions } from './sessions';
import { SurveyCampaigns, SurveyLinks, SurveyResponses } from './surveys';

export interface CxpClientOptions extends Pick<HttpOptions, 'retry' | 'timeoutMs' | 'fetch'> {
  readonly organizationId: string;
  /** The API token; with `authType: 'account'` the session of a platform user (area B only). */
  readonly token: string;
  readonly authType?: 'token' | 'account';
  /** Unused areas may be omitted. */
  readonly urls: {
    readonly webchat?: string;
    readonly contactCenter?: string;
    readonly survey?: string;
  };
}

/**
 * For backends only: an API token must never reach a browser. Requests are repeated after 429 and 503, as the answer's headers
 * say, and after a lost connection.
 */
export class CxpClient {
  readonly sessions: Sessions;
  readonly conversationSessions: ConversationSessions;
  readonly surveyCampaigns: SurveyCampaigns;
  readonly surveyResponses: SurveyResponses;
  readonly surveyLinks: SurveyLinks;

  /** @throws CxpError without an organization or a token, or with a setting that can't be sent */
  constructor({ urls, organizationId, token, authType = 'token', ...http }: CxpClientOptions) {
    if (!organizationId) throw new CxpError('organizationId is not set');
    if (!/^[ -~]+$/.test(organizationId)) throw new CxpError('organizationId is no printable ASCII text');
    checkToken(token, 'token');
    if (!['token', 'account'].includes(authType)) throw new CxpError('authType is token or account');
    const headers = {
      authorization: `Bearer ${token}`,
      'organization-id': organizationId,
      'auth-type': authType,
    };
    const clientOf = (area: keyof CxpClientOptions['urls']) =>
      new HttpClient({ ...http, headers, url: urls[area], urlName: `urls.${area}` });
    this.sessions = new Sessions(clientOf('webchat'), organizationId);
    this.conversationSessions = new ConversationSessions(clientOf('contactCenter'));
    const survey = clientOf('survey');
    this.surveyCampaigns = new SurveyCampaigns(survey);
    this.surveyResponses = new SurveyResponses(survey);
    this.surveyLinks = new SurveyLinks(survey);
  }

  /**
   * Reads `ORGANIZATION_ID`, `API_TOKEN`, `WEBCHAT_URL`, `CONTACT_CENTER_URL` and `SURVEY_URL`; options win. Calls of an area
   * without a URL fail.
   * @throws CxpError that names the missing variable
   */
  static fromEnvironment({ urls, ...options }: Partial<CxpClientOptions> = {}): CxpClient {
    const required = (name: string) => {
      const value = variable(name);
      if (value === undefined) throw new CxpError(`${name} is not set: set this environment variable`);
      return value;
    };
    return new CxpClient({
      ...options,
      organizationId: options.organizationId ?? required('ORGANIZATION_ID'),
      token: options.token ?? required('API_TOKEN'),
      urls: {
        webchat: variable('WEBCHAT_URL'),
        contactCenter: variable('CONTACT_CENTER_URL'),
        survey: variable('SURVEY_URL'),
        ...urls,
      },
    });
  }
}

/** An empty variable counts as missing. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env: Readonly<Record<string, string | undefined>> } };
  // eslint-disable-next-line no-restricted-properties -- of the program that uses the client; a browser has none
  return process?.env[name] || undefined;
}
