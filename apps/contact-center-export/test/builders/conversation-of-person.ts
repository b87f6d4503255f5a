import { ANN, record } from './platform-records';

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
  const of = { conversationId: id };
  return [
    record.conversation({ id, customer }),
    record.activity({ ...of, id: `a of ${id}`, agent: ANN }),
    record.message({ ...of, id: `m of ${id}` }),
    record.ticket({
      ...of,
      id: ticketId,
      assigneeAccountId: 1,
      subject: `Refund ${MARKER}`,
      description: `For ${MARKER}`,
      customFields: { Branch: MARKER },
    }),
    record.survey({
      ...of,
      id: `s of ${id}`,
      submittedAt: '2026-01-05T00:40:00.000Z',
      rating: 5,
      feedback: `Thanks, ${MARKER}`,
    }),
  ];
}

export const AN = { filumId: 'an', name: 'An', phone: '', email: 'an@example.com' };
