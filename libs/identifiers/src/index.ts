export { comparableEmail, comparablePhone, identifierKeys, MAX_IDENTIFIER_LENGTH } from './identifiers';
