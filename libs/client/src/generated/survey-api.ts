export interface paths {
    "/external/survey-campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List survey campaigns
         * @description Campaigns with their questions, ordered by their latest interaction, the latest first. Campaigns without an interaction come last. Equal ones are ordered by id.
         *
         *     Permission: `$survey_campaign:list`.
         */
        get: operations["listCampaigns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/survey-responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List survey responses
         * @description The responses of one campaign, ordered by their earliest timestamp, then by `identifier`.
         *
         *     Permission: `$survey_response:list`.
         */
        get: operations["listResponses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/survey-responses/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export survey responses
         * @description A file with one row per response, in the order of the list. Columns: Response ID, Timestamp sent, Timestamp sending failed, Timestamp opened, Timestamp answered, Customer name, Customer phone, Customer email, Distribution channel, Transaction ID, Campaign ID, Campaign Name, Touchpoints, Tags; then a column for each question (`Question 12: title`; for matrix and ranking questions one for each row or option, `Question 14 - 2: title - row title`); then one for each metadata variable. Times are `YYYY-MM-DD HH:mm:ss` in UTC+7, lists are joined with `|`, a missing value is an empty cell. A file has at most 5000 rows, the earliest ones. If the window is longer than 90 days, `start_date` is moved to 90 days before `end_date`. The `X-` headers say what was left out. `Accept` selects another format; without a preference the answer is the default file. There is no request body. An organization may run several exports at once; beyond that the answer is 429 with `Retry-After`.
         *
         *     Permission: `$survey_response:export`.
         */
        post: operations["exportResponses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/survey-response-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes of survey responses
         * @description Every change of a response of the organization since the cursor, in the order of commits: `upsert` for a response that appeared or changed, `delete` for one that disappeared. Only the last change of each response is listed. It holds every response, whatever the status of its campaign. Apply the items in order, store `next_cursor` with them, and continue with it: if `has_more` is false, the copy is complete. Ignore a `delete` of a response that the copy does not hold. After a 410, compare digests and go on from their `cursor`, or start again without one. With `Accept: application/x-ndjson` all changes are streamed, each with a `cursor`, and then a line with `op` `end`, `change` and `cursor`; `limit` and `wait` do not apply.
         *
         *     Permission: `$survey_response:list`.
         */
        get: operations["listResponseChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/survey-response-digests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List digests of survey responses
         * @description For each campaign and day (UTC+7) of the window that holds responses: how many, and the XOR of their digests. A copy that was read up to `change` is right if its own rows give the same. After a 410 of the changes, read the days that differ (campaign and day, in the list of responses), remove what they no longer have, and go on from `cursor`. A window with too many days of campaigns is a 422 of type `too_large`, whose message names the limit: ask for its halves.
         *
         *     Permission: `$survey_response:list`.
         */
        get: operations["listResponseDigests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/external/survey-campaigns/{survey_campaign_id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a survey link
         * @description Idempotent: the campaign and `metadata_mapping` are the key. If the campaign has a link of this mapping, that link is returned unchanged, with the name that it has, even if the campaign has its maximum number of links.
         *
         *     Permission: `$survey_link:create`.
         */
        post: operations["createLink"];
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
        SurveyQuestionResponse: {
            /** @example 12 */
            id: number;
            /**
             * @example multiple_choice
             * @enum {string}
             */
            type: "matrix" | "checkbox" | "multiple_choice" | "text" | "ranking";
            /**
             * @example csat
             * @enum {string|null}
             */
            metric_type: "nps" | "ces" | "csat" | null;
            /** @example Anh/chị hài lòng với dịch vụ ở mức nào? */
            title: string;
            /**
             * @description Titles by option id, of checkbox, multiple_choice and ranking questions.
             * @example {
             *       "1": "Rất hài lòng",
             *       "2": "Hài lòng",
             *       "3": "Không hài lòng"
             *     }
             */
            option_titles_by_id: {
                [key: string]: string;
            } | null;
            /**
             * @description Titles by row id, of matrix questions.
             * @example null
             */
            row_titles_by_id: {
                [key: string]: string;
            } | null;
            /**
             * @description Titles of the columns, of matrix questions.
             * @example null
             */
            column_titles: string[] | null;
        };
        CampaignResponse: {
            /**
             * Format: uuid
             * @example 0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01
             */
            id: string;
            /** @example Khảo sát sau mua hàng */
            name: string;
            /**
             * Format: date-time
             * @description The latest interaction: sent, sending failed, opened or answered.
             * @example 2026-11-20T08:15:30.000Z
             */
            last_interacted_at: string | null;
            /** @description In the order of the survey. */
            survey_questions: components["schemas"]["SurveyQuestionResponse"][];
        };
        CampaignPageResponse: {
            /**
             * @description Items on all pages.
             * @example 1
             */
            total: number;
            /** @example 1 */
            page: number;
            /** @example 10 */
            per_page: number;
            /**
             * @description 0 if there are no items.
             * @example 1
             */
            pages: number;
            items: components["schemas"]["CampaignResponse"][];
        };
        SurveyResponseDto: {
            /**
             * Format: uuid
             * @example 0b0f8f0e-0f54-4ac7-8a3c-1d3f6a1d9b11
             */
            identifier: string;
            /**
             * Format: date-time
             * @description When the survey was sent.
             * @example 2026-11-19T02:00:00.000Z
             */
            sent_timestamp: string | null;
            /**
             * Format: date-time
             * @description When sending failed.
             * @example null
             */
            sending_failed_timestamp: string | null;
            /**
             * Format: date-time
             * @description When it was opened.
             * @example 2026-11-19T02:14:05.000Z
             */
            opened_timestamp: string | null;
            /**
             * Format: date-time
             * @description When it was answered.
             * @example 2026-11-19T02:16:41.000Z
             */
            answered_timestamp: string | null;
            /** @example Nguyễn Thị Hoa */
            user_name: string | null;
            /** @example +84 90 123 4567 */
            user_phone: string | null;
            /** @example hoa@example.com */
            user_email: string | null;
            /**
             * @description The distribution channel.
             * @example Zalo
             * @enum {string|null}
             */
            source: "Anonymous Link" | "POS" | "Website" | "Zalo" | "Email" | "Mobile" | null;
            /** @example INV-20261119-0042 */
            transaction_id: string | null;
            /**
             * @description Values by metadata variable.
             * @example {
             *       "store": "Hà Nội 01",
             *       "cashier": "NV-17"
             *     }
             */
            metadata_mappings: {
                [key: string]: unknown;
            } | null;
            /**
             * @description By question id. text: the text; multiple_choice: the option id; checkbox: option ids; matrix: column titles by row id; ranking: ranks from 1 by option id. An option that has no id ("other: …") is its text.
             * @example {
             *       "11": "Nhân viên rất nhiệt tình",
             *       "12": "1",
             *       "13": [
             *         "2",
             *         "Khác: bãi xe"
             *       ],
             *       "14": {
             *         "1": "Tốt",
             *         "2": "Rất tốt"
             *       },
             *       "15": {
             *         "1": 2,
             *         "2": 1
             *       }
             *     }
             */
            answers: {
                [key: string]: unknown;
            } | null;
        };
        SurveyResponsePageDto: {
            /**
             * @description Items on all pages.
             * @example 1
             */
            total: number;
            /** @example 1 */
            page: number;
            /** @example 10 */
            per_page: number;
            /**
             * @description 0 if there are no items.
             * @example 1
             */
            pages: number;
            items: components["schemas"]["SurveyResponseDto"][];
        };
        ResponseKey: {
            /**
             * Format: uuid
             * @example 0b0f8f0e-0f54-4ac7-8a3c-1d3f6a1d9b11
             */
            identifier: string;
        };
        ResponseUpsert: {
            /** @enum {string} */
            op: "upsert";
            /**
             * @description Grows in the order of commits.
             * @example 1041
             */
            change: number;
            key: components["schemas"]["ResponseKey"];
            /**
             * Format: uuid
             * @example 0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01
             */
            survey_campaign_id: string;
            /**
             * @description The first 8 bytes, in hexadecimal, of SHA-256 over the canonical JSON (RFC 8785) of `key`, `survey_campaign_id` and `row`.
             * @example 9f86d081884c7d65
             */
            digest: string;
            row: components["schemas"]["SurveyResponseDto"];
        };
        ResponseDelete: {
            /** @enum {string} */
            op: "delete";
            /** @example 1042 */
            change: number;
            key: components["schemas"]["ResponseKey"];
            /** @enum {string} */
            reason: "removed" | "erased" | "expired";
        };
        ResponseChangePageResponse: {
            items: (components["schemas"]["ResponseUpsert"] | components["schemas"]["ResponseDelete"])[];
            /**
             * @description The copy that has applied the items holds everything up to this number: compare digests at it.
             * @example 1042
             */
            change: number;
            /**
             * @description Continues after the last item.
             * @example eyJlcG9jaCI6ImI3YzQifQ
             */
            next_cursor: string;
            /** @description Whether there are changes after the last item. If not, the copy is complete. */
            has_more: boolean;
        };
        ResponseDayDigest: {
            /**
             * Format: uuid
             * @example 0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01
             */
            survey_campaign_id: string;
            /**
             * Format: date
             * @description In UTC+7.
             * @example 2026-11-19
             */
            date: string;
            /**
             * @description Responses whose earliest timestamp falls on this day.
             * @example 312
             */
            rows: number;
            /**
             * @description The XOR of the digests of these rows, in hexadecimal.
             * @example 5f1c0a7b4d3e2f10
             */
            digest: string;
        };
        ResponseDigestsResponse: {
            /**
             * @description The last number of the organization. Read the changes up to it before you compare.
             * @example 1043
             */
            change: number;
            /**
             * @description Where a copy that equals the digests goes on in the changes.
             * @example eyJlcG9jaCI6ImI3YzQifQ
             */
            cursor: string;
            /** @description By campaign and day, in order. */
            items: components["schemas"]["ResponseDayDigest"][];
        };
        MetadataAssociationRequest: {
            /**
             * @description Id of a metadata field of the organization.
             * @example 3
             */
            metadata_id: number;
            /**
             * @description Absent is `null`. A list holds any JSON values, at most 32 KiB as JSON; a text in it has at most 2000 characters.
             * @example Hà Nội 01
             */
            value?: string | number | unknown[] | null;
        };
        CreateLinkRequest: {
            /**
             * @description Whitespace around it is trimmed. Not part of the key.
             * @example Cửa hàng Hà Nội 01
             */
            name: string;
            /** @description Together with the campaign the key: its order does not matter, each field is named once; absent, `null` and `[]` are the same. */
            metadata_mapping?: components["schemas"]["MetadataAssociationRequest"][] | null;
        };
        MetadataFieldResponse: {
            /** @example 3 */
            id: number;
            /** @example Cửa hàng */
            name: string;
            /** @example store */
            variable: string;
        };
        MetadataMappingItemResponse: {
            metadata: components["schemas"]["MetadataFieldResponse"];
            /** @example Hà Nội 01 */
            value: string | number | unknown[] | null;
        };
        LinkResponse: {
            /** @example 41 */
            id: number;
            /**
             * @description Identifies the link in the public address of the survey.
             * @example pT3bV9sXq0mJ2cK8wLr5Zg
             */
            public_id: string;
            /** @example Cửa hàng Hà Nội 01 */
            name: string;
            metadata_mapping: components["schemas"]["MetadataMappingItemResponse"][];
            /**
             * Format: date-time
             * @example 2026-11-20T08:15:30.000Z
             */
            created: string;
            /**
             * Format: date-time
             * @example 2026-11-20T08:15:30.000Z
             */
            updated: string;
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
    listCampaigns: {
        parameters: {
            query?: {
                /** @description From 1; 0 is the first page, too. The answer contains the page that was used. */
                page?: number;
                /** @description 0 is the default. The answer contains the size that was used. */
                per_page?: number;
                /** @description Only these campaigns. The parameter may be repeated, bracketed (`survey_campaign_ids[]=`) or comma-separated. */
                survey_campaign_ids?: string[];
                /** @description Only campaigns of these statuses. Default: all but `deleted`. Arrays are written as for the ids. */
                statuses?: ("draft" | "active" | "inactive" | "deleted")[];
                /** @description Only campaigns with an interaction on this day (UTC+7) or later. */
                has_interaction_from?: string;
                /** @description Only campaigns whose name contains this text, regardless of case. */
                search?: string;
            };
            header?: never;
            path?: never;
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
                    "application/json": components["schemas"]["CampaignPageResponse"];
                };
            };
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
    listResponses: {
        parameters: {
            query: {
                /** @description The campaign. */
                survey_campaign_id: string;
                /** @description The first day, in UTC+7. A response belongs to the day of its earliest timestamp. */
                start_date: string;
                /** @description The last day, in UTC+7, included. */
                end_date: string;
                /** @description From 1; 0 is the first page, too. The answer contains the page that was used. */
                page?: number;
                /** @description 0 is the default. The answer contains the size that was used. */
                per_page?: number;
            };
            header?: never;
            path?: never;
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
                    "application/json": components["schemas"]["SurveyResponsePageDto"];
                };
            };
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description Missing or invalid parameters; or the organization has no such campaign */
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
    exportResponses: {
        parameters: {
            query: {
                /** @description The campaign. */
                survey_campaign_id: string;
                /** @description The first day, in UTC+7. A response belongs to the day of its earliest timestamp. */
                start_date: string;
                /** @description The last day, in UTC+7, included. */
                end_date: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export. If it fails after its start, the connection is cut. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    /** @description Responses in the window, whether or not they are exported */
                    "X-Total-Count": number;
                    /** @description Whether the limit of 5000 rows left some out */
                    "X-Export-Truncated": boolean;
                    /** @description The first day of the window that was used */
                    "X-Export-Start-Date": string;
                    /** @description The name of the file; not for JSON */
                    "content-disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-16le": string;
                    /**
                     * @example Response ID,Timestamp sent
                     *     0b0f8f0e-0f54-4ac7-8a3c-1d3f6a1d9b11,2026-11-19 09:00:00
                     */
                    "text/csv; charset=utf-8": string;
                    "application/json": {
                        items: {
                            [key: string]: string | number | null;
                        }[];
                    };
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description Missing or invalid parameters; or the organization has no such campaign */
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
    listResponseChanges: {
        parameters: {
            query?: {
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
            /** @description One page, or, with `Accept: application/x-ndjson`, all changes after the cursor. */
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
                    "application/json": components["schemas"]["ResponseChangePageResponse"];
                    "application/x-ndjson": string;
                };
            };
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
    listResponseDigests: {
        parameters: {
            query: {
                /** @description The first day, in UTC+7. A response belongs to the day of its earliest timestamp. */
                start_date: string;
                /** @description The last day, in UTC+7, included. */
                end_date: string;
                /** @description Only responses of this campaign. */
                survey_campaign_id?: string;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseDigestsResponse"];
                };
            };
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description Missing or invalid parameters; or too much in the window */
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
    createLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                survey_campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLinkRequest"];
            };
        };
        responses: {
            /** @description The link, new or not. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "x-request-id": components["headers"]["x-request-id"];
                    /** @description The public address of the survey: `<https://…/s/{public_id}>; rel="alternate"; type="text/html"`. Only if the service has public survey pages, and the link at most 32 KiB of metadata. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkResponse"];
                };
            };
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The campaign does not exist */
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
            /** @description Invalid body; or the campaign has the maximum number of links */
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
                    "application/json": components["schemas"]["DetailListError"] | components["schemas"]["DetailMessageError"];
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
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
            /** @description Missing or invalid token */
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
                    "application/json": components["schemas"]["DetailError"];
                };
            };
            /** @description The token lacks the permission */
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
                    "application/json": components["schemas"]["DetailError"];
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
