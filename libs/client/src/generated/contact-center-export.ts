export interface paths {
    "/external/conversation-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List conversation sessions
         * @description Answers the rows of conversations whose updatedAt is in the window, ordered by updatedAt, conversationId, sessionIndex (ticket-only rows last) and ticketId. With `Accept: application/x-ndjson`, `text/csv`, or that of a workbook or of Parquet, one request streams every row of the window in the same order; lines of NDJSON and CSV have a `cursor`. `cursor=` continues exactly after that row, in pages (with `nextCursor`) and in streams. A row can change without moving to the end of the window: to keep a copy, use `/external/conversation-session-changes`.
         *
         *     Permission: `$export_conversation_session:list`.
         */
        get: operations["listConversationSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/conversation-sessions/{conversationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session rows of one conversation
         * @description Every row of the conversation, in the order of the list.
         *
         *     Permission: `$export_conversation_session:list`.
         */
        get: operations["getConversationSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/conversation-sessions/{conversationId}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain the figures of one conversation
         * @description Answers for each row which records and rules its session, ticket, satisfaction, anchors and metrics come from, and which time counts as business hours and which does not.
         *
         *     Permission: `$export_conversation_session:list`.
         */
        get: operations["explainConversationSessions"];
        put?: never;
        /**
         * Explain the figures as they would be with another schedule
         * @description The same as the explanation, by the human schedule of the body. Nothing is stored.
         *
         *     Permission: `$export_conversation_session:list`.
         */
        post: operations["explainConversationSessionsWithSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/conversation-session-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes of conversation sessions
         * @description Every change of a row since the cursor, in the order of commits: `upsert` for a row that appeared or changed, `delete` for a row that disappeared, with the reason, `resync` if all rows have to be read again. Only the last change of each row is listed. Apply the items in order, store `nextCursor` with them, and continue with it: if `hasMore` is false, the copy holds exactly the rows that the list of conversation sessions holds at that moment. Ignore a `delete` of a row that the copy does not hold. After a `resync` start again without a cursor; after a 410 too, or compare digests and go on from their `cursor`. `Accept: application/x-ndjson` streams all changes, each with a `cursor`, and then a line with `op` `end`, `change` and `cursor`; `limit` and `wait` do not apply.
         *
         *     Permission: `$export_conversation_session:list`.
         */
        get: operations["listConversationSessionChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/conversation-session-digests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List digests of conversation sessions by day
         * @description For each day of the window that holds rows, by conversation updatedAt in the timezone: how many rows, and the XOR of their digests. A copy that was read up to `change` is right if its own rows give the same. After a 410 of the changes, read the days that differ, remove what they no longer have, and go on from `cursor`; with another `X-Human-Schedule` than that of the copy, start again without a cursor.
         *
         *     Permission: `$export_conversation_session:list`.
         */
        get: operations["listConversationSessionDigests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a person's data
         * @description Answers a certificate, which holds no identifier. The keys of what was erased are kept, so that no record brings it back. A large erasure goes on after the answer: its `erasedAt` is null until then.
         *
         *     Permission: `$personal_data:erase`.
         */
        post: operations["erase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/erasures/again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply an erasure again
         * @description After a backup was restored: erases what the certificate is about. The body is the certificate.
         *
         *     Permission: `$personal_data:erase`.
         */
        post: operations["eraseAgain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the certificate of an erasure
         * @description Read the certificate of an erasure
         *
         *     Permission: `$personal_data:erase`.
         */
        get: operations["getErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook endpoint
         * @description Read a webhook endpoint
         *
         *     Permission: `$webhook_endpoint:manage`.
         */
        get: operations["getWebhookEndpoint"];
        /**
         * Create or change a webhook endpoint
         * @description From then on the endpoint gets hints: the number that the feed of changes has reached. A hint carries no data. It is sent within a second of a change, and signed by Standard Webhooks with the `secret` that creating the endpoint answers. A new, moved or reactivated endpoint gets one at once. The same call again changes nothing.
         *
         *     Permission: `$webhook_endpoint:manage`.
         */
        put: operations["putWebhookEndpoint"];
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Delete a webhook endpoint
         *
         *     Permission: `$webhook_endpoint:manage`.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description List webhook endpoints
         *
         *     Permission: `$webhook_endpoint:manage`.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook-endpoints/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new secret
         * @description For 24 hours hints are signed with the new secret and with the one before.
         *
         *     Permission: `$webhook_endpoint:manage`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/webhook-endpoints/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a hint now
         * @description Changes nothing of the endpoint. Answers within ten seconds.
         *
         *     Permission: `$webhook_endpoint:manage`.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ConversationSessionResponse: {
            /**
             * @description Zero-based index of the session within its conversation; null for a ticket without a session.
             * @example 0
             */
            sessionIndex: number | null;
            /**
             * @description Agent who handled the session; blank when the activity carried no agent identity.
             * @example linh@example.com
             */
            sessionAgentEmail: string;
            /**
             * @description Agent display name.
             * @example Linh Tran
             */
            sessionAgentName: string;
            /**
             * @description Agent account id from the activity stream.
             * @example 42
             */
            sessionAgentAccountId: number | null;
            /**
             * Format: date-time
             * @description When the agent's window opened (by assign, route_back_to_human or human_take_over).
             * @example 2026-01-05T02:15:00.000Z
             */
            sessionStartAt: string | null;
            /**
             * Format: date-time
             * @description When the agent explicitly took over, if distinct from the start.
             * @example 2026-01-05T02:15:30.000Z
             */
            sessionTookOverAt: string | null;
            /**
             * Format: date-time
             * @description When the session closed (terminal action or handoff).
             * @example 2026-01-05T02:40:00.000Z
             */
            sessionEndAt: string | null;
            /**
             * @description The activity action that opened the session.
             * @example assign
             */
            sessionStartAction: string;
            /**
             * @description The activity action that closed it.
             * @example end_conversation
             */
            sessionEndAction: string;
            /**
             * @description Why it closed; blank for a ticket without a session.
             * @example terminal
             * @enum {string}
             */
            sessionEndReason: "handoff_to_ai" | "terminal" | "replaced_by_other_handoff" | "service_account_takeover" | "open_at_end" | "";
            /**
             * @description Conversation identifier.
             * @example c-1001
             */
            conversationId: string;
            /**
             * Format: date-time
             * @description Creation time.
             * @example 2026-01-05T02:11:09.000Z
             */
            conversationCreatedAt: string | null;
            /**
             * Format: date-time
             * @description First route_to_ai or route_back_to_ai event.
             * @example 2026-01-05T02:11:10.000Z
             */
            conversationRoutedToAiAt: string | null;
            /**
             * Format: date-time
             * @description First route_to_human or route_back_to_human event.
             * @example 2026-01-05T02:14:00.000Z
             */
            conversationRoutedToAgentAt: string | null;
            /**
             * Format: date-time
             * @description First assign event.
             * @example 2026-01-05T02:15:00.000Z
             */
            conversationAssignedAt: string | null;
            /**
             * Format: date-time
             * @description First human_take_over event.
             * @example 2026-01-05T02:15:30.000Z
             */
            conversationAgentTookOverAt: string | null;
            /**
             * Format: date-time
             * @description The route_to_rating event that closed this session.
             * @example null
             */
            sentToRatingAt: string | null;
            /**
             * Format: date-time
             * @description The conversation's close timestamp.
             * @example 2026-01-05T02:40:00.000Z
             */
            conversationClosedAt: string | null;
            /**
             * Format: date-time
             * @description Equal to conversationClosedAt, on every row of the conversation. Null while the conversation is not closed.
             * @example 2026-01-05T02:40:00.000Z
             */
            conversationResolvedAt: string | null;
            /**
             * @description Customer id.
             * @example f-77
             */
            customerFilumId: string;
            /**
             * @description Customer name.
             * @example Nguyễn Thị Hoa
             */
            customerName: string;
            /**
             * @description Customer phone.
             * @example +84901234567
             */
            customerPhone: string;
            /**
             * @description Customer email.
             * @example hoa@example.com
             */
            customerEmail: string;
            /**
             * @description The ticket matched to the session by assignee and time window.
             * @example 9001
             */
            ticketId: number | null;
            /**
             * Format: date-time
             * @description Creation time of the ticket.
             * @example 2026-01-05T02:16:00.000Z
             */
            ticketCreatedAt: string | null;
            /**
             * Format: date-time
             * @description Last update of the ticket.
             * @example 2026-01-05T02:41:00.000Z
             */
            ticketUpdatedAt: string | null;
            /**
             * @description Subject.
             * @example Refund
             */
            ticketSubject: string;
            /**
             * @description Description.
             * @example Wrong size delivered
             */
            ticketDescription: string;
            /**
             * @description Status.
             * @example solved
             */
            ticketStatus: string;
            /**
             * @description Priority.
             * @example high
             */
            ticketPriority: string;
            /**
             * Format: date-time
             * @description Due date.
             * @example null
             */
            ticketDueDate: string | null;
            /**
             * Format: date-time
             * @description When it was assigned.
             * @example 2026-01-05T02:16:30.000Z
             */
            ticketAssignedAt: string | null;
            /**
             * Format: date-time
             * @description When it was resolved.
             * @example 2026-01-05T02:41:00.000Z
             */
            ticketResolvedAt: string | null;
            /**
             * @description Channel that the ticket came from.
             * @example 1
             */
            installedSourceId: number | null;
            /**
             * @description Name of the channel.
             * @example Website
             */
            installedSourceName: string;
            /**
             * @description Type of the channel.
             * @example chat
             */
            channelType: string;
            /**
             * Format: date-time
             * @description Latest route_to_human or route_back_to_human at or before the session start, after the previous session ended and within 24 hours. If no handoff qualifies, sessionStartAt counts. Null for a ticket without a session.
             * @example 2026-01-05T02:14:00.000Z
             */
            botHandoffAt: string | null;
            /**
             * Format: date-time
             * @description sessionTookOverAt, if the agent took over after the session had started. If no take-over is later than the start, sessionStartAt counts. Null for a ticket without a session.
             * @example 2026-01-05T02:15:30.000Z
             */
            firstAgentAssignedAt: string | null;
            /**
             * Format: date-time
             * @description First agent message strictly after firstAgentAssignedAt, inside the session window. Null if there is no agent message after firstAgentAssignedAt inside the session window. Null for a ticket without a session.
             * @example 2026-01-05T02:16:10.000Z
             */
            firstAgentMessageAt: string | null;
            /**
             * Format: date-time
             * @description Last agent message inside the session window. Null if there is no agent message inside the session window. Null for a ticket without a session.
             * @example 2026-01-05T02:39:00.000Z
             */
            lastAgentMessageAt: string | null;
            /**
             * @description Calendar seconds from botHandoffAt to firstAgentMessageAt. Null if one of the two is null. Null if the second is earlier than the first.
             * @example 130
             */
            waitTimeSeconds: number | null;
            /**
             * @description Calendar seconds from firstAgentAssignedAt to firstAgentMessageAt. Null if one of the two is null. Null if the second is earlier than the first.
             * @example 40
             */
            firstResponseTimeSeconds: number | null;
            /**
             * @description Calendar seconds from botHandoffAt to conversationResolvedAt. Null if one of the two is null. Null if the second is earlier than the first.
             * @example 1560
             */
            resolutionTimeSeconds: number | null;
            /**
             * @description Seconds of business hours from botHandoffAt to firstAgentMessageAt, by the human schedule of the organization in the requested timezone. Null if one of the two is null. Null if the second is earlier than the first. Null if the organization has no human schedule. Null if one of the two is before 1970 or after 2199 in UTC.
             * @example 130
             */
            waitTimeBusinessHoursSeconds: number | null;
            /**
             * @description Seconds of business hours from firstAgentAssignedAt to firstAgentMessageAt, by the human schedule of the organization in the requested timezone. Null if one of the two is null. Null if the second is earlier than the first. Null if the organization has no human schedule. Null if one of the two is before 1970 or after 2199 in UTC.
             * @example 40
             */
            firstResponseTimeBusinessHoursSeconds: number | null;
            /**
             * @description Seconds of business hours from botHandoffAt to conversationResolvedAt, by the human schedule of the organization in the requested timezone. Null if one of the two is null. Null if the second is earlier than the first. Null if the organization has no human schedule. Null if one of the two is before 1970 or after 2199 in UTC.
             * @example 1560
             */
            resolutionTimeBusinessHoursSeconds: number | null;
            /**
             * @description Survey star rating when the customer responded.
             * @example 5
             */
            rating: number | null;
            /**
             * @description Yes: explicit resolution=1, or a rating of 4 or more; No: resolution=0, or a rating of 3 or less; blank without a survey.
             * @example Yes
             * @enum {string}
             */
            resolutionYesNo: "Yes" | "No" | "";
            /**
             * @description Free-text feedback.
             * @example Great help
             */
            feedback: string;
            /**
             * Format: date-time
             * @description When the survey was submitted.
             * @example 2026-01-05T02:45:00.000Z
             */
            submittedAt: string | null;
            /**
             * @description The ticket's custom fields: display name to value.
             * @example {
             *       "Branch": "Hanoi"
             *     }
             */
            customFields: {
                [key: string]: string;
            };
        };
        ConversationSessionPageResponse: {
            items: components["schemas"]["ConversationSessionResponse"][];
            /**
             * @description Items on all pages.
             * @example 1
             */
            total: number;
            /** @example 1 */
            page: number;
            /** @example 50 */
            perPage: number;
            /**
             * @description 0 if there are no items.
             * @example 1
             */
            pages: number;
            /** @description Only when `cursor=` was sent: continues after the last item; null when there are no items. */
            nextCursor?: string | null;
        };
        ConversationSessionsResponse: {
            items: components["schemas"]["ConversationSessionResponse"][];
        };
        RecordReference: {
            /** @enum {string} */
            type: "activity" | "message" | "ticket" | "conversation_survey" | "conversation";
            /** @example a-17 */
            id: string;
            /**
             * Format: date-time
             * @example 2026-01-05T02:14:00.000Z
             */
            at: string;
        };
        SessionExplanation: {
            /**
             * @description Why, in a sentence.
             * @example Last agent message inside the session window.
             */
            rule: string;
            opened: components["schemas"]["RecordReference"];
            /** @description Null while the session is open. */
            closed: components["schemas"]["RecordReference"] | null;
        };
        TicketExplanation: {
            /**
             * @description Why, in a sentence.
             * @example Last agent message inside the session window.
             */
            rule: string;
            /** @enum {string|null} */
            matchedBy: "assignedAt" | "createdAt" | null;
            /**
             * Format: date-time
             * @example 2026-01-05T02:14:00.000Z
             */
            at: string | null;
        };
        SatisfactionExplanation: {
            /**
             * @description Why, in a sentence.
             * @example Last agent message inside the session window.
             */
            rule: string;
            record: components["schemas"]["RecordReference"] | null;
        };
        AnchorExplanation: {
            /**
             * @description Why, in a sentence.
             * @example Last agent message inside the session window.
             */
            rule: string;
            record: components["schemas"]["RecordReference"] | null;
            /**
             * Format: date-time
             * @description As in the row.
             * @example 2026-01-05T02:14:00.000Z
             */
            at: string | null;
        };
        AnchorExplanations: {
            botHandoffAt: components["schemas"]["AnchorExplanation"];
            firstAgentAssignedAt: components["schemas"]["AnchorExplanation"];
            firstAgentMessageAt: components["schemas"]["AnchorExplanation"];
            lastAgentMessageAt: components["schemas"]["AnchorExplanation"];
            conversationResolvedAt: components["schemas"]["AnchorExplanation"];
        };
        MetricExplanation: {
            /**
             * @description Why, in a sentence.
             * @example Last agent message inside the session window.
             */
            rule: string;
            /**
             * @description As in the row.
             * @example 959
             */
            seconds: number | null;
            /** @enum {string} */
            from: "botHandoffAt" | "firstAgentAssignedAt" | "firstAgentMessageAt" | "conversationResolvedAt";
            /** @enum {string} */
            to: "botHandoffAt" | "firstAgentAssignedAt" | "firstAgentMessageAt" | "conversationResolvedAt";
        };
        CountedInterval: {
            /**
             * Format: date-time
             * @example 2026-01-05T02:14:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @example 2026-01-05T02:14:00.000Z
             */
            to: string;
        };
        OmittedInterval: {
            /**
             * Format: date-time
             * @example 2026-01-05T02:14:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @example 2026-01-05T02:14:00.000Z
             */
            to: string;
            /**
             * @description `exception`: the week would count it without exceptions. `no_schedule`: the organization has none. `out_of_range`: the span begins before 1970 or ends after 2199 in UTC. `closed`: all else.
             * @enum {string}
             */
            reason: "closed" | "exception" | "no_schedule" | "out_of_range";
        };
        BusinessHoursExplanation: {
            /**
             * @description Why, in a sentence.
             * @example Last agent message inside the session window.
             */
            rule: string;
            /**
             * @description As in the row.
             * @example 959
             */
            seconds: number | null;
            /** @enum {string} */
            from: "botHandoffAt" | "firstAgentAssignedAt" | "firstAgentMessageAt" | "conversationResolvedAt";
            /** @enum {string} */
            to: "botHandoffAt" | "firstAgentAssignedAt" | "firstAgentMessageAt" | "conversationResolvedAt";
            /** @description With `omitted` exactly the time from `from` to `to`, in order. */
            counted: components["schemas"]["CountedInterval"][];
            omitted: components["schemas"]["OmittedInterval"][];
            /**
             * @description The lists end after 1,000 intervals together; `seconds` counts all.
             * @example true
             */
            truncated?: boolean;
        };
        MetricExplanations: {
            waitTimeSeconds: components["schemas"]["MetricExplanation"];
            firstResponseTimeSeconds: components["schemas"]["MetricExplanation"];
            resolutionTimeSeconds: components["schemas"]["MetricExplanation"];
            waitTimeBusinessHoursSeconds: components["schemas"]["BusinessHoursExplanation"];
            firstResponseTimeBusinessHoursSeconds: components["schemas"]["BusinessHoursExplanation"];
            resolutionTimeBusinessHoursSeconds: components["schemas"]["BusinessHoursExplanation"];
        };
        RowExplanation: {
            /** @example 0 */
            sessionIndex: number | null;
            /** @example 1001 */
            ticketId: number | null;
            /** @description Null for a ticket without a session. */
            session: components["schemas"]["SessionExplanation"] | null;
            /** @description Null for a row without a ticket. Without a session `matchedBy` and `at` are null. */
            ticket: components["schemas"]["TicketExplanation"] | null;
            satisfaction: components["schemas"]["SatisfactionExplanation"];
            anchors: components["schemas"]["AnchorExplanations"];
            metrics: components["schemas"]["MetricExplanations"];
        };
        ConversationExplanation: {
            /** @example c-1 */
            conversationId: string;
            /** @example Asia/Singapore */
            timezone: string;
            /** @description In the order of the rows of the conversation. */
            rows: components["schemas"]["RowExplanation"][];
            /**
             * @description There are more rows than the first 100, which are explained.
             * @example true
             */
            truncated?: boolean;
        };
        ConversationSessionKey: {
            /** @example c-1001 */
            conversationId: string;
            /** @example 0 */
            sessionIndex: number | null;
            /** @example 9001 */
            ticketId: number | null;
        };
        ConversationSessionUpsert: {
            /** @enum {string} */
            op: "upsert";
            /**
             * @description Grows in the order of commits.
             * @example 1041
             */
            change: number;
            key: components["schemas"]["ConversationSessionKey"];
            /**
             * Format: date-time
             * @example 2026-01-05T02:41:30.000Z
             */
            conversationUpdatedAt: string;
            /**
             * @description The first 8 bytes, in hexadecimal, of SHA-256 over the canonical JSON (RFC 8785) of key, conversationUpdatedAt and row, the row without its three business-hours fields.
             * @example 9f86d081884c7d65
             */
            digest: string;
            row: components["schemas"]["ConversationSessionResponse"];
        };
        ConversationSessionDelete: {
            /** @enum {string} */
            op: "delete";
            /** @example 1042 */
            change: number;
            key: components["schemas"]["ConversationSessionKey"];
            /** @enum {string} */
            reason: "removed" | "erased" | "expired";
        };
        ConversationSessionResync: {
            /**
             * @description Rows have to be read again from the beginning.
             * @enum {string}
             */
            op: "resync";
            /** @example 1043 */
            change: number;
            /** @enum {string} */
            reason: "human_schedule";
        };
        ConversationSessionChangePageResponse: {
            items: (components["schemas"]["ConversationSessionUpsert"] | components["schemas"]["ConversationSessionDelete"] | components["schemas"]["ConversationSessionResync"])[];
            /**
             * @description The copy that has applied the items holds everything up to this number: compare digests at it.
             * @example 1043
             */
            change: number;
            /**
             * @description Continues after the last item.
             * @example cGF0aWVuY2UgaXMgYSB2aXJ0dWUgb2Y
             */
            nextCursor: string;
            /** @description Whether there are changes after the last item. If not, the copy is complete. */
            hasMore: boolean;
        };
        DayDigest: {
            /**
             * Format: date
             * @example 2026-01-05
             */
            date: string;
            /**
             * @description Rows of conversations that were last updated on this day.
             * @example 312
             */
            rows: number;
            /**
             * @description The XOR of the digests of these rows, in hexadecimal.
             * @example 5f1c0a7b4d3e2f10
             */
            digest: string;
        };
        ConversationSessionDigestsResponse: {
            /**
             * @description The last number of the organization. Read changes up to it before you compare.
             * @example 1043
             */
            change: number;
            /**
             * @description Where a copy that equals the digests goes on in the changes.
             * @example cGF0aWVuY2UgaXMgYSB2aXJ0dWUgb2Y
             */
            cursor: string;
            /** @description The days that hold rows, in order. */
            items: components["schemas"]["DayDigest"][];
        };
        ErasureSubjectRequest: {
            /**
             * @description Compared exactly. They match nothing in area C, which knows no user ids.
             * @example [
             *       "customer-4711"
             *     ]
             */
            userIds?: string[] | null;
            /**
             * @description Compared without spaces, dots, dashes and round brackets.
             * @example [
             *       "+84 90 123 4567"
             *     ]
             */
            phones?: string[] | null;
            /**
             * @description Compared without case.
             * @example [
             *       "hoa@example.com"
             *     ]
             */
            emails?: string[] | null;
        };
        EraseRequest: {
            /**
             * Format: uuid
             * @description Yours, one for each erasure: the same id with the same subject and mode answers the same. Not of a dry run.
             * @example 3f0c2b1e-5a7d-4c8e-9b6f-2d1a0e9c8b7a
             */
            id?: string;
            /** @description 1 to 100 identifiers. */
            subject: components["schemas"]["ErasureSubjectRequest"];
            /**
             * @description `anonymize` keeps what is needed for figures; area A deletes in both modes.
             * @enum {string}
             */
            mode: "delete" | "anonymize";
            /**
             * @description True: only counts what would be erased.
             * @default false
             */
            dryRun: boolean | null;
        };
        CertificateResponse: {
            /**
             * Format: uuid
             * @description Null of a dry run.
             */
            id: string | null;
            /** @example acme */
            organizationId: string;
            /** @enum {string} */
            area: "webchat" | "contact-center" | "survey";
            /** @enum {string} */
            mode: "delete" | "anonymize";
            /** Format: date-time */
            requestedAt: string;
            /**
             * Format: date-time
             * @description Null while a large erasure goes on, and of a dry run.
             */
            erasedAt: string | null;
            /**
             * @description Records by kind; each area always names the same kinds.
             * @example {
             *       "conversations": 3,
             *       "messages": 41
             *     }
             */
            found: {
                [key: string]: number;
            };
            /** @description A follower of changes that has read up to it holds nothing of the person any more. Null in area A. */
            lastChange: number | null;
            /**
             * @description The keys of the records concerned, by type; a link as link and field (`17/3`). Needed after a backup was restored.
             * @example {
             *       "conversation": [
             *         "c-1"
             *       ],
             *       "ticket": [
             *         "1001"
             *       ]
             *     }
             */
            keys: {
                [key: string]: string[];
            };
        };
        EraseAgainRequest: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            mode: "delete" | "anonymize";
            /** @enum {string} */
            area: "webchat" | "contact-center" | "survey";
            /** Format: date-time */
            requestedAt: string;
            /** @example acme */
            organizationId: string;
            /**
             * @description The keys of the records concerned, by type; a link as link and field (`17/3`). Needed after a backup was restored.
             * @example {
             *       "conversation": [
             *         "c-1"
             *       ],
             *       "ticket": [
             *         "1001"
             *       ]
             *     }
             */
            keys: {
                [key: string]: string[];
            };
        };
        PutWebhookEndpointRequest: {
            /**
             * @description `https` only, without a user name. Every address that its host resolves to has to be public.
             * @example https://hooks.example.com/cxp
             */
            url: string;
            /** @example The follower of the warehouse */
            description?: string | null;
        };
        PutWebhookEndpointResponse: {
            /**
             * Format: uuid
             * @example 7a1f0c9e-2b3d-4e5f-8a6b-0c1d2e3f4a5b
             */
            id: string;
            /** @example https://hooks.example.com/cxp */
            url: string;
            /** @example The follower of the warehouse */
            description: string | null;
            /**
             * @description `failing`: the last hint was not accepted and is sent again. `disabled`: hints failed for 24 hours, or the endpoint answered 410; put it again to make it active.
             * @enum {string}
             */
            status: "active" | "failing" | "disabled";
            /**
             * @description The last number that it accepted.
             * @example 1043
             */
            toldChange: number | null;
            /**
             * Format: date-time
             * @example 2026-01-05T02:41:30.000Z
             */
            lastAttemptAt: string | null;
            /**
             * @description Why the last hint failed.
             * @example null
             */
            lastError: string | null;
            /**
             * Format: date-time
             * @description When a hint that failed is sent again.
             * @example null
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-05T02:41:30.000Z
             */
            createdAt: string;
            /**
             * @description What hints are signed with. No call answers it again.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
             */
            secret?: string;
        };
        WebhookEndpointResponse: {
            /**
             * Format: uuid
             * @example 7a1f0c9e-2b3d-4e5f-8a6b-0c1d2e3f4a5b
             */
            id: string;
            /** @example https://hooks.example.com/cxp */
            url: string;
            /** @example The follower of the warehouse */
            description: string | null;
            /**
             * @description `failing`: the last hint was not accepted and is sent again. `disabled`: hints failed for 24 hours, or the endpoint answered 410; put it again to make it active.
             * @enum {string}
             */
            status: "active" | "failing" | "disabled";
            /**
             * @description The last number that it accepted.
             * @example 1043
             */
            toldChange: number | null;
            /**
             * Format: date-time
             * @example 2026-01-05T02:41:30.000Z
             */
            lastAttemptAt: string | null;
            /**
             * @description Why the last hint failed.
             * @example null
             */
            lastError: string | null;
            /**
             * Format: date-time
             * @description When a hint that failed is sent again.
             * @example null
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-05T02:41:30.000Z
             */
            createdAt: string;
        };
        WebhookEndpointsResponse: {
            items: components["schemas"]["WebhookEndpointResponse"][];
        };
        WebhookSecretResponse: {
            /**
             * @description What hints are signed with. No call answers it again.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
             */
            secret: string;
        };
        TestHintResponse: {
            /**
             * @description Of the answer, whatever it is.
             * @example 204
             */
            status?: number;
            /** @example 12 */
            durationMs?: number;
            /**
             * @description Why there was no answer.
             * @example ECONNREFUSED
             */
            error?: string;
        };
        /** @description What is wrong */
        DetailError: {
            detail: string;
        };
        /** @description What is wrong, with what the message is about */
        DetailMessageError: {
            detail: {
                message: string;
                params?: {
                    model: string;
                    threshold?: number;
                };
            };
        };
        /** @description Everything that is wrong with a request */
        DetailListError: {
            detail: {
                loc: (string | number)[];
                msg: string;
                type: string;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Requests allowed in the window that has the least left */
        "RateLimit-Limit": string;
        /** @description Requests left in it */
        "RateLimit-Remaining": string;
        /** @description Seconds until it ends */
        "RateLimit-Reset": string;
        /** @description All windows, for instance `5;w=1, 50;w=60` */
        "RateLimit-Policy": string;
        /** @description Names this answer in the logs; taken from the request when it sends one */
        "x-request-id": string;
        /** @description What is wrong, as a stable code */
        "X-Error-Code": string;
        /** @description Of `missing_header` the header, of `permission_missing` the permission */
        "X-Error-Detail.optional": string;
        /** @description Seconds to wait */
        "Retry-After": string;
        /** @description Requests allowed in the window that has the least left */
        "RateLimit-Limit.optional": string;
        /** @description Requests left in it */
        "RateLimit-Remaining.optional": string;
        /** @description Seconds until it ends */
        "RateLimit-Reset.optional": string;
        /** @description All windows, for instance `5;w=1, 50;w=60` */
        "RateLimit-Policy.optional": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listConversationSessions: {
        parameters: {
            query: {
                /** @description IANA timezone name; business hours are read in it. */
                timezone?: string;
                /** @description Must equal the authenticated organization, else 403. */
                organizationId?: string;
                /** @description First day of the conversation's updatedAt, from 00:00:00 in the timezone. */
                startDate: string;
                /** @description Last day of the conversation's updatedAt, to 23:59:59.999 in the timezone. */
                endDate: string;
                /** @description Comma-separated. */
                sessionAgentEmails?: string;
                /** @description Comma-separated; matches the session's agent or the ticket's assignee. */
                assigneeAccountIds?: string;
                /** @description Comma-separated: handoff_to_ai, terminal, replaced_by_other_handoff, service_account_takeover, open_at_end. */
                sessionEndReasons?: string;
                page?: number;
                perPage?: number;
                /** @description Continues exactly after the row that an answer gave this cursor for. Empty: from the start of the window. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, or, by `Accept`, the whole window. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    /** @description The name of the file; not for JSON and NDJSON */
                    "content-disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationSessionPageResponse"];
                    "application/x-ndjson": string;
                    "text/csv": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The `organizationId` differs from the authenticated organization */
            403: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description Missing or invalid parameters */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    getConversationSessions: {
        parameters: {
            query?: {
                /** @description IANA timezone name; business hours are read in it. */
                timezone?: string;
                /** @description Must equal the authenticated organization, else 403. */
                organizationId?: string;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All rows of the conversation. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationSessionsResponse"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The `organizationId` differs from the authenticated organization */
            403: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The organization has no such conversation */
            404: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description Unknown timezone */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    explainConversationSessions: {
        parameters: {
            query?: {
                /** @description IANA timezone name; business hours are read in it. */
                timezone?: string;
                /** @description Must equal the authenticated organization, else 403. */
                organizationId?: string;
                /** @description Only rows of this session; `none`: only those without one. */
                sessionIndex?: string;
                /** @description Only rows of this ticket; `none`: only those without one. */
                ticketId?: string;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows of the conversation, or those that are chosen, in the order of the list, from the records that they were made of. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationExplanation"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The `organizationId` differs from the authenticated organization */
            403: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The organization has no such conversation */
            404: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description Unknown timezone */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    explainConversationSessionsWithSchedule: {
        parameters: {
            query?: {
                /** @description IANA timezone name; business hours are read in it. */
                timezone?: string;
                /** @description Must equal the authenticated organization, else 403. */
                organizationId?: string;
                /** @description Only rows of this session; `none`: only those without one. */
                sessionIndex?: string;
                /** @description Only rows of this ticket; `none`: only those without one. */
                ticketId?: string;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    humanSchedule: {
                        weekly: {
                            /** @description 1 (Monday) to 7 (Sunday) */
                            weekday: number;
                            /** @description `HH:mm` */
                            start: string;
                            /** @description `HH:mm`, `24:00` included. An end at or before the start is on the next day */
                            end: string;
                        }[];
                        exceptions?: {
                            /** Format: date */
                            date: string;
                            /** @description Empty: closed on this day */
                            intervals: {
                                /** @description `HH:mm` */
                                start: string;
                                /** @description `HH:mm`, `24:00` included. An end at or before the start is on the next day */
                                end: string;
                            }[];
                        }[] | null;
                    };
                };
            };
        };
        responses: {
            /** @description The rows of the conversation, or those that are chosen, in the order of the list, from the records that they were made of. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationExplanation"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The `organizationId` differs from the authenticated organization */
            403: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The organization has no such conversation */
            404: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description Body too large */
            413: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description Unknown timezone; or a wrong schedule */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    listConversationSessionChanges: {
        parameters: {
            query?: {
                /** @description IANA timezone name; business hours are read in it. */
                timezone?: string;
                /** @description Must equal the authenticated organization, else 403. */
                organizationId?: string;
                /** @description A `cursor` or next cursor of this endpoint: the answer continues after it. Without it the reading starts at the beginning. */
                cursor?: string;
                /** @description The maximum number of items. If rows are large, an answer holds fewer, and says that there are more. */
                limit?: number;
                /** @description Seconds. If there is no change after the cursor, the request waits up to this long and is answered as soon as there is one. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, or, by `Accept`, all changes after the cursor. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationSessionChangePageResponse"];
                    "application/x-ndjson": string;
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The `organizationId` differs from the authenticated organization */
            403: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description A removal that the reader has not seen is no longer kept, or the database was restored */
            410: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description Invalid parameters, or a cursor that was not issued for this organization and endpoint */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    listConversationSessionDigests: {
        parameters: {
            query: {
                /** @description IANA timezone name; business hours are read in it. */
                timezone?: string;
                /** @description Must equal the authenticated organization, else 403. */
                organizationId?: string;
                /** @description First day of the conversation's updatedAt, from 00:00:00 in the timezone. */
                startDate: string;
                /** @description Last day of the conversation's updatedAt, to 23:59:59.999 in the timezone. */
                endDate: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The digests of one snapshot. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    /** @description Another text after each change of the human schedule; none without a schedule. Digests do not cover business hours: those that were read with another one may be others now. */
                    "x-human-schedule"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationSessionDigestsResponse"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The `organizationId` differs from the authenticated organization */
            403: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description Missing or invalid parameters */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    erase: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EraseRequest"];
            };
        };
        responses: {
            /** @description The certificate. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificateResponse"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description Body too large */
            413: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description Invalid body, or an id that belongs to another erasure */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    eraseAgain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EraseAgainRequest"];
            };
        };
        responses: {
            /** @description The certificate. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificateResponse"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description Body too large */
            413: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description Not a certificate of this area and organization */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    getErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The certificate. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificateResponse"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description There is no such erasure */
            404: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The id is no uuid */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointResponse"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description There is no such endpoint */
            404: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The id is no uuid */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    putWebhookEndpoint: {
        parameters: {
            query?: never;
            header: {
                /** @description The organization identifier */
                "organization-id": string;
                "auth-type": "token";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PutWebhookEndpointResponse"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description Body too large */
            413: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The url is no https URL, its host does not resolve, or it resolves to an address that is not public; or too many endpoints */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header: {
                /** @description The organization identifier */
                "organization-id": string;
                "auth-type": "token";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It gets no more hints. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description There is no such endpoint */
            404: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The id is no uuid */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them, in the order of their creation. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointsResponse"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecretResponse"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description There is no such endpoint */
            404: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The id is no uuid */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The `status` of its answer and `durationMs`, or an `error`. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestHintResponse"];
                };
            };
            /** @description Missing or invalid token; or the token lacks the permission */
            401: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "X-Error-Detail": components["headers"]["X-Error-Detail.optional"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description There is no such endpoint */
            404: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailMessageError"];
                };
            };
            /** @description The id is no uuid */
            422: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailListError"];
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit.optional"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining.optional"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset.optional"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy.optional"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "X-Error-Code": components["headers"]["X-Error-Code"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetailError"];
                };
            };
        };
    };
}
