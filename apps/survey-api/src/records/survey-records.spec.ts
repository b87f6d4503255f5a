import { randomUUID } from 'node:crypto';
import { type ReceivedRecord, RecordParser, storeSoundRecords } from '@cxp/records';
import type { InvalidItem } from '@cxp/error-envelopes';
import type { DataSource } from 'typeorm';
import { openSurveyDatabase, surveyRecords } from '../../test/survey-database';

const parser = new RecordParser(surveyRecords);

let dataSource: DataSource;
let close: () => Promise<void>;
let organization: string;
let campaign: string = randomUUID();

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
});
afterAll(() => close());

beforeEach(() => {
  organization = randomUUID();
  campaign = randomUUID();
});

type Line = readonly [type: string, data: unknown];

/** Takes lines as an import does: good ones are stored, bad ones come back with their places. */
async function take(...lines: Line[]): Promise<readonly InvalidItem[]> {
  const parsed = lines.map(([type, data], index) =>
    parser.parse({ number: index + 1, bytes: Buffer.from(JSON.stringify({ type, data })) }),
  );
  const records = parsed.filter((result): result is ReceivedRecord => 'data' in result);
  const wrong = parsed.filter((result): result is readonly InvalidItem[] => !('data' in result));
  const refused = await storeSoundRecords(dataSource, surveyRecords, organization, records);
  return [...wrong.flat(), ...refused];
}

const question = (parts: object = {}) => ({ id: 1, type: 'text', title: 'Vì sao?', ...parts });
const campaignLine = (parts: object = {}): Line => [
  'survey_campaign',
  { id: campaign, name: 'NPS', status: 'active', ...parts },
];
const questionLine = (parts: object): Line => campaignLine({ survey_questions: [question(parts)] });
const responseLine = (parts: object = {}): Line => [
  'survey_response',
  {
    identifier: randomUUID(),
    survey_campaign_id: campaign,
    sent_timestamp: '2026-01-05T09:11:09+07:00',
    ...parts,
  },
];
const fieldLine = (id: number, variable: string): Line => [
  'metadata_field',
  { id, name: variable, variable },
];
async function stored(table: string, column: string): Promise<unknown[]> {
  const rows = await dataSource.query<{ value: unknown }[]>(
    `SELECT ${column} AS value FROM survey.${table} WHERE organization_id = $1`,
    [organization],
  );
  return rows.map(({ value }) => value);
}

