import { createHash } from 'node:crypto';
import { seededRandom } from '@cxp/testing';
import { dateOf, DAY, MINUTE, OFFSET, weekdayOf } from './last-week';

/** A line of NDJSON for `cxp import`. */
export interface DemoRecord {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const DAYS = 28;
/** Conversations of a day, from Monday to Sunday. */
const CONVERSATIONS = [22, 27, 18, 17, 20, 8, 4];
/** How many of 100 conversations begin in each hour of the day: two peaks, a few at night. */
const HOURS = [2, 1, 0, 0, 0, 0, 1, 2, 6, 11, 12, 8, 5, 6, 9, 11, 9, 5, 3, 2, 2, 2, 2, 1];

/** The agents, with the seconds that each of them usually takes to write first. */
const AGENTS = [
  { accountId: 42, email: 'mai@example.com', name: 'Mai Trần', pace: 35 },
  { accountId: 43, email: 'minh@example.com', name: 'Minh Lê', pace: 80 },
  { accountId: 44, email: 'an@example.com', name: 'An Phạm', pace: 55 },
  { accountId: 45, email: 'siti@example.com', name: 'Siti Rahman', pace: 140 },
  { accountId: 46, email: 'david@example.com', name: 'David Tan', pace: 70 },
];
const CUSTOMERS =
  'Linh Nguyễn,Huy Phạm,Hoa Lê,Khánh Đỗ,Thảo Võ,Quân Bùi,Wei Ling,Farah Aziz,Arjun Nair,Grace Lim,Duy Hồ,Ngọc Đặng'.split(
    ',',
  );
const SUBJECTS = [
  ['Parcel arrived damaged', 'high'],
  ['Where is my order?', 'normal'],
  ['Invoice copy', 'low'],
  ['Wrong size', 'normal'],
  ['Refund not received', 'high'],
] as const;
const FEEDBACK = [
  '',
  '',
  'Quick and friendly',
  'Solved at once',
  'I had to wait too long',
  'Thank you, Mai!',
];
const OPENS = 8.5 * 60 * MINUTE;
const CLOSES = 17.5 * 60 * MINUTE;

/**
 * Four weeks of a shop's support before `now`, and the answers to its surveys: some 400 conversations and 300 responses. A day has the
 * same records whenever it is made, so a stack that starts again tomorrow adds one day.
 */
export function demoRecords(now: Date): { contactCenter: DemoRecord[]; survey: DemoRecord[] } {
  const today = Math.floor((now.getTime() + OFFSET) / DAY);
  const days = Array.from({ length: DAYS }, (_, index) => today - DAYS + 1 + index);
  const isPast = (time: number) => time <= now.getTime();
  return {
    contactCenter: [
      ...days.flatMap((day) => conversationsOf(day, isPast)),
      ...days.filter((day) => isHoliday(day) && isPast((day + 2) * DAY)).flatMap(overHoliday),
    ],
    survey: days.flatMap((day) => responsesOf(day, isPast)),
  };
}

/** Conversations whose figures are worth a look, the newest first. */
export function exampleConversations(now: Date): { readonly id: string; readonly title: string }[] {
  const today = Math.floor((now.getTime() + OFFSET) / DAY);
  const holidays = Array.from({ length: DAYS }, (_, index) => today - index).filter(
    (day) => isHoliday(day) && (day + 2) * DAY <= now.getTime(),
  );
  return [
    ...holidays.map((day) => ({ id: `${dateOf(day)}-holiday`, title: `Over the holiday of ${dateOf(day)}` })),
    { id: 'conversation-2', title: 'Over a night, with two agents' },
    { id: 'conversation-1', title: 'Solved at once' },
  ];
}

/** A customer who writes in the afternoon before a holiday and is answered on the morning after it. */
function overHoliday(day: number): DemoRecord[] {
  const id = `${dateOf(day)}-holiday`;
  const { pace: _, ...agent } = AGENTS[0]!;
  const before = (hours: number, minutes: number) =>
    iso((day - 1) * DAY - OFFSET + (hours * 60 + minutes) * MINUTE);
  const after = (hours: number, minutes: number) =>
    iso((day + 1) * DAY - OFFSET + (hours * 60 + minutes) * MINUTE);
  const line = (type: string, number: number, data: object) => ({
    type,
    data: { id: `${id}-${number}`, conversationId: id, ...data },
  });
  return [
    {
      type: 'conversation',
      data: {
        ...{ id, createdAt: before(15, 1), updatedAt: after(11, 4), closedAt: after(11, 2) },
        customer: { filumId: 'shopper-7', name: 'Farah Aziz', email: 'farah@example.com' },
      },
    },
    line('activity', 1, { action: 'route_to_ai', occurredAt: before(15, 1), agent: null }),
    line('activity', 2, { action: 'route_to_human', occurredAt: before(15, 4), agent: null }),
    line('activity', 3, { action: 'assign', occurredAt: before(16, 40), agent }),
    line('message', 4, { senderType: 'agent', sentAt: after(9, 10) }),
    line('message', 5, { senderType: 'agent', sentAt: after(10, 48) }),
    line('activity', 6, { action: 'route_to_rating', occurredAt: after(11, 0), agent }),
    line('conversation_survey', 7, {
      ...{
        rating: 3,
        resolution: 1,
        feedback: 'Friendly, but I waited over the holiday',
        submittedAt: after(11, 4),
      },
    }),
  ];
}

/** Every other Wednesday, as the schedule in `demo/` has it: in four weeks there are two. */
export function isHoliday(day: number): boolean {
  return day % 14 === 13;
}

/** The first instant from `time` on at which somebody works. */
function nextAtWork(time: number): number {
  const day = Math.floor((time + OFFSET) / DAY);
  const weekday = weekdayOf(day);
  const closes = weekday === 5 ? 12 * 60 * MINUTE : CLOSES;
  const sinceMidnight = time + OFFSET - day * DAY;
  if (weekday === 6 || isHoliday(day) || sinceMidnight >= closes) return nextAtWork((day + 1) * DAY - OFFSET);
  return Math.max(time, day * DAY - OFFSET + OPENS);
}

/** On Tuesday afternoons two agents are alone. */
function isShortOfAgents(day: number, time: number): boolean {
  return weekdayOf(day) === 1 && time + OFFSET - day * DAY >= 13 * 60 * MINUTE;
}

function conversationsOf(day: number, isPast: (time: number) => boolean): DemoRecord[] {
  const random = seededRandom(`demo conversations ${day}`);
  const count = Math.ceil(CONVERSATIONS[weekdayOf(day)]! * (isHoliday(day) ? 0.4 : 1));
  return Array.from({ length: count }, (_, index) => conversation(day, index, random, isPast)).flat();
}

function conversation(
  day: number,
  index: number,
  random: () => number,
  isPast: (time: number) => boolean,
): DemoRecord[] {
  const id = `${dateOf(day)}-${String(index + 1).padStart(2, '0')}`;
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  /** Seconds that are usually `usual`, and sometimes several times as many, in milliseconds. */
  const about = (usual: number) => Math.round(usual * (0.3 - Math.log(1 - random())) * 1_000);
  const records: DemoRecord[] = [];
  let time = day * DAY - OFFSET + hourOf(random()) * 60 * MINUTE + Math.floor(random() * 60 * MINUTE);
  if (!isPast(time)) return [];
  const createdAt = time;
  let lastTime = time;
  const add = (type: string, at: number, data: object) => {
    if (!isPast(at)) return false;
    lastTime = Math.max(lastTime, at);
    records.push({ type, data: { id: `${id}-${records.length + 1}`, conversationId: id, ...data } });
    return true;
  };
  const act = (action: string, agent: object | null = null) =>
    add('activity', time, { action, occurredAt: iso(time), agent });
  const write = (senderType: string) => add('message', time, { senderType, sentAt: iso(time) });

  act('route_to_ai');
  write('customer');
  time += about(4);
  write('bot');
  let closedAt: number | undefined;
  if (random() < 0.15) {
    time += about(60);
    if (act('end_conversation')) closedAt = time;
  } else {
    time += about(90);
    act('route_to_human');
    time = nextAtWork(time);
    const isShort = isShortOfAgents(day, time);
    time += about(isShort ? 600 : 40);
    let { pace, ...agent } = pick(isShort ? AGENTS.slice(3) : AGENTS);
    act('assign', agent);
    if (random() < 0.3) {
      time += about(15);
      act('human_take_over', agent);
    }
    time += about(pace);
    const isAnswered = random() < 0.94;
    if (isAnswered) write('agent');
    if (random() < 0.35) {
      const [subject, priority] = pick(SUBJECTS);
      const isResolved = random() < 0.7;
      const resolvedAt = time + about(3_000);
      const ticketId = day * 100 + index;
      if (isPast(time))
        records.push({
          type: 'ticket',
          data: {
            ...{ id: ticketId, conversationId: id, assigneeAccountId: agent.accountId, subject, priority },
            ...{ createdAt: iso(time), assignedAt: iso(time), description: '' },
            updatedAt: iso(isResolved && isPast(resolvedAt) ? resolvedAt : time),
            status: isResolved && isPast(resolvedAt) ? 'resolved' : 'open',
            dueDate: iso(time + DAY),
            resolvedAt: isResolved && isPast(resolvedAt) ? iso(resolvedAt) : null,
            ...{ installedSourceId: 1, installedSourceName: 'Website chat', channelType: 'chat' },
            customFields: { 'Order number': `A-${20_000 + Math.floor(random() * 5_000)}` },
          },
        });
    }
    if (random() < 0.12) {
      time += about(300);
      ({ pace, ...agent } = pick(AGENTS));
      act('assign', agent);
      time += about(pace);
      write('agent');
    }
    for (let exchanges = Math.floor(random() * 4); exchanges > 0; exchanges--) {
      time += about(60);
      write('customer');
      time += about(pace);
      if (isAnswered) write('agent');
    }
    time += about(240);
    const isRated = isAnswered && random() < 0.6;
    if (act(isRated ? 'route_to_rating' : pick(['end_conversation', 'timed_out']), agent)) closedAt = time;
    time += about(90);
    if (isRated && random() < 0.65) {
      const rating = pick([5, 5, 5, 4, 4, 4, 3, 2, 1]);
      const resolution = random() < 0.5 ? null : Number(rating >= 3);
      const feedback = pick(FEEDBACK);
      add('conversation_survey', time, { rating, resolution, feedback, submittedAt: iso(time) });
    }
  }
  if (closedAt !== undefined && random() < 0.08) {
    // The customer comes back.
    time = nextAtWork(closedAt + about(3_000));
    act('route_to_human');
    const { pace, ...agent } = pick(AGENTS);
    time += about(60);
    closedAt = undefined;
    if (act('assign', agent)) {
      time += about(pace);
      write('agent');
      time += about(200);
      if (act('end_conversation', agent)) closedAt = time;
    }
  }
  const customer = Math.floor(random() * 150);
  const name = CUSTOMERS[customer % CUSTOMERS.length]!;
  return [
    {
      type: 'conversation',
      data: {
        id,
        createdAt: iso(createdAt),
        updatedAt: iso(lastTime),
        closedAt: closedAt === undefined ? null : iso(closedAt),
        customer: { filumId: `shopper-${customer}`, name, phone: `+84 90 ${1_000_000 + customer}` },
      },
    },
    ...records,
  ];
}

const AFTER_DELIVERY = '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01';
const SOURCES = ['Email', 'Email', 'Zalo', 'Website', 'POS', 'Mobile'];

function responsesOf(day: number, isPast: (time: number) => boolean): DemoRecord[] {
  const random = seededRandom(`demo responses ${day}`);
  return Array.from({ length: 11 }, (_, index) => response(day, index, random)).filter(({ data }) =>
    isPast(Date.parse((data.answered_timestamp ?? data.sent_timestamp) as string)),
  );
}

function response(day: number, index: number, random: () => number): DemoRecord {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const sent = day * DAY - OFFSET + hourOf(random()) * 60 * MINUTE + Math.floor(random() * 60) * MINUTE;
  const isAnswered = random() < 0.7;
  const answered = sent + Math.floor(random() * 300) * MINUTE;
  const customer = Math.floor(random() * 150);
  const score = pick([10, 10, 9, 9, 9, 8, 8, 7, 6, 4, 2]);
  const hex = createHash('sha256').update(`response ${day} ${index}`).digest('hex');
  return {
    type: 'survey_response',
    data: {
      identifier: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
      survey_campaign_id: AFTER_DELIVERY,
      sent_timestamp: iso(sent),
      sending_failed_timestamp: null,
      opened_timestamp: isAnswered ? iso(sent + Math.floor((answered - sent) / 2)) : null,
      answered_timestamp: isAnswered ? iso(answered) : null,
      user_name: CUSTOMERS[customer % CUSTOMERS.length],
      user_phone: `+84 90 ${1_000_000 + customer}`,
      source: pick(SOURCES),
      transaction_id: `INV-${day}-${index}`,
      tags: score >= 9 ? ['promoter'] : [],
      metadata_mappings: {
        store: pick(['Hà Nội', 'Đà Nẵng', 'Singapore']),
        order_value: 50_000 * (1 + Math.floor(random() * 30)),
        membership_tier: pick(['Bạc', 'Vàng', null]),
      },
      answers: isAnswered
        ? {
            1: String(score),
            2: [pick(['21', '22', '23'])],
            3: { 31: pick(['Somewhat', 'Very']), 32: pick(['Not at all', 'Somewhat', 'Very']) },
            4: Object.fromEntries([41, 42, 43].map((option, place) => [option, 1 + ((index + place) % 3)])),
            6: String(Math.max(1, Math.round(score / 2))),
            7: String(Math.max(1, Math.round(score * 0.7))),
            ...(random() < 0.2 && { 5: pick(['Giao hàng nhanh', 'The box was open', 'All good']) }),
          }
        : {},
    },
  };
}

function hourOf(part: number): number {
  let left = part * HOURS.reduce((sum, count) => sum + count, 0);
  return HOURS.findIndex((count) => (left -= count) < 0);
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
