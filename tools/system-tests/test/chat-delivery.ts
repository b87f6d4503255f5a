/** What both areas have of the same chats, in the same words and order. Area B keeps what rows are made of: messages of agents. */
const SAME = [
  [
    `SELECT id, conversation_id::text, payload ->> 'senderType' AS sender_type, stored_at AS sent_at
     FROM webchat.event WHERE type = 'message' AND payload ->> 'senderType' = 'agent' ORDER BY id COLLATE "C"`,
    `SELECT id, conversation_id, data ->> 'senderType' AS sender_type, at AS sent_at
     FROM contact_center.record WHERE type = 'message' AND data IS NOT NULL ORDER BY id`,
  ],
  [
    `SELECT id, conversation_id::text, payload ->> 'action' AS action, payload -> 'by' ->> 'name' AS agent
     FROM webchat.event WHERE type = 'activity' ORDER BY conversation_id::text, event`,
    `SELECT id, conversation_id, data ->> 'action' AS action, coalesce(data -> 'agent' ->> 'name', CASE WHEN data ->> 'agent' IS NOT NULL THEN '' END) AS agent
     FROM contact_center.record WHERE type = 'activity' AND data IS NOT NULL ORDER BY conversation_id, arrival`,
  ],
  [
    `SELECT id::text, date_trunc('milliseconds', created_at) AS created_at, updated_at, closed_at, user_id
     FROM webchat.conversation ORDER BY id`,
    `SELECT id, created_at, at AS updated_at, (data ->> 'closedAt')::timestamptz AS closed_at,
       coalesce(data -> 'customer' ->> 'filumId', '') AS user_id
     FROM contact_center.record WHERE type = 'conversation' AND data IS NOT NULL ORDER BY id`,
  ],
] as const;

/** Area B has exactly what the log of webchat has. @returns how many messages, activities and conversations */
export async function expectSameChats(database: {
  query(sql: string): Promise<object[]>;
}): Promise<number[]> {
  const counts: number[] = [];
  for (const [ofWebchat, ofAreaB] of SAME) {
    const expected = await database.query(ofWebchat);
    expect(await database.query(ofAreaB)).toEqual(expected);
    counts.push(expected.length);
  }
  return counts;
}

/** The setting with which webchat-gateway delivers to what is behind a proxy. */
export function deliveringTo({ url }: { readonly url: string }) {
  return { CONTACT_CENTER_RECORDS_URL: `${url}/internal/records` };
}

/** Whether area B has everything of webchat. */
export async function isDelivered(database: { query(sql: string): Promise<unknown> }): Promise<boolean> {
  return ((await database.query('SELECT FROM webchat.undelivered LIMIT 1')) as unknown[]).length === 0;
}
