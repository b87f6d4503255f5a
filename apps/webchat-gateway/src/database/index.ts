import type { DatabaseArea } from '@cxp/storage';
import { CreateWebchat1763700100000 } from './migrations/1763700100000-create-webchat';
import { CreateMessages1763700500000 } from './migrations/1763700500000-create-messages';
import { AddOutboxAge1763800000000 } from './migrations/1763800000000-add-outbox-age';
import { CreateEvents1763800100000 } from './migrations/1763800100000-create-events';
import { CountEvents1763800200000 } from './migrations/1763800200000-count-events';
import { NumberExistingEvents1763800300000 } from './migrations/1763800300000-number-existing-events';

export const webchatDatabase: DatabaseArea = {
  name: 'webchat',
  schema: 'webchat',
  migrations: [
    CreateWebchat1763700100000,
    CreateMessages1763700500000,
    AddOutboxAge1763800000000,
    CreateEvents1763800100000,
    CountEvents1763800200000,
    NumberExistingEvents1763800300000,
  ],
};
