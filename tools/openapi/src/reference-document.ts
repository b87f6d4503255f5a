import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { workspaceRoot } from '@cxp/local-servers';
import { services } from '@cxp/services/services';
import { asyncApiDocument } from '@cxp/webchat-gateway/chat-protocol/async-api-document';
import { codeSamples } from './code-samples';

/** Operations that nobody calls to try them: they need an id of the caller's own, or a certificate. The guide has examples. */
const WITHOUT_SAMPLES = 'Erasures';

/** Where each area's tags stand in the page, and the variable that its base URL has in examples. */
const AREAS: Readonly<Record<string, { readonly title: string; readonly urlVariable: string }>> = {
  webchat: { title: 'A. Webchat', urlVariable: 'WEBCHAT_URL' },
  'contact-center': { title: 'B. Contact center', urlVariable: 'CONTACT_CENTER_URL' },
  survey: { title: 'C. Surveys', urlVariable: 'SURVEY_URL' },
};

const SOCKET_TAG = 'Chat socket';

/** The document of a service as `npm run openapi` wrote it. */
export function committedDocument(app: string): OpenAPIObject {
  return JSON.parse(readFileSync(join(workspaceRoot, 'apps', app, 'openapi.json'), 'utf8')) as OpenAPIObject;
}

/** All areas and the chat socket in one document, which the documents page shows. */
export function referenceDocument(): OpenAPIObject {
  const reference = {
    openapi: '3.1.0',
    info: {
      title: 'External API of the customer experience platform',
      version: '1',
      description: INTRODUCTION,
    },
    paths: {} as OpenAPIObject['paths'],
    components: { schemas: {}, headers: {}, securitySchemes: {} } as Required<OpenAPIObject>['components'],
    tags: [] as NonNullable<OpenAPIObject['tags']>,
    'x-tagGroups': [] as { name: string; tags: string[] }[],
  };
  for (const { area, app, defaultPort } of services) {
    const { title, urlVariable } = AREAS[area]!;
    const document = committedDocument(app);
    const tags = [...(document.tags ?? [])];
    if (area === 'webchat') tags.push({ name: SOCKET_TAG, description: socketDescription() });
    reference.tags.push(...tags);
    reference['x-tagGroups'].push({ name: title, tags: tags.map(({ name }) => name) });
    for (const [path, item] of Object.entries(document.paths)) {
      const servers = [{ url: `http://localhost:${defaultPort}`, description: `${app} of the local stack` }];
      reference.paths[path] = { ...item, servers };
      for (const method of ['get', 'post'] as const) {
        const operation = item[method];
        if (operation && !operation.tags?.includes(WITHOUT_SAMPLES))
          Object.assign(operation, { 'x-codeSamples': codeSamples({ document, path, method, urlVariable }) });
      }
    }
    addOnce(reference.components.schemas!, document.components?.schemas ?? {});
    addOnce(reference.components.headers!, document.components?.headers ?? {});
    addOnce(reference.components.securitySchemes!, document.components?.securitySchemes ?? {});
  }
  return reference;
}

/** @throws if two areas mean different things by one name */
function addOnce(all: Record<string, unknown>, more: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(more)) {
    if (name in all && JSON.stringify(all[name]) !== JSON.stringify(value)) {
      throw new Error(`Two areas have a component ${name}`);
    }
    all[name] = value;
  }
}

interface SocketMessage {
  readonly name: string;
  readonly summary?: string;
  readonly payload: {
    readonly description?: string;
    readonly properties: Readonly<Record<string, SocketField>>;
  };
}

interface SocketField {
  readonly type?: string | readonly string[];
  readonly description?: string;
}

/** The AsyncAPI document as text: OpenAPI has no sockets. */
function socketDescription(): string {
  const { info, channels, components } = asyncApiDocument('wss://webchat.example.com/websocket') as {
    info: { description: string };
    channels: { conversation: { description: string } };
    components: { messages: Readonly<Record<string, SocketMessage>> };
  };
  const framesOf = (side: string) =>
    Object.entries(components.messages)
      .filter(([name]) => name.startsWith(`${side}.`))
      .map(([, message]) => frameText(message));
  return [
    info.description,
    '```js\nconst socket = new WebSocket(websocketUrl, ["webchat.v1", "bearer." + sessionToken]);\n```',
    'The whole document is `/docs/asyncapi.json` of webchat-gateway.',
    `### Frames of the client\n\n${framesOf('client').join('\n\n')}`,
    `### Frames of the server\n\n${framesOf('server').join('\n\n')}`,
    `### Close codes\n\n${channels.conversation.description}`,
  ].join('\n\n');
}

function frameText({ name, summary, payload }: SocketMessage): string {
  const fields = Object.entries(payload.properties).filter(([field]) => field !== 'type');
  const lines = fields.map(([field, { type, description }]) => {
    const types = [type ?? 'object'].flat().join(' or ');
    return `- \`${field}\` (${types})${description ? `: ${description}` : ''}`;
  });
  return [`**\`${name}\`** ${summary ?? payload.description ?? ''}`, lines.join('\n')].join('\n\n');
}

const INTRODUCTION = `Every request carries three headers:

\`\`\`
authorization: Bearer <API token>
organization-id: <your organization>
auth-type: token
\`\`\`

The examples work when pasted beside the local stack (\`npm start\`), after \`source .local/demo.env\`; its own documents page has
the values of the demo in them. \`SESSION_ID\`, \`SESSION_TOKEN\` and \`CONVERSATION_ID\` are \`sessionId\`, \`sessionToken\` and
\`conversationId\` of a created session.

Rate limits are counted per organization and endpoint. The headers \`RateLimit-*\` of every answer say how many requests are left; \`Retry-After\` of a 429 and a 503
says how many seconds to wait. Every answer has an \`x-request-id\`: give it to the support.`;
