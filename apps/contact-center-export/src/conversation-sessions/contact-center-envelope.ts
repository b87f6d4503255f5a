import { detailEnvelope } from '@cxp/error-envelopes';

const UNAUTHORIZED = { status: 401, content: { message: 'Unauthorized' } };

/** Area B answers a missing permission like a missing token, and names what it did not find. */
export const contactCenterEnvelope = detailEnvelope({
  unauthenticated: () => UNAUTHORIZED,
  permission_missing: () => UNAUTHORIZED,
  resource_not_found: ({ model, id }) => ({ content: { message: `${model} with id ${id} was not found` } }),
});
