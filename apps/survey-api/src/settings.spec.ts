import { loadSettings } from '@cxp/service-kit';
import { SurveySettings } from './settings';

const SOUND = { DATABASE_URL: 'postgres://localhost/cxp', REDIS_URL: 'redis://localhost' };
const WITH_PAGES = {
  ...SOUND,
  SURVEY_PUBLIC_URL: 'https://s.example.com',
};

const load = (environment: Record<string, string>) => loadSettings(SurveySettings, environment);

describe('the settings of the survey pages', () => {
  it('turn no pages on by default', () => {
    expect(load(SOUND)).toMatchObject({
      SURVEY_FRAME_ANCESTORS: [],
      SURVEY_PUBLIC_VIEW_PER_SEC_LIMIT: 20,
      SURVEY_PUBLIC_VIEW_PER_MIN_LIMIT: 300,
      SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT: 5,
      SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 60,
    });
    expect(load(SOUND).SURVEY_PUBLIC_URL).toBeUndefined();
  });

  it('are a URL, keys of which the first seals, and the sites that may frame the pages', () => {
    const SURVEY_FRAME_ANCESTORS = "'self' https://www.example.com,https://*.example.org:8443";
    expect(load({ ...WITH_PAGES, SURVEY_FRAME_ANCESTORS })).toMatchObject({
      SURVEY_PUBLIC_URL: 'https://s.example.com',
      SURVEY_FRAME_ANCESTORS: ["'self'", 'https://www.example.com', 'https://*.example.org:8443'],
    });
  });

  it.each(['http://localhost:3003', 'https://example.com/surveys'])(
    'take the URL %s',
    (SURVEY_PUBLIC_URL) => {
      expect(load({ ...WITH_PAGES, SURVEY_PUBLIC_URL })).toMatchObject({ SURVEY_PUBLIC_URL });
    },
  );

  it.each([
    ['SURVEY_RESPONSES_KEPT_DAYS', '0'],
    ['SURVEY_RESPONSES_KEPT_DAYS', 'a year'],
    ['SURVEY_PUBLIC_URL', 's.example.com'],
    ['SURVEY_PUBLIC_URL', 'ftp://s.example.com'],
    ['SURVEY_PUBLIC_URL', 'https://s.example.com/'],
    ['SURVEY_PUBLIC_URL', 'https://s.example.com?a=b'],
    ['SURVEY_PUBLIC_URL', 'https://s.example.com/a#b'],
    ['SURVEY_PUBLIC_URL', 'https://user:secret@s.example.com'],
    ['SURVEY_PUBLIC_URL', 'https://s.example.com/>; rel="x"'],
    ['SURVEY_FRAME_ANCESTORS', 'https://a.example.com; script-src *'],
    ['SURVEY_FRAME_ANCESTORS', '*'],
    ['SURVEY_FRAME_ANCESTORS', 'javascript:'],
    ['SURVEY_PUBLIC_VIEW_PER_SEC_LIMIT', '0'],
    ['SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT', '0'],
    ['SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT', 'many'],
  ])('refuse %s=%s', (variable, value) => {
    expect(() => load({ ...WITH_PAGES, [variable]: value })).toThrow(variable);
  });
});