describe('records of area C', () => {
  it('are stored with what is optional left out or null', async () => {
    expect(
      await take(
        campaignLine(),
        campaignLine({ last_interacted_at: null, touchpoints: null, survey_questions: null }),
        questionLine({ metric_type: null, option_titles_by_id: null }),
        fieldLine(7, 'store'),
        responseLine(),
        responseLine({ user_name: null, tags: null, metadata_mappings: null, answers: null, source: null }),
        ['organization_settings', { max_survey_links_per_campaign: 3 }],
        ['organization_settings', { brand: { name: 'Hoa', color: '#0E6A56' } }],
        ['organization_settings', { brand: null }],
        ['organization_settings', {}],
      ),
    ).toEqual([]);
    expect(await stored('campaign', 'questions')).toEqual([
      [
        {
          id: 1,
          type: 'text',
          metric_type: null,
          title: 'Vì sao?',
          option_titles_by_id: null,
          row_titles_by_id: null,
          column_titles: null,
        },
      ],
    ]);
    expect(await stored('response', 'sent_at')).toHaveLength(2);
    expect(await stored('metadata_field', 'variable')).toEqual(['store']);
    expect(await stored('organization_settings', 'max_survey_links_per_campaign')).toEqual([null]);
  });

  it('have one identity whatever the case of their uuids', async () => {
    const upper = responseLine({ identifier: 'ABCDEF00-0000-4000-8000-00000000000A' });
    const lower = responseLine({ identifier: 'abcdef00-0000-4000-8000-00000000000a' });
    await take(campaignLine({ id: campaign.toUpperCase() }), upper, lower);
    await take(campaignLine(), upper);
    expect(await stored('campaign', 'id')).toEqual([campaign]);
    expect(await stored('response', 'identifier')).toEqual(['abcdef00-0000-4000-8000-00000000000a']);
  });

  it.each<[string, Line, string, string]>([
    [
      'a campaign without a name',
      ['survey_campaign', { id: randomUUID(), status: 'active' }],
      'name',
      'missing',
    ],
    ['a campaign with an unknown status', campaignLine({ status: 'awaited' }), 'status', 'enum'],
    ['an id that is no uuid', campaignLine({ id: 'c-1' }), 'id', 'uuid_parsing'],
    [
      'a question of an unknown type',
      campaignLine({ survey_questions: [question(), question({ id: 2, type: 'stars' })] }),
      'survey_questions.1.type',
      'enum',
    ],
    [
      'an option title that is no text',
      questionLine({ option_titles_by_id: { '1': 5 } }),
      'survey_questions.0.option_titles_by_id.1',
      'string_type',
    ],
    [
      'two questions with one id',
      campaignLine({ survey_questions: [question(), question({ id: 2 }), question()] }),
      'survey_questions.2.id',
      'duplicate',
    ],
    ...(['option_titles_by_id', 'row_titles_by_id'] as const).flatMap(
      (field): [string, Line, string, string][] => [
        [
          `an empty id in ${field}`,
          questionLine({ [field]: { '': 'x', '1': 'y' } }),
          `survey_questions.0.${field}.`,
          'string_too_short',
        ],
        [
          `two ids in ${field} that differ in line breaks only`,
          questionLine({ [field]: { 'a\nb': 'x', 'a\r\nb': 'y' } }),
          `survey_questions.0.${field}.a\r\nb`,
          'duplicate',
        ],
      ],
    ),
    [
      'an empty title of a column',
      questionLine({ column_titles: ['a', ''] }),
      'survey_questions.0.column_titles.1',
      'string_too_short',
    ],
    [
      'two titles of columns that differ in line breaks only',
      questionLine({ column_titles: ['a\rb', 'c', 'a\nb'] }),
      'survey_questions.0.column_titles.2',
      'duplicate',
    ],
    ['a response without a time', responseLine({ sent_timestamp: null }), '', 'missing'],
    [
      'a time without an offset',
      responseLine({ opened_timestamp: '2026-01-05T00:00:00' }),
      'opened_timestamp',
      'instant_parsing',
    ],
    ['an unknown source', responseLine({ source: 'Carrier pigeon' }), 'source', 'enum'],
    ['a tag that is no text', responseLine({ tags: ['vip', 1] }), 'tags.1', 'string_type'],
    ['answers that are no object', responseLine({ answers: [] }), 'answers', 'object_type'],
    [
      'a field id that is no integer',
      ['metadata_field', { id: '1', name: 'a', variable: 'a' }],
      'id',
      'integer_type',
    ],
    [
      'an empty variable',
      ['metadata_field', { id: 1, name: 'a', variable: '' }],
      'variable',
      'string_too_short',
    ],
    [
      'a name that is too long',
      ['metadata_field', { id: 1, name: '😀'.repeat(256), variable: 'a' }],
      'name',
      'too_large',
    ],
    [
      'a variable that is too long',
      ['metadata_field', { id: 1, name: 'a', variable: 'x'.repeat(256) }],
      'variable',
      'too_large',
    ],
    [
      'a negative limit',
      ['organization_settings', { max_survey_links_per_campaign: -1 }],
      'max_survey_links_per_campaign',
      'greater_than_equal',
    ],
    [
      'a brand that cannot be read',
      ['organization_settings', { brand: { name: 'Hoa', color: '#ffd400' } }],
      'brand.color',
      'contrast_too_low',
    ],
  ])('are refused for %s, with its place', async (_, line, place, type) => {
    const [item, ...others] = await take(line);
    expect([others, item?.type]).toEqual([[], type]);
    expect(item!.loc.join('.')).toBe(['body.1.data', place].filter(Boolean).join('.'));
    expect(await stored('campaign', 'id')).toEqual([]);
    expect(await stored('response', 'identifier')).toEqual([]);
    expect(await stored('metadata_field', 'id')).toEqual([]);
  });

  it('are stored around those that are refused', async () => {
    const sound = randomUUID();
    const items = await take(
      campaignLine({ survey_questions: [question(), question()] }),
      campaignLine({ id: sound }),
      responseLine({ sent_timestamp: null }),
      responseLine({ identifier: sound }),
      fieldLine(1, 'store'),
      fieldLine(2, 'store'),
    );
    expect(items.map(({ loc }) => loc[1])).toEqual([1, 6, 3]);
    expect(items[1]).toEqual({
      loc: ['body', 6, 'data', 'variable'],
      msg: 'Another metadata field of the organization has this variable',
      type: 'duplicate',
    });
    expect(await stored('response', 'identifier')).toEqual([sound]);
    expect(await stored('metadata_field', 'id')).toEqual(['1']);
  });
});

