import { ConversationSessions } from './conversation-sessions';
import { HttpClient, type HttpOptions } from './http/http-client';
import { Sessions } from './sessions';
import { SurveyCampaigns, SurveyLinks, SurveyResponses } from './surveys';

export interface CxpClientOptions extends Pick<HttpOptions, 'retry' | 'timeoutMs' | 'fetch'> {
  readonly organizationId: string;
  /** The API token, or with `authType: 'account'` the session of a user of the platform (area B only). */
  readonly token: string;
  readonly authType?: 'token' | 'account';
  /** Base URLs of the areas; an area that is not used may be left out. */
  readonly urls: {
    readonly webchat?: string;
    readonly contactCenter?: string;
    readonly survey?: string;
  };
}

/**
 * The external API for a backend: an API token must never reach a browser. Requests are sent again after 429 and 503 as
 * the headers of the answer say, and after a lost connection.
 */
export class CxpClient {
  readonly sessions: Sessions;
  readonly conversationSessions: ConversationSessions;
  readonly surveyCampaigns: SurveyCampaigns;
  readonly surveyResponses: SurveyResponses;
  readonly surveyLinks: SurveyLinks;

  constructor({ urls, organizationId, token, authType = 'token', ...http }: CxpClientOptions) {
    const headers = {
      authorization: `Bearer ${token}`,
      'organization-id': organizationId,
      'auth-type': authType,
    };
    const clientOf = (area: keyof CxpClientOptions['urls']) =>
      new HttpClient({ ...http, headers, url: urls[area], area });
    this.sessions = new Sessions(clientOf('webchat'), organizationId);
    this.conversationSessions = new ConversationSessions(clientOf('contactCenter'));
    const survey = clientOf('survey');
    this.surveyCampaigns = new SurveyCampaigns(survey);
    this.surveyResponses = new SurveyResponses(survey);
    this.surveyLinks = new SurveyLinks(survey);
  }
}
