export {
  comparableEmail,
  comparablePhone,
  identifierKeys,
  MAX_IDENTIFIER_LENGTH,
  textsIn,
} from './identifiers';
