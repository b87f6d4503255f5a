import type { RecordArea } from '@cxp/record-intake';

/** Keys are indexed, and an index entry has to fit a page. */
const key = { type: 'string', minLength: 1, maxLength: 255 };
const email = { type: ['string', 'null'], maxLength: 320 };
const integer = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const instant = { type: 'string', format: 'instant' };
const wallTime = { type: 'string', format: 'wall-time' };

const optionalInteger = { ...integer, type: ['integer', 'null'] };
const optionalInstant = { ...instant, type: ['string', 'null'] };
/** Text that only describes may be left out: it is blank then, as it is in the rows. */
const optionalText = { type: ['string', 'null'] };

const interval = { start: { ...wallTime, not: { const: '24:00' } }, end: wallTime };

export const recordSchemas: RecordArea['schemas'] = {
  conversation: {
    type: 'object',
    required: ['id', 'createdAt', 'updatedAt'],
    properties: {
      id: key,
      createdAt: instant,
      updatedAt: instant,
      closedAt: optionalInstant,
      customer: {
        type: ['object', 'null'],
        properties: { filumId: optionalText, name: optionalText, phone: optionalText, email: optionalText },
      },
    },
  },
  activity: {
    type: 'object',
    required: ['id', 'conversationId', 'action', 'occurredAt'],
    properties: {
      id: key,
      conversationId: key,
      action: { type: 'string' },
      occurredAt: instant,
      agent: {
        type: ['object', 'null'],
        properties: {
          accountId: optionalInteger,
          email,
          name: optionalText,
          isServiceAccount: { type: ['boolean', 'null'] },
        },
      },
    },
  },
  message: {
    type: 'object',
    required: ['id', 'conversationId', 'senderType', 'sentAt'],
    properties: { id: key, conversationId: key, senderType: { type: 'string' }, sentAt: instant },
  },
  ticket: {
    type: 'object',
    required: ['id', 'conversationId', 'createdAt', 'updatedAt'],
    properties: {
      id: integer,
      conversationId: key,
      assigneeAccountId: optionalInteger,
      createdAt: instant,
      updatedAt: instant,
      subject: optionalText,
      description: optionalText,
      status: optionalText,
      priority: optionalText,
      dueDate: optionalInstant,
      assignedAt: optionalInstant,
      resolvedAt: optionalInstant,
      installedSourceId: optionalInteger,
      installedSourceName: optionalText,
      channelType: optionalText,
      customFields: { type: ['object', 'null'], additionalProperties: { type: 'string' } },
    },
  },
  conversation_survey: {
    type: 'object',
    required: ['id', 'conversationId', 'submittedAt'],
    properties: {
      id: key,
      conversationId: key,
      rating: optionalInteger,
      resolution: { enum: [0, 1, null] },
      feedback: optionalText,
      submittedAt: instant,
    },
  },
  human_schedule: {
    type: 'object',
    required: ['weekly'],
    properties: {
      weekly: {
        type: 'array',
        items: {
          type: 'object',
          required: ['weekday', 'start', 'end'],
          properties: { weekday: { type: 'integer', minimum: 1, maximum: 7 }, ...interval },
        },
      },
      exceptions: {
        type: ['array', 'null'],
        items: {
          type: 'object',
          required: ['date', 'intervals'],
          properties: {
            date: { type: 'string', format: 'date' },
            intervals: {
              type: 'array',
              items: { type: 'object', required: ['start', 'end'], properties: interval },
            },
          },
        },
      },
    },
  },
};
