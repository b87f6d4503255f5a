import { createHash } from 'node:crypto';
import { STYLE_HASH } from './view/document';

/** Nothing but our own style, script and pictures; no frame unless a setting allows it. @param brandStyle of the page, beside its own */
export function contentPolicy(frameAncestors: readonly string[], brandStyle?: string): string {
  const brandHash = brandStyle && `sha256-${createHash('sha256').update(brandStyle).digest('base64')}`;
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': `'${STYLE_HASH}'${brandHash ? ` '${brandHash}'` : ''}`,
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'",
  };
  return Object.entries(policy)
    .map((directive) => directive.join(' '))
    .join('; ');
}
