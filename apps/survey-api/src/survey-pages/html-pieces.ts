import { Readable } from 'node:stream';
import { nextTurn } from '@cxp/service-kit';

/** Characters that are made before anything else gets its turn: a few milliseconds of work. */
const TURN_CHARACTERS = 32 * 1_024;

/** A small page is a text. A large one is made as it is read, so that it holds neither the process up nor its memory. */
export function htmlOf(pieces: Iterator<string, void>): string | Readable {
  const { text, isLast } = nextText(pieces);
  return isLast ? text : Readable.from(pacedTexts(text, pieces), { objectMode: false });
}

async function* pacedTexts(first: string, pieces: Iterator<string, void>): AsyncGenerator<string> {
  yield first;
  for (let isLast = false; !isLast;) {
    await nextTurn();
    const next = nextText(pieces);
    isLast = next.isLast;
    if (next.text !== '') yield next.text;
  }
}

function nextText(pieces: Iterator<string, void>): { text: string; isLast: boolean } {
  let text = '';
  while (text.length < TURN_CHARACTERS) {
    const piece = pieces.next();
    if (piece.done) return { text, isLast: true };
    text += piece.value;
  }
  return { text, isLast: false };
}
