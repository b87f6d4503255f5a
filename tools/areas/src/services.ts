/** What a service of the workspace is called, and where it listens. The one table: all other lists are made from it. */
export interface Service {
  /** The Nx project, below `apps/`. */
  readonly app: string;
  /** What `cxp` calls its area. */
  readonly area: string;
  readonly portVariable: string;
  /** The port of the local stack. */
  readonly defaultPort: number;
  /** Its key in the `urls` of `demo.json`. */
  readonly urlKey: string;
}

export const webchat: Service = {
  app: 'webchat-gateway',
  area: 'webchat',
  portVariable: 'WEBCHAT_PORT',
  defaultPort: 3001,
  urlKey: 'webchat',
};

export const contactCenter: Service = {
  app: 'contact-center-export',
  area: 'contact-center',
  portVariable: 'CONTACT_CENTER_PORT',
  defaultPort: 3002,
  urlKey: 'contactCenter',
};

export const survey: Service = {
  app: 'survey-api',
  area: 'survey',
  portVariable: 'SURVEY_PORT',
  defaultPort: 3003,
  urlKey: 'survey',
};

export const services: readonly Service[] = [webchat, contactCenter, survey];
