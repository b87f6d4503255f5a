import { ERASURE_GRANTS } from '@cxp/erasure';
import type { DatabaseArea } from '@cxp/storage';
import { CreateWebchat1795600000000 } from './migrations/1795600000000-create-webchat';

export const webchatDatabase: DatabaseArea = {
  name: 'webchat',
  schema: 'webchat',
  migrations: [CreateWebchat1795600000000],
  servingGrants: {
    installed_source: ['SELECT', 'INSERT', 'UPDATE'],
    conversation: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    conversation_identifier: ['SELECT', 'INSERT', 'DELETE'],
    event: ['SELECT', 'INSERT', 'DELETE'],
    undelivered: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    ...ERASURE_GRANTS,
  },
  // Lists what is not delivered, and has it tried again.
  operatorGrants: { undelivered: ['SELECT', 'UPDATE'] },
};
