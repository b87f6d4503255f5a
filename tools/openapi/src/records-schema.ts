import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { services } from '@cxp/services/services';

interface Line {
  readonly properties: {
    readonly type: { readonly const: string };
    readonly op: { readonly const: 'upsert' | 'delete' };
  };
}

interface InternalDocument {
  readonly paths: {
    readonly '/internal/records': {
      readonly post: {
        readonly requestBody: {
          readonly content: { readonly 'application/x-ndjson': { readonly schema: { oneOf: Line[] } } };
        };
      };
    };
  };
}

/**
 * The JSON Schema of all platform records, as `npm run openapi` wrote them: `<area>.<type>` and `<area>.<type>.delete` are each one line,
 * `<area>` is any line of the area.
 */
export function recordsSchema(): object {
  const areas: Record<string, object> = {};
  const records: Record<string, object> = {};
  for (const { app, area } of services) {
    const lines = linesOf(app).map((line): [string, Line] => [nameOf(area, line), line]);
    Object.assign(records, Object.fromEntries(lines));
    areas[area] = {
      description: `A line for POST /internal/records of ${app}`,
      oneOf: lines.map(([name]) => ({ $ref: `#/$defs/${name}` })),
    };
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:cxp:platform-records',
    title: 'Platform records',
    description:
      'One line of NDJSON. Validate it with the definition of its area, or of its type. Intake checks besides this that dates are in the calendar, and what a ' +
      'type says in words. Unknown fields are ignored.',
    anyOf: Object.keys(areas).map((area) => ({ $ref: `#/$defs/${area}` })),
    $defs: { ...areas, ...records },
  };
}

function nameOf(area: string, { properties: { type, op } }: Line): string {
  return `${area}.${type.const}${op.const === 'delete' ? '.delete' : ''}`;
}

function linesOf(app: string): Line[] {
  const text = readFileSync(join(workspaceRoot, 'apps', app, 'openapi.internal.json'), 'utf8');
  const { paths } = JSON.parse(text) as InternalDocument;
  return paths['/internal/records'].post.requestBody.content['application/x-ndjson'].schema.oneOf;
}
