import { readDelimited, readTsv, readXlsx } from '@cxp/spreadsheet/testing';
import type { ResponseRecord } from '../src/responses/response-fields';
import { exportFixture } from './export-fixture';
import { missing, UNKNOWN_CAMPAIGN, useSurvey } from './survey-service';

const FILE = 'text/csv; charset=utf-16le';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const survey = useSurvey();

const send = (query?: object, accept?: string) => survey.exportResponses(query, accept);
const identifiersOf = (file: Buffer) =>
  readTsv(file)
    .slice(1)
    .map(([identifier]) => identifier);
const jsonOf = (body: unknown) => JSON.parse((body as Buffer).toString('utf8'));

describe('C3 export survey responses', () => {
  it('is a UTF-16LE file with tabs, quotes, all columns in order and one row per response', async () => {
    const { records, heading, texts } = exportFixture(survey.campaignId);
    await survey.import(...records);
    const { body, headers } = await send().expect(200);
    expect(headers).toMatchObject({
      'content-type': FILE,
      'content-disposition': `attachment; filename="survey-responses_${survey.campaignId}_2026-01-01_2026-01-31.csv"`,
      'x-total-count': '2',
      'x-export-truncated': 'false',
      'x-export-start-date': '2026-01-01',
    });
    expect(readTsv(body)).toEqual([heading, ...texts]);
    expect((body as Buffer).subarray(2).toString('utf16le')).toContain(
      '\t"Rất tốt,\r\ncảm ơn ""shop""\t😀"\tCó\t',
    );
  });

  it.each([
    ['*/*', FILE],
    ['text/csv', FILE],
    ['', FILE],
    ['text/html, */*', FILE],
    ['application/json, text/plain, */*', FILE],
    ['application/json', 'application/json'],
    ['text/csv; charset=utf-8', 'text/csv; charset=utf-8'],
    [XLSX, XLSX],
    ['application/vnd.apache.parquet, */*', FILE],
  ])('answers Accept: %s with %s', async (accept, contentType) => {
    await survey.importCampaign();
    const { headers } = await send({}, accept).expect(200);
    expect(headers).toMatchObject({
      'content-type': contentType,
      vary: 'Accept',
      'x-total-count': '0',
      'x-export-truncated': 'false',
      'x-export-start-date': '2026-01-01',
    });
  });

  it('has the same columns and cells in every other format', async () => {
    const { records, heading, cells, texts, dated } = exportFixture(survey.campaignId);
    await survey.import(...records);
    const rows = cells.map((row) => Object.fromEntries(row.map((cell, i) => [heading[i]!, cell])));

    const json = await send({}, 'application/json').expect(200);
    expect(jsonOf(json.body)).toEqual({ items: rows });
    expect(Object.keys(jsonOf(json.body).items[0])).toEqual(heading);

    const csv = await send({}, 'text/csv; charset=utf-8').expect(200);
    expect(readDelimited((csv.body as Buffer).toString('utf8'), ',')).toEqual([heading, ...texts]);

    const xlsx = await send({}, XLSX).expect(200);
    expect(xlsx.headers['content-disposition']).toMatch(/\.xlsx"$/);
    const asRead = dated.map((row) =>
      row.map((cell) => (typeof cell === 'string' ? cell.replaceAll('\r\n', '\n') : cell)),
    );
    expect(readXlsx(xlsx.body)).toEqual([{ name: 'Responses', rows: [heading, ...asRead] }]);
  });

  it('has the rows of the list, in its order, within whole days of UTC+7', async () => {
    await survey.importCampaign();
    await survey.importResponses(
      survey.response({ sent_timestamp: '2025-12-31T16:59:59.999Z' }),
      survey.response({ sent_timestamp: '2025-12-31T17:00:00Z' }),
      survey.response({ sent_timestamp: '2026-01-31T16:59:59.999Z' }),
      survey.response({ sent_timestamp: '2026-01-31T17:00:00Z' }),
      ...Array.from({ length: 20 }, () => survey.response()),
    );
    const listed = await survey.listResponses({ per_page: 100 }).expect(200);
    const { body } = await send().expect(200);
    expect(identifiersOf(body)).toEqual(
      listed.body.items.map(({ identifier }: ResponseRecord) => identifier),
    );
    expect(identifiersOf(body)).toHaveLength(22);
  });

  it('moves the start of a longer window to 90 days before its end, and says so', async () => {
    await survey.importCampaign();
    await survey.importResponses(
      survey.response({ sent_timestamp: '2026-01-30T16:59:59.999Z' }),
      survey.response({ sent_timestamp: '2026-01-30T17:00:00Z' }),
    );
    const long = await send({ end_date: '2026-05-01' }).expect(200);
    expect(long.headers).toMatchObject({ 'x-export-start-date': '2026-01-31', 'x-total-count': '1' });
    expect(long.headers['content-disposition']).toContain('_2026-01-31_2026-05-01.csv');
    expect(identifiersOf(long.body)).toHaveLength(1);
    const exact = await send({ start_date: '2026-01-31', end_date: '2026-05-01' }).expect(200);
    expect(exact.headers['x-export-start-date']).toBe('2026-01-31');
  });

  it('keeps the earliest 5000 rows, and says that there are more', async () => {
    await survey.importCampaign();
    const records = Array.from({ length: 5003 }, (_, second) =>
      survey.response({ sent_timestamp: new Date(Date.UTC(2026, 0, 5, 0, 0, second)).toISOString() }),
    );
    await survey.importResponses(...[...records].reverse());
    const all = await send().expect(200);
    expect(all.headers).toMatchObject({ 'x-total-count': '5003', 'x-export-truncated': 'true' });
    expect(identifiersOf(all.body)).toEqual(records.slice(0, 5000).map(({ identifier }) => identifier));
  });

  it('still serves a deleted campaign', async () => {
    await survey.importCampaign({ status: 'deleted' });
    await survey.importResponses(survey.response());
    expect(identifiersOf((await send().expect(200)).body)).toHaveLength(1);
  });

  it('is 422 for a campaign of another organization, and never shows its responses or metadata fields', async () => {
    const { records } = exportFixture(survey.campaignId);
    await (await survey.other()).import(...records);
    const { body, headers } = await send().expect(422);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(jsonOf(body)).toEqual(UNKNOWN_CAMPAIGN);

    await survey.importCampaign();
    const ours = await send().expect(200);
    expect(readTsv(ours.body)).toHaveLength(1);
    expect(readTsv(ours.body)[0]).not.toContain('store');
  });

  it('is 422 in JSON for missing and wrong parameters, whatever is accepted', async () => {
    const none = await survey.exportResponses('', XLSX).expect(422);
    expect(none.headers['content-type']).toMatch(/^application\/json/);
    expect(none.headers).not.toHaveProperty('content-disposition');
    expect(jsonOf(none.body)).toEqual({
      detail: [
        missing('query', 'survey_campaign_id'),
        missing('query', 'start_date'),
        missing('query', 'end_date'),
      ],
    });
    const wrong = await send({ survey_campaign_id: 'x', start_date: '2026-02-01' }).expect(422);
    expect(jsonOf(wrong.body).detail).toMatchObject([
      { loc: ['query', 'survey_campaign_id'], type: 'uuid_parsing' },
      { loc: ['query', 'end_date'], type: 'value_error', msg: 'end_date must not be before start_date' },
    ]);
  });

  it('has one member of JSON for each column, also if a variable is named like another column', async () => {
    const metadata_mappings = { 'Customer name': 'of the metadata', constructor: 'own' };
    const fields = ['Customer name', '__proto__', 'constructor'].map(
      (variable, id) => ['metadata_field', { id, name: 'x', variable }] as const,
    );
    await survey.importCampaign();
    await survey.import(...fields, [
      'survey_response',
      survey.response({ user_name: 'Hà "😀"', metadata_mappings }),
    ]);
    const { body } = await send({}, 'application/json').expect(200);
    expect(String(body)).toContain('"Customer name":"Hà \\"😀\\"",');
    expect(String(body)).toMatch(
      /,"Customer name \(2\)":"of the metadata","__proto__":null,"constructor":"own"}\]}$/,
    );
  });

  it('leaves a body that is sent with it aside', async () => {
    await survey.importCampaign();
    await send().send('{').set('content-type', 'application/json').expect(200);
  });
});

describe('the settings of C3', () => {
  const custom = useSurvey({ SURVEY_EXPORT_WINDOW_DAYS: '30', SURVEY_EXPORT_FORMULA_GUARD: 'off' });

  it('choose the length of the window, and whether formulas are defused', async () => {
    await custom.importCampaign();
    await custom.importResponses(custom.response({ user_name: '=1+1' }));
    const { body, headers } = await custom.exportResponses().expect(200);
    expect(headers['x-export-start-date']).toBe('2026-01-01');
    expect(readTsv(body)[1]![5]).toBe('=1+1');
    const longer = await custom.exportResponses({ end_date: '2026-02-01' }).expect(200);
    expect(longer.headers['x-export-start-date']).toBe('2026-01-02');
  });
});
