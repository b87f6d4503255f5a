import { DAY_MS } from '../business-hours';
import type { WindowQuery } from './conversation-session.dto';
import type { FilterValues, SessionFilter } from './filters';

/** Reads the query's dates as whole days in its timezone. */
export function sessionFilter(query: WindowQuery & FilterValues): SessionFilter {
  const { startDate, endDate, timezone } = query;
  return {
    ...query,
    startsAt: timezone.startOf(Date.parse(startDate) / DAY_MS),
    endsAt: timezone.startOf(Date.parse(endDate) / DAY_MS + 1),
  };
}
