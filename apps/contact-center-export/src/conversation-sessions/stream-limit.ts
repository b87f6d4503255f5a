import type { Provider } from '@nestjs/common';
import { ConcurrencyLimit } from '@cxp/rate-limit';

export const STREAM_LIMIT = Symbol('stream limit');

export const ROW_GROUP_LIMIT = Symbol('row group limit');

/** A Parquet file holds a whole row group in memory: some ten megabytes. */
export const rowGroupLimit: Provider = {
  provide: ROW_GROUP_LIMIT,
  useFactory: () => new ConcurrencyLimit({ perOrganization: 2, total: 8 }),
};

/** Streams hold no connection while their client does not read, only memory: some rows each. */
export const streamLimit: Provider = {
  provide: STREAM_LIMIT,
  useFactory: () => new ConcurrencyLimit({ perOrganization: 8, total: 64 }),
};
