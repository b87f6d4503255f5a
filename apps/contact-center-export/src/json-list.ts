import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { JSON_TYPE } from '@cxp/service-kit';

/**
 * A JSON object with a list, sent in pieces.
 * @param head the members before the list
 * @param tail those after it
 */
export function jsonListFile(
  name: string,
  items: AsyncIterable<readonly object[]>,
  head: object = {},
  tail: object = {},
): StreamableFile {
  return new StreamableFile(Readable.from(pieces(name, items, head, tail)), {
    type: JSON_TYPE,
  });
}

async function* pieces(
  name: string,
  items: AsyncIterable<readonly object[]>,
  head: object,
  tail: object,
): AsyncGenerator<string, void> {
  yield JSON.stringify({ ...head, [name]: [] }).slice(0, -2);
  let separator = '';
  for await (const some of items) {
    if (some.length === 0) continue;
    yield separator + some.map((item) => JSON.stringify(item)).join(',');
    separator = ',';
  }
  const members = JSON.stringify(tail).slice(1);
  yield members === '}' ? ']}' : `],${members}`;
}
