import { Type, type Static } from '@sinclair/typebox';
import { Ajv, type ValidateFunction } from 'ajv';
import { VISIBLE_TEXT } from '@cxp/identifiers';
import { parseJson } from '@cxp/service-kit';
import { unstorableTextPaths } from '@cxp/storage';
import { MAX_FRAME_VALUES } from './limits';
import { ClientId, frame, MAX_MESSAGE_CHARACTERS, Rating, UpTo } from './shapes';

const Authenticate = frame('authenticate', 'A refreshed session token.', {
  sessionToken: Type.String({ minLength: 1, maxLength: 8_192 }),
});

const SendMessage = frame('message.send', 'A message of the customer. The answer is `message.accepted`.', {
  clientId: ClientId,
  text: Type.String({ maxLength: MAX_MESSAGE_CHARACTERS, pattern: VISIBLE_TEXT.source }),
});

const Typing = frame(
  'typing',
  'The customer started, goes on or stopped typing. Others are told when it changes, or after three seconds.',
  { active: Type.Boolean() },
);

const Read = frame('read', 'The customer has read up to this event.', { upTo: UpTo });

const { rating, resolution, feedback } = Rating;

const SubmitRating = frame(
  'rating.submit',
  'The answer to the latest open `rating.requested`. At least one of the three values is not null; feedback that nobody can see counts as null. The answer is ' +
    '`rating.accepted`.',
  {
    clientId: ClientId,
    rating: Type.Optional(rating),
    resolution: Type.Optional(resolution),
    feedback: Type.Optional(feedback),
  },
  {
    not: {
      properties: {
        rating: { type: 'null' },
        resolution: { type: 'null' },
        feedback: { not: { type: 'string', pattern: VISIBLE_TEXT.source } },
      },
    },
  },
);

export const CLIENT_FRAMES = {
  authenticate: Authenticate,
  'message.send': SendMessage,
  typing: Typing,
  read: Read,
  'rating.submit': SubmitRating,
};

type FrameType = keyof typeof CLIENT_FRAMES;
export type ClientFrame = Static<(typeof CLIENT_FRAMES)[FrameType]>;
export type ClientFrameOf<Name extends FrameType> = Static<(typeof CLIENT_FRAMES)[Name]>;

interface InvalidFrame {
  readonly invalid: string;
  readonly clientId: string | null;
}

const ajv = new Ajv({
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  allErrors: true,
  validateFormats: false,
});
const validators = new Map<unknown, ValidateFunction<ClientFrame>>(
  Object.entries(CLIENT_FRAMES).map(([type, schema]) => [type, ajv.compile<ClientFrame>(schema)]),
);

const isClientId = ajv.compile<string>(ClientId);

/** Ignores properties that the schema does not name. */
export function parseClientFrame(text: string): ClientFrame | InvalidFrame {
  const parsed = parseJson(text, 'frame', MAX_FRAME_VALUES);
  if ('problem' in parsed) return { invalid: parsed.problem.msg, clientId: null };
  const frame: unknown = parsed.value;
  const validate = validators.get((frame as { type?: unknown } | null)?.type);
  const clientId = clientIdOf(frame);
  if (!validate)
    return { invalid: `type must be one of: ${Object.keys(CLIENT_FRAMES).join(', ')}`, clientId };
  if (!validate(frame)) return { invalid: ajv.errorsText(validate.errors, { dataVar: 'frame' }), clientId };
  if (unstorableTextPaths(frame).length > 0) return { invalid: 'Text must be Unicode without NUL', clientId };
  return frame;
}

/**
 * Also reads invalid frames.
 * @returns null if there is no valid `clientId`
 */
export function clientIdOf(frame: unknown): string | null {
  const clientId = (frame as { readonly clientId?: unknown } | null)?.clientId;
  return isClientId(clientId) ? clientId : null;
}
