/** ISO 8601 with an offset. */
type InstantText = string;
type Optional<T> = T | null | undefined;

/** The `data` of each type of record, as its schema allows it. */
export interface ConversationData {
  readonly id: string;
  readonly createdAt: InstantText;
  readonly updatedAt: InstantText;
  readonly closedAt?: Optional<InstantText>;
  readonly customer?: Optional<{
    readonly filumId?: Optional<string>;
    readonly name?: Optional<string>;
    readonly phone?: Optional<string>;
    readonly email?: Optional<string>;
  }>;
}

export interface ActivityData {
  readonly id: string;
  readonly conversationId: string;
  readonly action: string;
  readonly occurredAt: InstantText;
  readonly agent?: Optional<{
    readonly accountId?: Optional<number>;
    readonly email?: Optional<string>;
    readonly name?: Optional<string>;
    readonly isServiceAccount?: Optional<boolean>;
  }>;
}

export interface MessageData {
  readonly id: string;
  readonly conversationId: string;
  readonly senderType: string;
  readonly sentAt: InstantText;
}

export interface TicketData {
  readonly id: number;
  readonly conversationId: string;
  readonly assigneeAccountId?: Optional<number>;
  readonly createdAt: InstantText;
  readonly updatedAt: InstantText;
  readonly subject?: Optional<string>;
  readonly description?: Optional<string>;
  readonly status?: Optional<string>;
  readonly priority?: Optional<string>;
  readonly dueDate?: Optional<InstantText>;
  readonly assignedAt?: Optional<InstantText>;
  readonly resolvedAt?: Optional<InstantText>;
  readonly installedSourceId?: Optional<number>;
  readonly installedSourceName?: Optional<string>;
  readonly channelType?: Optional<string>;
  readonly customFields?: Optional<Readonly<Record<string, string>>>;
}

export interface ConversationSurveyData {
  readonly id: string;
  readonly conversationId: string;
  readonly rating?: Optional<number>;
  readonly resolution?: Optional<0 | 1>;
  readonly feedback?: Optional<string>;
  readonly submittedAt: InstantText;
}

interface IntervalData {
  readonly start: string;
  readonly end: string;
}

export interface HumanScheduleData {
  readonly weekly: readonly (IntervalData & { readonly weekday: number })[];
  readonly exceptions?: Optional<
    readonly { readonly date: string; readonly intervals: readonly IntervalData[] }[]
  >;
}

/** Milliseconds since 1970, which is as fine as times are kept: what is finer is cut off. */
export function milliseconds(instant: Optional<InstantText>): number | null {
  return instant === null || instant === undefined ? null : Date.parse(instant);
}
