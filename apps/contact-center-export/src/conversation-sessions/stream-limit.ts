import type { Provider } from '@nestjs/common';
import { ConcurrencyLimit } from '@cxp/rate-limit';

export const STREAM_LIMIT = Symbol('stream limit');

/** Streams hold no connection while their client does not read, only memory: some rows each. */
export const streamLimit: Provider = {
  provide: STREAM_LIMIT,
  useFactory: () => new ConcurrencyLimit({ perOrganization: 8, total: 64 }),
};
