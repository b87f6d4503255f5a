export { ErasedKeys, keyText } from './erased-keys';
export {
  type Erased,
  type ErasedKeysOfTypes,
  type ErasureArea,
  type ErasureMode,
  type Found,
  isNoNewData,
  type RecordKey,
} from './erasure-area';
export { createErasureTables } from './erasure-tables';
export { ERASURE_AREAS, isKeys } from './erasure.dto';
export { ErasureModule } from './erasure.module';
export { ErasureService, type Certificate } from './erasure.service';
export { type Aged, oldestFirst } from './oldest-first';
export { type Expired, type ExpiringData, expiryOf, Retention } from './retention';
export {
  comparableEmail,
  comparablePhone,
  createComparableFunctions,
  identifierKeys,
  isBlank,
  isIdentifierOf,
  MAX_IDENTIFIER_LENGTH,
  MAX_IDENTIFIERS,
  type Subject,
} from './subject';
