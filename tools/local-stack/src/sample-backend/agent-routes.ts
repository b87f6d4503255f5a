import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { bodyOf, type ApiAccess } from './customer-routes';

/** The agent who answers in the demo. */
const AGENT = { accountId: 1, name: 'Ann', email: 'ann@example.com' };
const SENDER = { senderType: 'agent', senderName: AGENT.name };

const ACTIONS = ['assign', 'route_to_rating', 'end_conversation'];
const CONVERSATION_ID = { type: 'string', format: 'uuid' };

interface OfConversation {
  readonly conversationId: string;
}

/**
 * Stands in for the platform's inbox. No integrator needs this: what an agent does arrives over webchat-gateway's internal
 * routes, which the client does not have.
 */
export function addAgentRoutes(
  app: FastifyInstance,
  { urls, organizationId, platformToken }: ApiAccess,
): void {
  const post = async ({ conversationId }: OfConversation, what: string, body: object) => {
    const response = await fetch(`${urls.webchat}/internal/conversations/${conversationId}/${what}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${platformToken}`,
        'organization-id': organizationId,
        'auth-type': 'token',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${what}: ${response.status}`);
    return response;
  };

  app.post<{ Body: OfConversation & { text: string } }>(
    '/demo/agent/message',
    { schema: { body: bodyOf({ conversationId: CONVERSATION_ID, text: { type: 'string', minLength: 1 } }) } },
    async ({ body }, reply) => {
      const stored = await post(body, 'messages', { id: randomUUID(), ...SENDER, text: body.text });
      const { sequence } = (await stored.json()) as { sequence: number };
      await post(body, 'read', { sequence });
      return reply.code(204).send();
    },
  );

  app.post<{ Body: OfConversation & { active: boolean } }>(
    '/demo/agent/typing',
    { schema: { body: bodyOf({ conversationId: CONVERSATION_ID, active: { type: 'boolean' } }) } },
    async ({ body }, reply) => {
      await post(body, 'typing', { ...SENDER, active: body.active });
      return reply.code(204).send();
    },
  );

  app.post<{ Body: OfConversation & { action: string } }>(
    '/demo/agent/activity',
    { schema: { body: bodyOf({ conversationId: CONVERSATION_ID, action: { enum: ACTIONS } }) } },
    async ({ body }, reply) => {
      await post(body, 'activities', { id: randomUUID(), action: body.action, agent: AGENT });
      return reply.code(204).send();
    },
  );
}
