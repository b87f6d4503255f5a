import { randomUUID } from 'node:crypto';
import { storedRows } from '@cxp/testing';
import type { Caller } from '@cxp/service-kit/testing';
import { DataSource } from 'typeorm';
import { importRecords, postJson, send } from './http';
import { contactCenter, type ServiceUnderTest, survey, webchat } from './service-under-test';

/** Stands in every text of the person; the digits, in the phone. */
export const MARKER = 'zq7xhoa';
export const DIGITS = '99887766554';
export const PERSON = {
  id: `${MARKER}-4711`,
  name: `Hoa ${MARKER}`,
  email: `${MARKER}@example.com`,
  phone: `+84 ${DIGITS}`,
};

export const CAMPAIGN = '3b0f7c52-9d1e-4f6a-8a57-0c1d2e3f4a5b';
const START = Date.parse('2026-01-05T02:00:00.000Z');

const at = (minute: number) => new Date(START + minute * 60_000).toISOString();

/** What the platform sends to area B of a conversation that is not a chat. */
export function conversationRecords(id: string, ticket: number): object[] {
  const of = { conversationId: id };
  return [
    {
      type: 'conversation',
      data: {
        id,
        createdAt: at(0),
        updatedAt: at(20),
        customer: { filumId: PERSON.id, name: PERSON.name, phone: PERSON.phone, email: PERSON.email },
      },
    },
    {
      type: 'activity',
      data: {
        id: `${id}-a`,
        ...of,
        action: 'assign',
        occurredAt: at(1),
        agent: { email: 'an@example.com', name: 'An' },
      },
    },
    { type: 'message', data: { id: `${id}-m`, ...of, senderType: 'agent', sentAt: at(2) } },
    {
      type: 'ticket',
      data: {
        id: ticket,
        ...of,
        createdAt: at(3),
        updatedAt: at(3),
        subject: `Parcel of ${MARKER}`,
        description: `Call ${DIGITS}`,
        customFields: { note: MARKER },
      },
    },
    {
      type: 'conversation_survey',
      data: { id: `${id}-s`, ...of, rating: 4, feedback: `Thanks, ${MARKER}`, submittedAt: at(4) },
    },
  ];
}

export const CAMPAIGN_RECORDS = [
  {
    type: 'survey_campaign',
    data: {
      id: CAMPAIGN,
      name: 'After a chat',
      status: 'active',
      survey_questions: [
        { id: 1, type: 'text', title: 'Why?' },
        {
          id: 2,
          type: 'multiple_choice',
          metric_type: 'nps',
          title: 'How?',
          option_titles_by_id: { '1': '1', '2': '2' },
        },
      ],
    },
  },
  { type: 'metadata_field', data: { id: 1, name: 'Customer', variable: 'customer' } },
];

export function response(identifier: string): object {
  return {
    type: 'survey_response',
    data: {
      identifier,
      survey_campaign_id: CAMPAIGN,
      answered_timestamp: at(5),
      user_name: PERSON.name,
      user_phone: PERSON.phone,
      user_email: PERSON.email,
      source: 'Email',
      transaction_id: `t-${MARKER}`,
      tags: [MARKER],
      metadata_mappings: { customer: PERSON.id },
      answers: { '1': `Because of ${MARKER}`, '2': '2' },
    },
  };
}

/** Every place of PostgreSQL that has the marker: table and row. */
export async function foundInTables(source: DataSource, schemas: readonly string[]): Promise<string[]> {
  const hex = Buffer.from(MARKER).toString('hex');
  const marker = new RegExp(`${MARKER}|${DIGITS}|${hex}`, 'i');
  const rows = await Promise.all(schemas.map((schema) => storedRows(source, schema)));
  return rows.flat().filter((row) => marker.test(row));
}

/** The schemas in which a database has something of the person. */
export async function schemasWithPerson(url: string, schemas: readonly string[]): Promise<string[]> {
  const dataSource = await new DataSource({ type: 'postgres', url }).initialize();
  try {
    const found = await Promise.all(
      schemas.map(async (schema) => ((await foundInTables(dataSource, [schema])).length > 0 ? [schema] : [])),
    );
    return found.flat();
  } finally {
    await dataSource.destroy();
  }
}

/** Stores something of the person in every area; the organization has the installed source 1. */
export async function storePerson(
  urlOf: (service: ServiceUnderTest) => string,
  caller: Caller,
): Promise<void> {
  await importRecords(urlOf(contactCenter), caller, conversationRecords('of-person', 1));
  await importRecords(urlOf(survey), caller, [...CAMPAIGN_RECORDS, response(randomUUID())]);
  const session = { organizationId: caller.organizationId, installedSourceId: 1, user: PERSON };
  const link = { name: `Link of ${MARKER}`, metadata_mapping: [{ metadata_id: 1, value: PERSON.email }] };
  for (const [service, path, body] of [
    [webchat, '/external/sessions', session],
    [survey, `/external/survey-campaigns/${CAMPAIGN}/links`, link],
  ] as const) {
    const { status, text } = await send(urlOf(service), postJson(path, caller, body));
    if (status !== 200 && status !== 201) throw new Error(text);
  }
}
