import { record } from './platform-records';

/** Stands in every field that can hold a text of a person. */
export const MARKER = 'm4rk3r';

export const HOA = {
  filumId: `hoa-${MARKER}`,
  name: `Hoa ${MARKER}`,
  phone: '+84 90 123-4567',
  email: `Hoa.${MARKER}@example.com`,
};
/** A conversation with all that belongs to one. */
export function conversation(id: string, ticketId: number, customer: object = HOA): object[] {
  const conversationId = id;
  const agent = { accountId: 1, email: 'ann@example.com', name: 'Ann' };
  return [
    record.conversation({ id, customer }),
    record.activity({ id: `a of ${id}`, conversationId, agent }),
    record.message({ id: `m of ${id}`, conversationId }),
    record.ticket({
      id: ticketId,
      conversationId,
      assigneeAccountId: 1,
      subject: `Refund ${MARKER}`,
      description: `For ${MARKER}`,
      customFields: { Branch: MARKER },
    }),
    {
      type: 'conversation_survey',
      data: {
        id: `s of ${id}`,
        conversationId,
        submittedAt: '2026-01-05T00:40:00.000Z',
        rating: 5,
        feedback: `Thanks, ${MARKER}`,
      },
    },
  ];
}

export const AN = { filumId: 'an', name: 'An', phone: '', email: 'an@example.com' };
