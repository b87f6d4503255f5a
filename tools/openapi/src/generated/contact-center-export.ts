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
         * @description Rows of conversations whose updatedAt falls into the window, ordered by updatedAt, conversationId, sessionIndex (ticket-only rows last) and ticketId. `Accept: application/x-ndjson` or `text/csv` streams every row of the window in the same order as one request, each with a `cursor`; `cursor=` continues exactly after that row, in pages (with `nextCursor`) and in streams. A conversation that changes moves to the end: who keeps continuing sees every change.
         */
        get: operations["ConversationSessionController_list"];
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
         */
        get: operations["ConversationSessionController_get"];
        put?: never;
        post?: never;
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
             * @description Resolution anchor, equal to conversationClosedAt.
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
             * @description Its name.
             * @example Website
             */
            installedSourceName: string;
            /**
             * @description Its type.
             * @example chat
             */
            channelType: string;
            /**
             * Format: date-time
             * @description Latest route_to_human or route_back_to_human at or before the session start, after the previous session ended and within 24 hours; else sessionStartAt.
             * @example 2026-01-05T02:14:00.000Z
             */
            botHandoffAt: string | null;
            /**
             * Format: date-time
             * @description SessionTookOverAt when present, else sessionStartAt.
             * @example 2026-01-05T02:15:30.000Z
             */
            firstAgentAssignedAt: string | null;
            /**
             * Format: date-time
             * @description First agent message strictly after firstAgentAssignedAt, inside the session window.
             * @example 2026-01-05T02:16:10.000Z
             */
            firstAgentMessageAt: string | null;
            /**
             * Format: date-time
             * @description Last agent message inside the session window.
             * @example 2026-01-05T02:39:00.000Z
             */
            lastAgentMessageAt: string | null;
            /**
             * @description FirstAgentMessageAt minus botHandoffAt, in calendar seconds.
             * @example 130
             */
            waitTimeSeconds: number | null;
            /**
             * @description FirstAgentMessageAt minus firstAgentAssignedAt, in calendar seconds.
             * @example 40
             */
            firstResponseTimeSeconds: number | null;
            /**
             * @description ConversationResolvedAt minus botHandoffAt, in calendar seconds.
             * @example 1560
             */
            resolutionTimeSeconds: number | null;
            /**
             * @description WaitTimeSeconds within business hours; null without a schedule.
             * @example 130
             */
            waitTimeBusinessHoursSeconds: number | null;
            /**
             * @description FirstResponseTimeSeconds within business hours; null without a schedule.
             * @example 40
             */
            firstResponseTimeBusinessHoursSeconds: number | null;
            /**
             * @description ResolutionTimeSeconds within business hours; null without a schedule.
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
             * @description Rows matching across all pages.
             * @example 1
             */
            total: number;
            /** @example 1 */
            page: number;
            /** @example 50 */
            perPage: number;
            /** @example 1 */
            pages: number;
            /** @description Only when `cursor=` was sent: continues after the last item; null when there are no items. */
            nextCursor?: string | null;
        };
        ConversationSessionsResponse: {
            items: components["schemas"]["ConversationSessionResponse"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    ConversationSessionController_list: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationSessionPageResponse"];
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description Invalid token, missing organization-id, or missing $export_conversation_session:list */
            401: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: {
                            message: string;
                        };
                    };
                };
            };
            /** @description OrganizationId differs from the authenticated organization */
            403: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: {
                            message: string;
                        };
                    };
                };
            };
            /** @description Missing or invalid parameters */
            422: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: {
                            loc: string[];
                            msg: string;
                            type: string;
                        }[];
                    };
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string;
                    };
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string;
                    };
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string;
                    };
                };
            };
        };
    };
    ConversationSessionController_get: {
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
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationSessionsResponse"];
                };
            };
            /** @description Invalid token, missing organization-id, or missing $export_conversation_session:list */
            401: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: {
                            message: string;
                        };
                    };
                };
            };
            /** @description OrganizationId differs from the authenticated organization */
            403: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: {
                            message: string;
                        };
                    };
                };
            };
            /** @description The organization has no such conversation */
            404: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: {
                            message: string;
                        };
                    };
                };
            };
            /** @description Unknown timezone */
            422: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: {
                            loc: string[];
                            msg: string;
                            type: string;
                        }[];
                    };
                };
            };
            /** @description Rate limit exceeded */
            429: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string;
                    };
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string;
                    };
                };
            };
            /** @description A store is not available; try again */
            503: {
                headers: {
                    /** @description Requests allowed in the window that has the least left */
                    "RateLimit-Limit"?: string;
                    /** @description Requests left in it */
                    "RateLimit-Remaining"?: string;
                    /** @description Seconds until it ends */
                    "RateLimit-Reset"?: string;
                    /** @description All windows, for instance `5;w=1, 50;w=60` */
                    "RateLimit-Policy"?: string;
                    /** @description Names this answer in the logs; taken from the request when it sends one */
                    "x-request-id"?: string;
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string;
                    };
                };
            };
        };
    };
}
