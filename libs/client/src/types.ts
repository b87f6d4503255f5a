import type { paths as ContactCenterPaths } from './generated/contact-center-export';
import type { paths as SurveyPaths } from './generated/survey-api';
import type { paths as WebchatPaths } from './generated/webchat-gateway';

/*
 * The shapes of requests and answers, from the OpenAPI documents of the services.
 */

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
/** A page of the events of a conversation, oldest first, and the state of the conversation. */
export type ChatEventPage = Answer<WebchatPaths['/external/conversations/{conversationId}/events']['get']>;
/** What is stored of a conversation; the same object in a frame and in the history. */
export type ChatEvent = Item<ChatEventPage>;
export type Message = Extract<ChatEvent, { type: 'message' }>['message'];

type ListConversationSessions = ContactCenterPaths['/external/conversation-sessions']['get'];
export type ConversationSessionPage = Answer<ListConversationSessions>;
export type ConversationSession = Item<ConversationSessionPage>;
export type ConversationSessionQuery = Query<ListConversationSessions>;

/** The digests of one snapshot: a copy that has been read up to its `change` can be compared. */
export type ConversationSessionDigests = Answer<
  ContactCenterPaths['/external/conversation-session-digests']['get']
>;
export type DayDigest = Item<ConversationSessionDigests>;

type Explain = ContactCenterPaths['/external/conversation-sessions/{conversationId}/explanation']['post'];
/** Why each figure of a conversation's rows is what it is. */
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

export type SurveyResponseDigests = Answer<SurveyPaths['/external/survey-response-digests']['get']>;
export type CampaignDayDigest = Item<SurveyResponseDigests>;

type CreateLink = SurveyPaths['/external/survey-campaigns/{survey_campaign_id}/links']['post'];
export type SurveyLinkInput = Body<CreateLink>;
export type SurveyLink = Answer<CreateLink>;
