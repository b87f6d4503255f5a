import { REJECTED_RECORD_OPERATOR_GRANTS, UNSTORED_RECORD_GRANTS } from '@cxp/record-intake';
import type { DatabaseArea } from '@cxp/storage';
import { CreateWebchat1763700100000 } from './migrations/1763700100000-create-webchat';

export const webchatDatabase: DatabaseArea = {
  name: 'webchat',
  schema: 'webchat',
  migrations: [CreateWebchat1763700100000],
  servingGrants: {
    installed_source: ['SELECT', 'INSERT', 'UPDATE'],
    conversation: ['SELECT', 'INSERT', 'UPDATE'],
    message: ['SELECT', 'INSERT'],
    activity: ['SELECT', 'INSERT'],
    event: ['SELECT', 'INSERT'],
    rating: ['SELECT', 'INSERT', 'UPDATE'],
    outbox: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    rejected_record: UNSTORED_RECORD_GRANTS.rejected_record!,
  },
  operatorGrants: REJECTED_RECORD_OPERATOR_GRANTS,
};
