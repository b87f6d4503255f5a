/** One sentence for each way that an anchor, a match or a metric comes about. The descriptions of the fields include them. */
export const RULES = {
  session: {
    opened: (action: string, by: string) => `${action}${by} opens a session`,
    ended: (action: string, by: string, reason: string) => `${action}${by} ends it (${reason})`,
    open: 'nothing has ended it (open_at_end)',
    byAnother: ' of another agent',
    byNobody: ' without an agent',
    byServiceAccount: ' of a service account',
  },
  botHandoffAt: {
    handoff:
      'Latest route_to_human or route_back_to_human at or before the session start, after the previous session ended and within 24 hours.',
    start: 'If no handoff qualifies, sessionStartAt counts.',
  },
  firstAgentAssignedAt: {
    takeOver: 'sessionTookOverAt, if the agent took over after the session had started.',
    start: 'If no take-over is later than the start, sessionStartAt counts.',
  },
  firstAgentMessageAt: {
    message: 'First agent message strictly after firstAgentAssignedAt, inside the session window.',
    none: 'Null if there is no agent message after firstAgentAssignedAt inside the session window.',
  },
  lastAgentMessageAt: {
    message: 'Last agent message inside the session window.',
    none: 'Null if there is no agent message inside the session window.',
  },
  conversationResolvedAt: {
    closed: 'Equal to conversationClosedAt, on every row of the conversation.',
    open: 'Null while the conversation is not closed.',
  },
  noSession: 'Null for a ticket without a session.',
  ticket: {
    assignedAt: 'The session belongs to the assignee of the ticket, and assignedAt lies inside its window.',
    createdAt:
      'The session belongs to the assignee of the ticket; assignedAt lies in no session of the assignee, but createdAt lies inside the window of this one.',
    none: 'Neither assignedAt nor createdAt lies inside a session of the assignee.',
    noAssignee: 'A ticket without an assignee has no session.',
  },
  satisfaction: {
    sent: 'Latest survey that was submitted after the session sent the customer to rating, and before a later session did.',
    started:
      'Latest survey that was submitted after the session started and before a later one did; no session had sent the customer to rating by then.',
    conversation:
      'Latest survey that was submitted before any session started. It counts for every row that has no survey of its own.',
    none: 'No survey belongs to the session or to the whole conversation.',
  },
  metric: {
    calendar: (from: string, to: string) => `Calendar seconds from ${from} to ${to}.`,
    businessHours: (from: string, to: string) =>
      `Seconds of business hours from ${from} to ${to}, by the human schedule of the organization in the requested timezone.`,
    missing: 'Null if one of the two is null.',
    negative: 'Null if the second is earlier than the first.',
    noSchedule: 'Null if the organization has no human schedule.',
    outOfRange: 'Null if one of the two is before 1970 or after 2199 in UTC.',
  },
} as const;

/** Each span has a metric in calendar seconds and one in business hours. */
export const SPANS = {
  waitTime: { from: 'botHandoffAt', to: 'firstAgentMessageAt' },
  firstResponseTime: { from: 'firstAgentAssignedAt', to: 'firstAgentMessageAt' },
  resolutionTime: { from: 'botHandoffAt', to: 'conversationResolvedAt' },
} as const;

export type MeasuredSpan = (typeof SPANS)[keyof typeof SPANS];
