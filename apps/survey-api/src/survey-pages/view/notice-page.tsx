import type { Language } from '../page-language';
import { PAGE_TEXTS, type NoticeKind } from '../page-texts';
import type { PageBrand } from '../page-brand';
import { BrandMark, renderDocument } from './document';

/** The survey that was answered, or that is closed; the name of one that is closed is not shown. */
export interface NoticeSurvey {
  readonly name?: string;
  readonly brand: PageBrand | undefined;
}

/** A page with one message: thank you, or why there is no survey. */
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
            {PAGE_TEXTS[language].survey}: <bdi>{survey.name}</bdi>
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
