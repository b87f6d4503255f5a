import { detail, detailEnvelope } from '@cxp/error-envelopes';

const UNAUTHORIZED = detail(401, { message: 'Unauthorized' });

/** Area B answers a missing permission like a missing token, and names what it did not find. */
export const contactCenterEnvelope = detailEnvelope({
  unauthenticated: UNAUTHORIZED,
  permissionMissing: UNAUTHORIZED,
  resourceNotFound: (model, id) => ({ message: `${model} with id ${id} was not found` }),
});
