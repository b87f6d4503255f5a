import type { paths as ContactCenterPaths } from './generated/contact-center-export';
import type { paths as SurveyPaths } from './generated/survey-api';
import type { paths as WebchatPaths } from './generated/webchat-gateway';

/* Shapes of requests and answers, from the OpenAPI documents. */

type Json<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never;
type Answer<Operation> = Operation extends { responses: infer Responses }
  ? Json<Responses[Extract<keyof Responses, 200 | 201>]>
  : never;
type Body<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Content } } }
  ? Content
  : never;
type Query<Operation> = Operation extends { parameters: { query?: infer Parameters } }
  ? NonNullable<Parameters>
  : never;
type Item<Page> = Page extends { items: readonly (infer One)[] } ? One : never;

type CreateSession = WebchatPaths['/external/sessions']['post'];
export type WebchatUser = NonNullable<Body<CreateSession>['user']>;
export type CreatedSession = Answer<CreateSession>;
export type RefreshedSession = Answer<WebchatPaths['/external/sessions/refresh']['post']>;
/** Events are oldest first; `state` is the conversation's. */
export type ChatEventPage = Answer<WebchatPaths['/external/conversations/{conversationId}/events']['get']>;
/** A frame and the history show the same object. */
export type ChatEvent = Item<ChatEventPage>;
export type Message = Extract<ChatEvent, { type: 'message' }>['message'];

type ListConversationSessions = ContactCenterPaths['/external/conversation-sessions']['get'];
export type ConversationSessionPage = Answer<ListConversationSessions>;
export type ConversationSession = Item<ConversationSessionPage>;
export type ConversationSessionQuery = Query<ListConversationSessions>;

type FollowSessions = ContactCenterPaths['/external/conversation-session-changes']['get'];
export type ConversationSessionChange = Exclude<Item<Answer<FollowSessions>>, { op: 'resync' }>;

/** Digests of one snapshot, for a copy that was read up to `change`. */
export type ConversationSessionDigests = Answer<
  ContactCenterPaths['/external/conversation-session-digests']['get']
>;
export type DayDigest = Item<ConversationSessionDigests>;

type Explain = ContactCenterPaths['/external/conversation-sessions/{conversationId}/explanation']['post'];
/** Explains each figure of a conversation's rows. */
export type ConversationExplanation = Answer<Explain>;
export type HumanSchedule = Body<Explain>['humanSchedule'];

type ListCampaigns = SurveyPaths['/external/survey-campaigns']['get'];
export type SurveyCampaignPage = Answer<ListCampaigns>;
export type SurveyCampaign = Item<SurveyCampaignPage>;
export type SurveyCampaignQuery = Query<ListCampaigns>;

type ListResponses = SurveyPaths['/external/survey-responses']['get'];
export type SurveyResponsePage = Answer<ListResponses>;
export type SurveyResponse = Item<SurveyResponsePage>;
export type SurveyResponseQuery = Query<ListResponses>;

type ExportResponses = SurveyPaths['/external/survey-responses/export']['post'];
/** Days are in UTC+7. */
export type ExportWindow = Query<ExportResponses>;

type FollowResponses = SurveyPaths['/external/survey-response-changes']['get'];
export type SurveyResponseChange = Item<Answer<FollowResponses>>;

type DigestResponses = SurveyPaths['/external/survey-response-digests']['get'];
export type SurveyResponseDigestQuery = Query<DigestResponses>;
export type SurveyResponseDigests = Answer<DigestResponses>;
export type CampaignDayDigest = Item<SurveyResponseDigests>;

type CreateLink = SurveyPaths['/external/survey-campaigns/{survey_campaign_id}/links']['post'];
export type SurveyLinkInput = Body<CreateLink>;
export type SurveyLink = Answer<CreateLink>;
