/** The Redis channel of one conversation. */
export function liveChannel(organizationId: string, conversationId: string): string {
  return `webchat:{${organizationId}}:live:${conversationId}`;
}