describe('the limits of a campaign', () => {
  const titles = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, id) => [String(id), 'x']));
  const questions = (count: number, parts: object = {}) =>
    Array.from({ length: count }, (_, id) => question({ id, ...parts }));
  const matrix = (rows: number, columns: number) => ({
    type: 'matrix',
    row_titles_by_id: titles(rows),
    column_titles: Object.keys(titles(columns)),
  });

  it.each<[what: string, fits: object[], isTooMuch: object[], limit: string]>([
    ['questions', questions(500), questions(501), '500 questions'],
    [
      'options of one question',
      questions(1, { option_titles_by_id: titles(2_000) }),
      questions(1, { option_titles_by_id: titles(2_001) }),
      '2000 controls',
    ],
    [
      'options of all questions',
      questions(4, { type: 'ranking', option_titles_by_id: titles(500) }),
      [
        ...questions(4, { type: 'ranking', option_titles_by_id: titles(500) }),
        question({ id: 4, option_titles_by_id: titles(1) }),
      ],
      '2000 controls',
    ],
    ['rows × columns', questions(1, matrix(40, 50)), questions(1, matrix(41, 50)), '2000 controls'],
    ['rows without columns', questions(1, matrix(2_000, 0)), questions(1, matrix(2_001, 0)), '2000 controls'],
  ])('%s', async (_, fits, isTooMuch, limit) => {
    expect(await take(campaignLine({ survey_questions: fits }))).toEqual([]);
    expect(await take(campaignLine({ survey_questions: isTooMuch }))).toEqual([
      {
        loc: ['body', 1, 'data', 'survey_questions'],
        msg: `Input should have at most ${limit}`,
        type: 'too_large',
      },
    ]);
  });
});

