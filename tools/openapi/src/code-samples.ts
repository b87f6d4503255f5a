import type { OpenAPIObject } from '@nestjs/swagger';

interface Call {
  readonly document: OpenAPIObject;
  readonly path: string;
  readonly method: 'get' | 'post';
  /** The variable of the shell that holds the base URL. */
  readonly urlVariable: string;
}

export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** Values that only the reader has, by the name of the field: the variables of the shell that hold them. */
const FIELD_VARIABLES: Readonly<Record<string, string>> = {
  organizationId: 'ORGANIZATION_ID',
  sessionId: 'SESSION_ID',
};

/** One call in three languages, with what is required and nothing else. */
export function codeSamples(call: Call): CodeSample[] {
  return [
    { lang: 'shell', label: 'curl', source: curl(call) },
    { lang: 'javascript', label: 'TypeScript', source: typescript(call) },
    { lang: 'python', label: 'Python', source: python(call) },
  ];
}

function curl(call: Call): string {
  const body = bodyOf(call);
  return [
    `curl ${call.method === 'post' ? '-X POST ' : ''}"$${call.urlVariable}${withVariables(target(call), (name) => `$${name}`)}"`,
    `-H "authorization: Bearer $${tokenVariable(call)}"`,
    ...(isCustomers(call) ? [] : ['-H "organization-id: $ORGANIZATION_ID"', "-H 'auth-type: token'"]),
    ...(body === undefined
      ? []
      : [
          "-H 'content-type: application/json'",
          `-d '${withVariables(JSON.stringify(body), (name) => `'"$${name}"'`)}'`,
        ]),
  ].join(' \\\n  ');
}

function typescript(call: Call): string {
  const body = bodyOf(call);
  const headers = [
    `authorization: \`Bearer \${process.env.${tokenVariable(call)}}\``,
    ...(isCustomers(call) ? [] : ["'organization-id': process.env.ORGANIZATION_ID!", "'auth-type': 'token'"]),
    ...(body === undefined ? [] : ["'content-type': 'application/json'"]),
  ];
  const lines = [
    `const response = await fetch(\`\${process.env.${call.urlVariable}}${withVariables(target(call), (name) => `\${process.env.${name}}`)}\`, {`,
    ...(call.method === 'post' ? ["  method: 'POST',"] : []),
    '  headers: {',
    ...headers.map((header) => `    ${header},`),
    '  },',
    ...(body === undefined
      ? []
      : [
          `  body: JSON.stringify(${withVariables(JSON.stringify(body), (name) => `process.env.${name}`, '"')}),`,
        ]),
    '});',
    'console.log(response.status, await response.text());',
  ];
  return lines.join('\n');
}

function python(call: Call): string {
  const body = bodyOf(call);
  const headers = [
    `"authorization": "Bearer " + os.environ["${tokenVariable(call)}"],`,
    ...(isCustomers(call)
      ? []
      : ['"organization-id": os.environ["ORGANIZATION_ID"],', '"auth-type": "token",']),
    ...(body === undefined ? [] : ['"content-type": "application/json",']),
  ];
  return [
    'import json, os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    os.environ["${call.urlVariable}"] + "${withVariables(target(call), (name) => `" + os.environ["${name}"] + "`)}",`,
    `    method="${call.method.toUpperCase()}",`,
    '    headers={',
    ...headers.map((header) => `        ${header}`),
    '    },',
    ...(body === undefined
      ? []
      : [
          `    data=json.dumps(${withVariables(pythonLiteral(body), (name) => `os.environ["${name}"]`, '"')}).encode(),`,
        ]),
    ')',
    'with urllib.request.urlopen(request) as answer:',
    '    print(answer.status, answer.read())',
  ].join('\n');
}

/** The customer's own calls carry the token of a session. */
function isCustomers({ path }: Call): boolean {
  return path.startsWith('/external/conversations/');
}

function tokenVariable(call: Call): string {
  return isCustomers(call) ? 'SESSION_TOKEN' : 'API_TOKEN';
}

/** Stands for a variable until a sample is written in its language. */
function variable(name: string): string {
  return `<<${name}>>`;
}

/** @param quote what stands around a value in the text and is replaced with it */
function withVariables(text: string, write: (name: string) => string, quote = ''): string {
  return text.replaceAll(new RegExp(`${quote}<<(\\w+)>>${quote}`, 'g'), (_, name: string) => write(name));
}

/** The path with examples in place of its parameters, and the required query. */
function target(call: Call): string {
  const { parameters = [] } = operationOf(call);
  let path = call.path;
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    if ('$ref' in parameter || !parameter.required) continue;
    const example = isCustomers(call)
      ? variable('CONVERSATION_ID')
      : String(parameter.example ?? (parameter.schema as Schema | undefined)?.example ?? parameter.name);
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, example);
    if (parameter.in === 'query') query.append(parameter.name, example);
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

function bodyOf(call: Call): unknown {
  const { requestBody } = operationOf(call);
  if (!requestBody || '$ref' in requestBody) return undefined;
  const schema = requestBody.content['application/json']?.schema as Schema | undefined;
  return schema && exampleOf(schema, call.document);
}

function operationOf({ document, path, method }: Call) {
  return document.paths[path]![method]!;
}

/** What a schema's examples come to, of its required members. */
function exampleOf(schema: Schema, document: OpenAPIObject): unknown {
  const example = schema.example ?? schema.examples?.[0];
  if (example !== undefined) return example;
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)!;
    return exampleOf(document.components!.schemas![name] as Schema, document);
  }
  if (schema.allOf) return exampleOf(schema.allOf[0]!, document);
  if (schema.type === 'array') return schema.items ? [exampleOf(schema.items, document)] : [];
  if (!schema.properties) return null;
  const { required = [], properties } = schema;
  return Object.fromEntries(
    required.map((name) => {
      const known = FIELD_VARIABLES[name];
      return [name, known ? variable(known) : exampleOf(properties[name]!, document)];
    }),
  );
}

function pythonLiteral(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /\b(null|true|false)\b(?=[,}\]])/g,
    (word) => ({ null: 'None', true: 'True', false: 'False' })[word]!,
  );
}
