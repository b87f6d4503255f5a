export {
  CODES_OF_401,
  ERROR_CODES,
  MAX_PROBLEMS,
  MAX_RECORD_PROBLEMS,
  ProblemError,
  rejectAsInvalid,
  type AuthenticationFailure,
  type InvalidItem,
  type Problem,
} from './problem';
export {
  commonEnvelope,
  detailEnvelope,
  messageEnvelope,
  type Envelope,
  type ErrorAnswer,
} from './envelopes';
export { envelopeByPath, EnvelopeFilter, sendProblem, type EnvelopeOf } from './envelope.filter';
export { validationItems, validationSentences, type ValidationProblems } from './validation-problems';
