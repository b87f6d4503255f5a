export interface paths {
    "/external/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a webchat session
         * @description Reuses the user's session that has not expired (matched by `user.id`, then phone, then email); else opens one over the earlier conversation of the same `user.id`; else over a new conversation.
         *
         *     Permission: `$webchat_session:create`.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/sessions/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refresh a session token
         * @description Moves the expiry of a live session one hour forward and returns a new token.
         *
         *     Permission: `$webchat_session:refresh`.
         */
        post: operations["refreshSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/conversations/{conversationId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a conversation's events
         * @description Answers the last events, or those before or after an event: messages, activities, read marks, rating requests and ratings. The customer's client sends the `sessionToken` as bearer token. An item is the same object as the frame of the websocket, see `/docs/asyncapi.json`. Connect with `lastEvent` to receive the events that follow.
         */
        get: operations["listEvents"];
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        WebchatUserRequest: {
            /**
             * @description The customer's stable id in your system. Strongly recommended: history comes back only through it. Omitted, an id of the form `Webchat-<uuid>` is made and returned as `userId`.
             * @example customer-4711
             */
            id?: string | null;
            /** @example Nguyễn Thị Hoa */
            name?: string | null;
            /** @example hoa@example.com */
            email?: string | null;
            /** @example +84 90 123 4567 */
            phone?: string | null;
        };
        CreateSessionRequest: {
            /**
             * @description The organization that the request authenticates against.
             * @example demo
             */
            organizationId: string;
            /**
             * @description Id of the installed source (webchat channel).
             * @example 1
             */
            installedSourceId: number;
            /** @description Customer information. */
            user?: components["schemas"]["WebchatUserRequest"] | null;
        };
        CreateSessionResponse: {
            /**
             * @description A JWT, valid 1 hour from creation or last refresh.
             * @example eyJhbGciOiJIUzI1NiIs…
             */
            sessionToken: string;
            /**
             * @description Unix epoch seconds of its expiry.
             * @example 1767225600
             */
            sessionTokenExpiration: number;
            /**
             * @description The user id of the session, provided or generated.
             * @example customer-4711
             */
            userId: string;
            /** @example 0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11 */
            sessionId: string;
            /** @example wss://webchat.example.com/sessions/0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11 */
            websocketUrl: string;
            /** @example 5b6f2a0e-3a59-4a8e-8d0a-2f0a4a1a9a77 */
            conversationId: string;
        };
        RefreshSessionRequest: {
            /**
             * @description `sessionId` of a created session.
             * @example 0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11
             */
            sessionId: string;
        };
        RefreshSessionResponse: {
            /**
             * @description A JWT, valid 1 hour from creation or last refresh.
             * @example eyJhbGciOiJIUzI1NiIs…
             */
            sessionToken: string;
            /**
             * @description Unix epoch seconds of its expiry.
             * @example 1767225600
             */
            sessionTokenExpiration: number;
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
        /** @description What is wrong */
        MessageError: {
            message: string;
            statusCode: number;
        };
        /** @description Everything that is wrong with a request */
        MessageListError: {
            message: string[];
            error: string;
            statusCode: number;
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
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSessionRequest"];
            };
        };
        responses: {
            /** @description The session, created or reused. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateSessionResponse"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
                };
            };
            /** @description Missing or invalid fields */
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
                    "application/json": components["schemas"]["MessageListError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
                };
            };
        };
    };
    refreshSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshSessionRequest"];
            };
        };
        responses: {
            /** @description The new token. */
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
                    "application/json": components["schemas"]["RefreshSessionResponse"];
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
                    "application/json": components["schemas"]["MessageError"];
                };
            };
            /** @description The session does not exist, or has expired */
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
                };
            };
            /** @description Missing or invalid fields */
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
                    "application/json": components["schemas"]["MessageListError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Events with a smaller number. The number of the first item of a page gives the page before it. */
                before?: number;
                /** @description Events with a greater number, oldest first. If both are sent, `before` is ignored. */
                after?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description `conversationId` of the token's session. */
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                    "application/json": {
                        /** @description Oldest first. */
                        items: ({
                            /** @constant */
                            type: "message";
                            /** @description From 1, without gaps, over all events of the conversation. Resume after it with `lastEvent`. */
                            event: number;
                            /**
                             * @description Status of the conversation after this event.
                             * @enum {string}
                             */
                            status: "open" | "closed";
                            message: {
                                id: string;
                                /**
                                 * @description Side of the conversation that wrote.
                                 * @enum {string}
                                 */
                                senderType: "customer" | "agent" | "bot" | "system";
                                senderName: string | null;
                                text: string;
                                /**
                                 * Format: date-time
                                 * @description UTC with milliseconds.
                                 * @example 2026-01-05T02:11:09.000Z
                                 */
                                sentAt: string;
                                /** @description Set on messages of the customer. */
                                clientId: string | null;
                            };
                        } | {
                            /** @constant */
                            type: "activity";
                            /** @description From 1, without gaps, over all events of the conversation. Resume after it with `lastEvent`. */
                            event: number;
                            id: string;
                            /** @example assign */
                            action: string;
                            /**
                             * Format: date-time
                             * @description UTC with milliseconds.
                             * @example 2026-01-05T02:11:09.000Z
                             */
                            occurredAt: string;
                            /** @description Name of the agent who acted. */
                            agentName: string | null;
                            /**
                             * @description Status of the conversation after this event.
                             * @enum {string}
                             */
                            status: "open" | "closed";
                            /** @description Agent who handles the conversation after this event; null: nobody. */
                            agent: {
                                name: string | null;
                            } | null;
                        } | {
                            /** @constant */
                            type: "read";
                            /** @description From 1, without gaps, over all events of the conversation. Resume after it with `lastEvent`. */
                            event: number;
                            /**
                             * @description Side of the conversation that read.
                             * @enum {string}
                             */
                            reader: "customer" | "agent";
                            /** @description `event` of the last event that was read; 0: none. */
                            upTo: number;
                        } | {
                            /** @constant */
                            type: "rating.requested";
                            /** @description From 1, without gaps, over all events of the conversation. Resume after it with `lastEvent`. */
                            event: number;
                            /**
                             * Format: date-time
                             * @description UTC with milliseconds.
                             * @example 2026-01-05T02:11:09.000Z
                             */
                            requestedAt: string;
                        } | {
                            /** @constant */
                            type: "rating";
                            /** @description From 1, without gaps, over all events of the conversation. Resume after it with `lastEvent`. */
                            event: number;
                            /** @description `event` of the `rating.requested` that is answered. */
                            request: number;
                            /** @description The client's own id, unique in the conversation. A frame that is repeated with it is stored once. */
                            clientId: string;
                            rating: number | null;
                            /**
                             * @description 1: resolved, 0: not resolved.
                             * @enum {integer|null}
                             */
                            resolution: 0 | 1 | null;
                            feedback: string | null;
                            /**
                             * Format: date-time
                             * @description UTC with milliseconds.
                             * @example 2026-01-05T02:11:09.000Z
                             */
                            submittedAt: string;
                        })[];
                        /** @description Whether there are more in the direction of the page. */
                        hasMore: boolean;
                        read: {
                            /** @description `event` of the last event that was read; 0: none. */
                            customer: number;
                            /** @description `event` of the last event that was read; 0: none. */
                            agent: number;
                        };
                        /** @description `event` of the last event; 0: there is none. */
                        lastEvent: number;
                        /**
                         * @description Status of the conversation after this event.
                         * @enum {string}
                         */
                        status: "open" | "closed";
                        /** @description Agent who handles the conversation after this event; null: nobody. */
                        agent: {
                            name: string | null;
                        } | null;
                    };
                };
            };
            /** @description The session token is missing or not valid, or the session has ended */
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
                    "application/json": components["schemas"]["MessageError"];
                };
            };
            /** @description The conversation is not the session's */
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
                    "application/json": components["schemas"]["MessageError"];
                };
            };
            /** @description Invalid parameters */
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
                    "application/json": components["schemas"]["MessageListError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageListError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageListError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageListError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
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
                    "application/json": components["schemas"]["MessageError"];
                };
            };
        };
    };
}
