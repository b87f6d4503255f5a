import { detail, detailEnvelope } from '@cxp/error-envelopes';

const UNAUTHORIZED = detail(401, { message: 'Unauthorized' });

/** Area B answers a missing permission like a missing token, and says which conversation it did not find. */
export const contactCenterEnvelope = detailEnvelope({
  unauthenticated: UNAUTHORIZED,
  permissionMissing: UNAUTHORIZED,
  resourceNotFound: (_model, id) => ({ message: `Conversation with id ${id} was not found` }),
});
