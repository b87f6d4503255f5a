import { recordsDocument, type RecordArea } from '@cxp/records';
import { recordAreas } from '@cxp/system-tests/areas';

interface Line {
  readonly properties: {
    readonly type: { readonly const: string };
    readonly op: { readonly const: 'upsert' | 'delete' };
  };
}

/**
 * The JSON Schema of all platform records: `<area>.<type>` and `<area>.<type>.delete` are each one line,
 * `<area>` is any line of the area.
 */
export function recordsSchema(): object {
  const areas: Record<string, object> = {};
  const records: Record<string, object> = {};
  for (const area of recordAreas) {
    const lines = linesOf(area).map((line): [string, Line] => [nameOf(area.name, line), line]);
    Object.assign(records, Object.fromEntries(lines));
    areas[area.name] = {
      description: `A line for POST /internal/records of ${area.name}`,
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

/** As the document of the area's intake has them. */
function linesOf(area: RecordArea): Line[] {
  const [intake] = Object.values(recordsDocument(area).paths);
  const { content } = intake!.post!.requestBody as {
    content: Record<string, { schema: { oneOf: Line[] } }>;
  };
  return content['application/x-ndjson']!.schema.oneOf;
}
