import { identifierKeys } from '@cxp/erasure';

/** The identifiers of a response: its phone, its email, and each text in its metadata, which may be either. */
export function personKeysOfResponse(response: {
  readonly user_phone: string | null;
  readonly user_email: string | null;
  readonly metadata_mappings: unknown;
}): string[] {
  const texts = textsIn(response.metadata_mappings);
  return identifierKeys([response.user_phone, ...texts], [response.user_email, ...texts]);
}

/** The identifiers of a link: each text in its metadata. */
export function personKeysOfMapping(mapping: readonly { readonly value: unknown }[]): string[] {
  const texts = textsIn(mapping.map(({ value }) => value));
  return identifierKeys(texts, texts);
}

/** All texts in a JSON value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
