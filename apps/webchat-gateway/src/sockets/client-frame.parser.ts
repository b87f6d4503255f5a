import { Ajv, type ValidateFunction } from 'ajv';
import { unstorableTextPaths } from '@cxp/storage';
import { CLIENT_FRAMES } from './frame-schemas';
import type { ClientFrame } from './frames';

const ajv = new Ajv({ strict: true, strictSchema: 'log', logger: false });
const validators = new Map<unknown, ValidateFunction>(
  Object.entries(CLIENT_FRAMES).map(([type, { schema }]) => [type, ajv.compile(schema)]),
);

/** A frame of a client, or what is wrong with it; unknown properties are ignored. */
export function parseClientFrame(text: string): ClientFrame | { readonly invalid: string } {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return { invalid: 'A frame must be JSON' };
  }
  const validate = validators.get((frame as { type?: unknown } | null)?.type);
  if (!validate) return { invalid: `type must be one of: ${[...validators.keys()].join(', ')}` };
  if (!validate(frame)) return { invalid: ajv.errorsText(validate.errors, { dataVar: 'frame' }) };
  if (unstorableTextPaths(frame).length > 0) return { invalid: 'Text must be Unicode without NUL' };
  return frame as ClientFrame;
}
