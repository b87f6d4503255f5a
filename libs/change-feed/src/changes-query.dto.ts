import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import type { Problem } from '@cxp/error-envelopes';
import { IntegerParameter } from '@cxp/pagination';

const MAX_LIMIT = 1_000;

const MAX_WAIT_SECONDS = 25;

export class ChangesQuery {
  @ApiPropertyOptional({
    description:
      'A `cursor` or next cursor of this endpoint: the answer continues after it. Without it the reading starts at the beginning.',
  })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{0,200}$/, { message: '$property must be empty, or a cursor that an answer gave' })
  cursor?: string;

  @IntegerParameter({
    minimum: 1,
    maximum: MAX_LIMIT,
    default: 500,
    description:
      'The maximum number of items. If rows are large, an answer holds fewer, and says that there are more.',
  })
  limit: number = 500;

  @IntegerParameter({
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    description:
      'Seconds. If there is no change after the cursor, the request waits up to this long and is answered as soon as there is one.',
  })
  wait: number = 0;
}

export const CURSOR_PROBLEMS: Readonly<Record<string, Problem>> = {
  'a removal that the reader has not seen is no longer kept, or the database was restored or has failed over':
    {
      code: 'cursor_expired',
    },
  'invalid parameters, or a cursor that was not issued for this organization and endpoint': {
    code: 'invalid',
    items: [
      {
        loc: ['query', 'cursor'],
        msg: 'cursor must be empty, or a cursor that this endpoint gave to the organization',
        type: 'value_error',
      },
    ],
  },
};
