import createClient, { type Client } from 'openapi-fetch';
import type { paths as ContactCenterPaths } from '@cxp/client/generated/contact-center-export';
import type { paths as SurveyPaths } from '@cxp/client/generated/survey-api';
import type { paths as WebchatPaths } from '@cxp/client/generated/webchat-gateway';

/** Where a service is, and who calls it. */
export interface ClientOptions {
  readonly url: string;
  readonly organizationId: string;
  readonly token: string;
}

export function webchatClient(options: ClientOptions): Client<WebchatPaths> {
  return createClient<WebchatPaths>(settingsOf(options));
}

export function contactCenterClient(options: ClientOptions): Client<ContactCenterPaths> {
  return createClient<ContactCenterPaths>(settingsOf(options));
}

export function surveyClient(options: ClientOptions): Client<SurveyPaths> {
  return createClient<SurveyPaths>(settingsOf(options));
}

function settingsOf({ url, organizationId, token }: ClientOptions) {
  return {
    baseUrl: url,
    headers: { authorization: `Bearer ${token}`, 'organization-id': organizationId, 'auth-type': 'token' },
  };
}
