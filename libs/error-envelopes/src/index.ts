export {
  MAX_PROBLEMS,
  MAX_RECORD_PROBLEMS,
  ProblemError,
  rejectAsInvalid,
  type InvalidItem,
  type Problem,
} from './problem';
export { type AuthenticationFailure } from './error-codes';
export { type Envelope, type ErrorAnswer } from './envelope';
export { messageEnvelope } from './message-envelope';
export { detail, detailEnvelope, type DetailWording } from './detail-envelope';
export { commonEnvelope, commonWording } from './common-wording';
export { envelopeByPath, EnvelopeFilter, sendProblem, type EnvelopeOf } from './envelope.filter';
export { validationItems, validationSentences, type ValidationProblems } from './validation-problems';