describe('the limits of the texts of a campaign', () => {
  const title = (characters: number) => 'ế'.repeat(characters);
  const ranking = (options: number, characters: number) => [
    question({
      type: 'ranking',
      title: title(characters),
      option_titles_by_id: Object.fromEntries(Array.from({ length: options }, (_, id) => [String(id), 'x'])),
    }),
  ];

  const matrixOf = (columnTitle: string) => [
    question({
      type: 'matrix',
      row_titles_by_id: Object.fromEntries(Array.from({ length: 40 }, (_, id) => [String(id), 'x'])),
      column_titles: Array<string>(50).fill(columnTitle),
    }),
  ];

  it.each<
    [what: string, make: (characters: number) => object, fits: number, loc: (string | number)[], msg: string]
  >([
    [
      'a name',
      (characters) => ({ name: title(characters) }),
      1_000,
      ['name'],
      'Input must NOT have more than 1000 characters',
    ],
    [
      'a touchpoint',
      (characters) => ({ touchpoints: ['x', title(characters)] }),
      20_000,
      ['touchpoints', 1],
      'Input must NOT have more than 20000 characters',
    ],
    [
      'a question',
      (characters) => ({ survey_questions: [question({ title: title(characters) })] }),
      20_000,
      ['survey_questions', 0, 'title'],
      'Input must NOT have more than 20000 characters',
    ],
    [
      'an option',
      (characters) => ({ survey_questions: [question({ option_titles_by_id: { 7: title(characters) } })] }),
      20_000,
      ['survey_questions', 0, 'option_titles_by_id', '7'],
      'Input must NOT have more than 20000 characters',
    ],
    [
      'the id of an option',
      (characters) => ({
        survey_questions: [question({ option_titles_by_id: { [title(characters)]: 'x' } })],
      }),
      255,
      ['survey_questions', 0, 'option_titles_by_id'],
      'Names must have at most 255 characters',
    ],
    [
      'a column',
      (characters) => ({ survey_questions: [question({ column_titles: [title(characters)] })] }),
      1_000,
      ['survey_questions', 0, 'column_titles', 0],
      'Input must NOT have more than 1000 characters',
    ],
    [
      'the title that each column of an export repeats',
      (characters) => ({ survey_questions: ranking(500, characters) }),
      2_970,
      ['survey_questions'],
      'Input should have at most 1500000 characters of column names in an export',
    ],
    [
      'the columns that each row of a page repeats',
      (characters) => ({ survey_questions: matrixOf(title(characters)) }),
      498,
      ['survey_questions'],
      'Input should have at most 1000000 escaped characters on its page',
    ],
    [
      'the columns that are longer when they are escaped',
      (characters) => ({ survey_questions: matrixOf('"'.repeat(characters)) }),
      83,
      ['survey_questions'],
      'Input should have at most 1000000 escaped characters on its page',
    ],
  ])('%s', async (_, make, fits, loc, msg) => {
    expect(await take(campaignLine(make(fits)))).toEqual([]);
    const tooLong = make(fits === 2_970 ? 2_980 : fits + 1);
    expect(await take(campaignLine(tooLong))).toEqual([
      { loc: ['body', 1, 'data', ...loc], msg, type: 'too_large' },
    ]);
  });

  it('a record has at most 10 problems', async () => {
    const same = Array.from({ length: 400 }, () => question());
    expect(await take(campaignLine({ survey_questions: same }))).toHaveLength(10);
  });
});

describe('the limit of metadata fields', () => {
  const fields = (count: number, first = 1) =>
    Array.from({ length: count }, (_, index) => fieldLine(first + index, `v${first + index}`));

  it('holds for those of all batches together, and not for those that are stored', async () => {
    expect(await take(...fields(1_999))).toEqual([]);
    expect(await take(fieldLine(5, 'renamed'), fieldLine(2_000, 'last'), ...fields(2, 2_001))).toEqual(
      [3, 4].map((line) => ({
        loc: ['body', line, 'data', 'id'],
        msg: 'An organization has at most 2000 metadata fields',
        type: 'too_large',
      })),
    );
    expect(await take(fieldLine(2_000, 'renamed again'))).toEqual([]);
    expect(await stored('metadata_field', 'id')).toHaveLength(2_000);
  });
});

describe('answers', () => {
  const ranking = question({
    id: 9,
    type: 'ranking',
    option_titles_by_id: { '1': 'Giá', '2': 'Chất lượng' },
  });
  const misfit = responseLine.bind(null, { answers: { '9': { '1': 0 } } });

  it('are held against the campaign that comes in the same batch, before or after them', async () => {
    expect(await take(misfit(), campaignLine({ survey_questions: [ranking] }))).toMatchObject([
      { loc: ['body', 1, 'data', 'answers', '9', '1'] },
    ]);
  });

  it('that arrive before their campaign are kept as they came', async () => {
    expect(await take(misfit())).toEqual([]);
    expect(await stored('response', 'answers')).toEqual([{ '9': { '1': 0 } }]);
  });

  it('are not held against a campaign of another organization', async () => {
    await take(campaignLine({ survey_questions: [ranking] }));
    organization = randomUUID();
    expect(await take(misfit())).toEqual([]);
  });
});
