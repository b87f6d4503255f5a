import { ErasedKeys } from '@cxp/erasure';
import { surveyDatabase } from '../database';

/** The keys of what was erased in area C. */
export const erasedKeys = new ErasedKeys(surveyDatabase.schema);
