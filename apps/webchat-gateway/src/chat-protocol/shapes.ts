import { Type, type ObjectOptions, type Static, type TProperties } from '@sinclair/typebox';

/* Each shape is a JSON Schema that gives the TypeScript type, the check and the part of the AsyncAPI document. */

export const MAX_MESSAGE_CHARACTERS = 4_000;
export const MAX_FEEDBACK_CHARACTERS = 2_000;
export const MAX_CLIENT_ID_CHARACTERS = 64;

export const SENDER_TYPES = ['customer', 'agent', 'bot', 'system'] as const;
export const SenderType = stringEnum(SENDER_TYPES, 'Side of the conversation that wrote.');
export type SenderType = Static<typeof SenderType>;

const READERS = ['customer', 'agent'] as const;
export const Reader = stringEnum(READERS, 'Side of the conversation that read.');
export type Reader = Static<typeof Reader>;

export const UtcTime = Type.String({
  format: 'date-time',
  description: 'UTC with milliseconds.',
  examples: ['2026-01-05T02:11:09.000Z'],
});

export const EpochSeconds = Type.Integer({ description: 'Unix epoch seconds.', examples: [1_767_225_600] });

export const ClientId = Type.String({
  minLength: 1,
  maxLength: MAX_CLIENT_ID_CHARACTERS,
  description:
    "The client's own id, unique in the conversation. A frame that is repeated with it is stored once.",
});

/** The number of an event; 0 means "before the first event". */
export const UpTo = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: '`event` of the last event that was read; 0: none.',
});

export const Message = Type.Object({
  id: Type.String(),
  senderType: SenderType,
  senderName: nullableSchema(Type.String()),
  text: Type.String(),
  sentAt: UtcTime,
  clientId: nullableSchema(ClientId, 'Set on messages of the customer.'),
});
export type Message = Readonly<Static<typeof Message>>;

export const ReadMarks = Type.Object({ customer: UpTo, agent: UpTo });
export type ReadMarks = Readonly<Static<typeof ReadMarks>>;

export const ConversationStatus = stringEnum(
  ['open', 'closed'],
  'Status of the conversation after this event.',
);
export type ConversationStatus = Static<typeof ConversationStatus>;

export const Agent = nullableSchema(
  Type.Object({ name: nullableSchema(Type.String()) }),
  'Agent who handles the conversation after this event; null: nobody.',
);
export type Agent = Static<typeof Agent>;

export const Rating = {
  rating: nullableSchema(Type.Integer({ minimum: 1, maximum: 5 })),
  resolution: nullableSchema(
    Type.Unsafe<0 | 1>({ type: 'integer', enum: [0, 1, null] }),
    '1: resolved, 0: not resolved.',
  ),
  feedback: nullableSchema(Type.String({ maxLength: MAX_FEEDBACK_CHARACTERS })),
};
export type Rating = { readonly [Name in keyof typeof Rating]: Static<(typeof Rating)[Name]> };

export function stringEnum<const Values extends readonly string[]>(values: Values, description?: string) {
  return Type.Unsafe<Values[number]>({
    type: 'string',
    enum: [...values],
    ...(description && { description }),
  });
}

/** One schema with two types: unlike a union of TypeBox, its error names the value and not the alternatives. */
export function nullableSchema<Schema extends { readonly static: unknown; readonly type?: unknown }>(
  schema: Schema,
  description?: string,
) {
  const type = [schema.type, 'null'];
  return Type.Unsafe<Schema['static'] | null>({ ...schema, type, ...(description && { description }) });
}

/** @param description says when the frame is sent */
export function frame<const Name extends string, Properties extends TProperties>(
  type: Name,
  description: string,
  properties: Properties,
  options: ObjectOptions = {},
) {
  return Type.Object({ type: Type.Literal(type), ...properties }, { ...options, description });
}
