/*
 * A conversation is anonymized if it has no user id. What is added to it later is stored without names and text.
 */

/** SQL for whether the row of a conversation is anonymized. */
export const IS_ANONYMIZED = 'conversation.user_id IS NULL';

/** SQL: added to the agent of a conversation, it takes the name. */
export const WITHOUT_AGENT_NAME = `'{"name": null}'::jsonb`;

/** SQL: added to the agent of an activity, it takes name and email. */
export const WITHOUT_AGENT_IDENTITY = `'{"name": null, "email": null}'::jsonb`;

/** SQL for JSON, to which something is added if the conversation is anonymized. */
export function unlessAnonymized(json: string, added: string): string {
  return `${json}::jsonb || CASE WHEN ${IS_ANONYMIZED} THEN ${added} ELSE '{}' END`;
}
