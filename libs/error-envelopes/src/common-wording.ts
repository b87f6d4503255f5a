import { detail, detailEnvelope, type DetailWording } from './detail-envelope';

/** The survey endpoints' wording, which record intake shares in every area. */
export const commonWording: DetailWording = {
  unauthenticated: detail(401, 'Invalid or missing token'),
  permissionMissing: detail(403, 'Permission denied'),
  resourceNotFound: (model) => ({ message: 'not_found', params: { model } }),
};

/** The envelope of area C and of record intake. */
export const commonEnvelope = detailEnvelope(commonWording);
