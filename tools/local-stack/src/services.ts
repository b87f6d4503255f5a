import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing';

/** A service as the local stack runs it. */
export interface LocalService {
  /** The Nx project. */
  readonly app: string;
  /** What `cxp` calls its area. */
  readonly area: string;
  readonly portVariable: string;
  readonly defaultPort: number;
  /** Its key in the `urls` of `demo.json`. */
  readonly urlKey: string;
}

const allServices: readonly LocalService[] = [
  {
    app: 'webchat-gateway',
    area: 'webchat',
    portVariable: 'WEBCHAT_PORT',
    defaultPort: 3001,
    urlKey: 'webchat',
  },
  {
    app: 'contact-center-export',
    area: 'contact-center',
    portVariable: 'CONTACT_CENTER_PORT',
    defaultPort: 3002,
    urlKey: 'contactCenter',
  },
  { app: 'survey-api', area: 'survey', portVariable: 'SURVEY_PORT', defaultPort: 3003, urlKey: 'survey' },
];

export const localServices = allServices.filter(({ app }) =>
  existsSync(join(workspaceRoot, 'apps', app, 'src/main.ts')),
);
