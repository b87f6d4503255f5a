import { ERASURE_GRANTS } from '@cxp/erasure';
import { REJECTED_RECORD_OPERATOR_GRANTS, UNSTORED_RECORD_GRANTS } from '@cxp/record-intake';
import type { DatabaseArea } from '@cxp/storage';
import { CreateWebchat1763700100000 } from './migrations/1763700100000-create-webchat';
import { CreateErasure1763800000000 } from './migrations/1763800000000-create-erasure';
import { IndexErasure1763800001000 } from './migrations/1763800001000-index-erasure';

export const webchatDatabase: DatabaseArea = {
  name: 'webchat',
  schema: 'webchat',
  migrations: [CreateWebchat1763700100000, CreateErasure1763800000000, IndexErasure1763800001000],
  servingGrants: {
    installed_source: ['SELECT', 'INSERT', 'UPDATE'],
    conversation: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    conversation_identifier: ['SELECT', 'INSERT', 'DELETE'],
    message: ['SELECT', 'INSERT', 'DELETE'],
    activity: ['SELECT', 'INSERT', 'DELETE'],
    event: ['SELECT', 'INSERT', 'DELETE'],
    rating: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    outbox: ['SELECT', 'INSERT', 'DELETE'],
    rejected_record: UNSTORED_RECORD_GRANTS.rejected_record!,
    ...ERASURE_GRANTS,
  },
  operatorGrants: REJECTED_RECORD_OPERATOR_GRANTS,
};
