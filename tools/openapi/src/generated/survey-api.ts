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
         * @description With their questions. The latest interaction first, campaigns without one last, then by id.
         */
        get: operations["CampaignController_list"];
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
         * @description The responses of one campaign, by their earliest timestamp, then by `identifier`. With `cursor` in the order of their changes instead: `page` is not used then, `total` and `pages` still count the whole window.
         */
        get: operations["ResponseController_list"];
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
         * @description A file with one row per response, in the order of the list, or with `cursor` in that of changes. Columns: Response ID, Timestamp sent, Timestamp sending failed, Timestamp opened, Timestamp answered, Customer name, Customer phone, Customer email, Distribution channel, Transaction ID, Campaign ID, Campaign Name, Touchpoints, Tags; then a column for each question (`Question 12: title`; for matrix and ranking questions one for each row or option, `Question 14 - 2: title - row title`); then one for each metadata variable. Times are `YYYY-MM-DD HH:mm:ss` in UTC+7, lists are joined with `|`, a missing value is an empty cell. At most 5000 rows, the earliest ones; of a longer window, the last 90 days. The `X-` headers say what was left out. `Accept` asks for another format; whoever takes several equally gladly gets the file. There is no request body.
         */
        post: operations["ResponseExportController_export"];
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
         * @description Idempotent: the campaign and `metadata_mapping` are the key. A repeat returns the existing link as it is, under whatever name it has, even when the campaign has all the links that it may have.
         */
        post: operations["LinkController_create"];
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
             * @example f3b1c5de-2f7e-4c8e-9a53-5d0a6c3d1e42
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
             * @description Items on all pages together.
             * @example 1
             */
            total: number;
            /** @example 1 */
            page: number;
            /** @example 10 */
            per_page: number;
            /**
             * @description 0 when there are no items.
             * @example 1
             */
            pages: number;
            items: components["schemas"]["CampaignResponse"][];
        };
        SurveyResponseResponse: {
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
        ResponsePageResponse: {
            /**
             * @description Items on all pages together.
             * @example 1
             */
            total: number;
            /** @example 1 */
            page: number;
            /** @example 10 */
            per_page: number;
            /**
             * @description 0 when there are no items.
             * @example 1
             */
            pages: number;
            items: components["schemas"]["SurveyResponseResponse"][];
            /**
             * @description Only when `cursor` was sent: the cursor of the next call, whether there are items yet or not.
             * @example Y2hhbmdlOjEyMDQ
             */
            next_cursor?: string;
        };
        MetadataAssociationRequest: {
            /**
             * @description Id of a metadata field of the organization.
             * @example 3
             */
            metadata_id: number;
            /**
             * @description Absent is `null`.
             * @example Hà Nội 01
             */
            value?: string | number | null | (string | number | null)[];
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
        LinkMetadataResponse: {
            /** @example 3 */
            id: number;
            /** @example Cửa hàng */
            name: string;
            /** @example store */
            variable: string;
        };
        MetadataMappingItemResponse: {
            metadata: components["schemas"]["LinkMetadataResponse"];
            /** @example Hà Nội 01 */
            value: string | number | null | (string | number | null)[];
        };
        LinkResponse: {
            /** @example 41 */
            id: number;
            /**
             * @description What the address of the survey names.
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
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    CampaignController_list: {
        parameters: {
            query?: {
                /** @description Only these campaigns. Repeated, bracketed (`survey_campaign_ids[]=`) or separated by commas. */
                survey_campaign_ids?: string[];
                /** @description Only campaigns of these statuses; without it, all but `deleted`. Written like the ids. */
                statuses?: ("draft" | "active" | "inactive" | "deleted")[];
                /** @description Only campaigns with an interaction on this day (UTC+7) or later. */
                has_interaction_from?: string;
                /** @description A part of the name, without case. Empty: no filter. */
                search?: string;
                /** @description From 1; 0 means the first page too. The answer says which page it is. */
                page?: number;
                /** @description 0 means the default. The answer says which size was used. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignPageResponse"];
                };
            };
            /** @description Missing or invalid token */
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
                        detail: string;
                    };
                };
            };
            /** @description The token lacks the permission */
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
                        detail: string;
                    };
                };
            };
            /** @description Invalid parameters */
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
    ResponseController_list: {
        parameters: {
            query: {
                /** @description The campaign. */
                survey_campaign_id: string;
                /** @description The first day, in UTC+7. A response belongs to the day of its earliest timestamp. */
                start_date: string;
                /** @description The last day, in UTC+7, included. */
                end_date: string;
                /** @description Follows changes: the responses of the window that are new or changed since the answer that gave this cursor, in the order of their changes; empty: from the beginning. Nothing is left out and nothing repeated, unless it changed again. Let `end_date` lie ahead: a response outside the window is not shown later. */
                cursor?: string;
                /** @description From 1; 0 means the first page too. The answer says which page it is. */
                page?: number;
                /** @description 0 means the default. The answer says which size was used. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponsePageResponse"];
                };
            };
            /** @description Missing or invalid token */
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
                        detail: string;
                    };
                };
            };
            /** @description The token lacks the permission */
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
                        detail: string;
                    };
                };
            };
            /** @description Missing or invalid parameters; or the organization has no such campaign */
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
    ResponseExportController_export: {
        parameters: {
            query: {
                /** @description The campaign. */
                survey_campaign_id: string;
                /** @description The first day, in UTC+7. A response belongs to the day of its earliest timestamp. */
                start_date: string;
                /** @description The last day, in UTC+7, included. */
                end_date: string;
                /** @description Follows changes: the responses of the window that are new or changed since the answer that gave this cursor, in the order of their changes; empty: from the beginning. Nothing is left out and nothing repeated, unless it changed again. Let `end_date` lie ahead: a response outside the window is not shown later. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export. A failure midway cuts the connection off before the end. */
            200: {
                headers: {
                    /** @description Responses in the window, exported or not */
                    "X-Total-Count"?: number;
                    /** @description Whether the limit of 5000 rows left some out */
                    "X-Export-Truncated"?: boolean;
                    /** @description The first day that was used, moved or not */
                    "X-Export-Start-Date"?: string;
                    /** @description Only when `cursor` was sent: that of the next call */
                    "X-Export-Next-Cursor"?: string;
                    /** @description The name of the file, of those formats that are files */
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
                    "application/x-ndjson": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
            /** @description Missing or invalid token */
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
                        detail: string;
                    };
                };
            };
            /** @description The token lacks the permission */
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
                        detail: string;
                    };
                };
            };
            /** @description Missing or invalid parameters; or the organization has no such campaign */
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
    LinkController_create: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkResponse"];
                };
            };
            /** @description Missing or invalid token */
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
                        detail: string;
                    };
                };
            };
            /** @description The token lacks the permission */
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
                        detail: string;
                    };
                };
            };
            /** @description The campaign does not exist */
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
                            params: {
                                model: string;
                            };
                        };
                    };
                };
            };
            /** @description Body too large */
            413: {
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
            /** @description Invalid body; or the campaign has the maximum number of links */
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
                        }[] | {
                            message: string;
                            params: {
                                model: string;
                                threshold: number;
                            };
                        };
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
