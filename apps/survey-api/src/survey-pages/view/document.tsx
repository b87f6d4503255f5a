// eslint-disable-next-line @typescript-eslint/triple-slash-reference -- ambient: there is nothing to import
/// <reference path="./text-files.d.ts" />
import { createHash } from 'node:crypto';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { PageBrand } from '../brand';
import { type Language, type NoticeKind, PAGE_TEXTS } from '../page-texts';
import style from './survey-page.css';
import script from './survey-page.client.js';

export const PAGE_SCRIPT = {
  text: script,
  name: `survey-page.${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`,
  integrity: `sha256-${createHash('sha256').update(script).digest('base64')}`,
} as const;

/** The Content-Security-Policy allows the style in the page by this hash. */
export const STYLE_HASH = `sha256-${createHash('sha256').update(style).digest('base64')}`;

export interface DocumentProps {
  readonly language: Language;
  readonly title: string;
  readonly scriptUrl?: string;
  readonly brand?: PageBrand;
  readonly children: ComponentChildren;
}

function Document({ language, title, scriptUrl, brand, children }: DocumentProps): VNode {
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <meta name="format-detection" content="telephone=no" />
        <link rel="icon" href="data:," />
        <style dangerouslySetInnerHTML={{ __html: style }} />
        {brand && <style dangerouslySetInnerHTML={{ __html: brand.style }} />}
        {scriptUrl && <script src={scriptUrl} integrity={PAGE_SCRIPT.integrity} defer />}
      </head>
      <body>{children}</body>
    </html>
  );
}

export function BrandMark({ brand: { name, logoUrl } }: { brand: PageBrand }): VNode {
  return (
    <p class="brand">
      {logoUrl && <img src={logoUrl} alt="" />}
      <bdi>{name}</bdi>
    </p>
  );
}

/** The style is in the page itself: it is never shown without, whichever version of the service answers the next request. */
export function renderDocument(props: Omit<DocumentProps, 'children'>, content: VNode): string {
  return `<!doctype html>${renderToString(<Document {...props}>{content}</Document>)}`;
}

/** The survey that was answered, or that is closed; the name of one that is closed is not shown. */
export interface NoticeSurvey {
  readonly name?: string;
  readonly language?: Language | null;
  readonly brand: PageBrand | undefined;
}

export function renderNotice(kind: NoticeKind, language: Language, survey?: NoticeSurvey): string {
  const { title, text } = PAGE_TEXTS[language].notices[kind];
  return renderDocument(
    { language, title, brand: survey?.brand },
    <main class="notice">
      <div class="card">
        {survey?.brand && <BrandMark brand={survey.brand} />}
        <Icon isGood={kind === 'thanks'} />
        <h1>{title}</h1>
        <p>{text}</p>
        {survey?.name && (
          <p class="survey">
            {PAGE_TEXTS[language].survey}: <bdi lang={survey.language ?? undefined}>{survey.name}</bdi>
          </p>
        )}
      </div>
    </main>,
  );
}

function Icon({ isGood }: { isGood: boolean }) {
  return (
    <svg viewBox="0 0 64 64" fill="none" stroke="currentColor" stroke-width="4" aria-hidden="true">
      <circle cx="32" cy="32" r="29" />
      {isGood ? (
        <path d="m20 33 9 9 16-19" stroke-linecap="round" stroke-linejoin="round" />
      ) : (
        <path d="M32 18v18m0 9v1" stroke-linecap="round" />
      )}
    </svg>
  );
}
