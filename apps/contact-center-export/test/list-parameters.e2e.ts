import type request from 'supertest';
import { ORGANIZATION_MISMATCH, useContactCenter } from './contact-center-service';

const area = useContactCenter();

const date = (name: string) =>
  item(name, `${name} must be a date (YYYY-MM-DD)`, 'date_from_datetime_parsing');
const missing = (name: string) => item(name, 'Field required', 'missing');
const timezone = item('timezone', 'timezone must be an IANA timezone name', 'value_error');
const emails = item('sessionAgentEmails', 'each value in sessionAgentEmails must be a string', 'string_type');
const organization = item('organizationId', 'organizationId must be a string', 'string_type');
const accounts = item('assigneeAccountIds', 'each item of assigneeAccountIds must be an integer', 'int_type');
const END_REASONS =
  'handoff_to_ai, terminal, replaced_by_other_handoff, service_account_takeover, open_at_end';
const reasons = item(
  'sessionEndReasons',
  `each value in sessionEndReasons must be one of the following values: ${END_REASONS}`,
  'enum',
);
const page = {
  integer: item('page', 'page must be an integer number', 'int_type'),
  min: item('page', 'page must not be less than 1', 'greater_than_equal'),
};
const perPage = {
  max: item('perPage', 'perPage must not be greater than 100', 'less_than_equal'),
};
const cursor = item('cursor', 'cursor must be empty, or a cursor that an answer gave', 'dict_type');

function item(name: string, msg: string, type: string) {
  return { loc: ['query', name], msg, type };
}

describe('B1 with a bad parameter', () => {
  it.each<[string, Record<string, string | undefined>, object[]]>([
    ['no startDate', { startDate: undefined }, [missing('startDate')]],
    ['no endDate', { endDate: undefined }, [missing('endDate')]],
    [
      'neither date',
      { startDate: undefined, endDate: undefined },
      [missing('startDate'), missing('endDate')],
    ],
    ['an empty date', { startDate: '' }, [date('startDate')]],
    ['a date that is not in the calendar', { startDate: '2026-02-30' }, [date('startDate')]],
    [
      'a range whose start is after its end',
      { startDate: '2026-01-06', endDate: '2026-01-05' },
      [item('endDate', 'endDate must not be before startDate', 'value_error')],
    ],
    ['an unknown timezone', { timezone: 'Mars/Base' }, [timezone]],
    ['an offset for a timezone', { timezone: '+08:00' }, [timezone]],
    ['an empty timezone', { timezone: '' }, [timezone]],
    ['an account id that is no integer', { assigneeAccountIds: '42,x' }, [accounts]],
    ['an account id beyond a bigint', { assigneeAccountIds: '9223372036854775808' }, [accounts]],
    ['an unknown end reason', { sessionEndReasons: 'terminal,gone' }, [reasons]],
    ['an end reason in another case', { sessionEndReasons: 'Terminal' }, [reasons]],
    ['page 0', { page: '0' }, [page.min]],
    ['a page that is no integer', { page: '1.5' }, [page.integer]],
    ['perPage 101', { perPage: '101' }, [perPage.max]],
    ['a cursor that no answer gave', { cursor: 'x' }, [cursor]],
    [
      'an email that is not Unicode',
      { sessionAgentEmails: 'a\0b' },
      [
        {
          loc: ['query', 'sessionAgentEmails', 0],
          msg: 'sessionAgentEmails.0 must be Unicode text without NUL',
          type: 'string_unicode',
        },
      ],
    ],
    [
      'everything wrong at once',
      {
        startDate: 'x',
        endDate: undefined,
        timezone: 'Mars/Base',
        assigneeAccountIds: 'x',
        sessionEndReasons: 'x',
        page: '0',
        perPage: '101',
        cursor: 'x',
      },
      [date('startDate'), missing('endDate'), timezone, accounts, reasons, page.min, perPage.max, cursor],
    ],
  ])('%s is 422 with exactly these items', async (_, change, items) => {
    const { body, headers } = await area.list(change).expect(422);
    expect(inOrder(body.detail)).toEqual(inOrder(items));
    expect(Object.keys(body)).toEqual(['detail']);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each<[string, string, object]>([
    ['startDate', '2026-01-05', date('startDate')],
    ['endDate', '2026-01-05', date('endDate')],
    ['timezone', 'Asia/Singapore', timezone],
    ['organizationId', '', organization],
    ['sessionAgentEmails', 'a@example.com', emails],
    ['assigneeAccountIds', '42', accounts],
    ['sessionEndReasons', 'terminal', reasons],
    ['page', '1', page.integer],
    ['perPage', '50', item('perPage', 'perPage must be an integer number', 'int_type')],
    ['cursor', '', cursor],
  ])('%s given twice is 422', async (name, value, problem) => {
    const { body } = await area.list({ [name]: [value, value] }).expect(422);
    expect(body).toEqual({ detail: [problem] });
  });
});

// What other tests of B1 send is not here.
it.each<[string, Record<string, string>]>([
  ['29 February of a leap year', { startDate: '2024-02-29', endDate: '2024-02-29' }],
  [
    'the last day in the last timezone',
    { startDate: '9999-12-31', endDate: '9999-12-31', timezone: 'Etc/GMT+12' },
  ],
  ['an empty organizationId', { organizationId: '' }],
  ['a page past anything', { page: '999999999999999', perPage: '100' }],
  ['account ids as long as they get', { assigneeAccountIds: '-1,999999999999999999' }],
  ['unknown parameters', { search: 'x', per_page: '0' }],
])('B1 takes %s', async (_, query) => {
  expect(await area.page(query)).toMatchObject({ items: [], total: 0, pages: 0 });
});

describe('an organizationId parameter', () => {
  const ENDPOINTS: [string, (query: Record<string, string>) => request.Test][] = [
    ['B1', (query) => area.list(query)],
    ['B2', (query) => area.get('unknown', query)],
  ];

  it.each(ENDPOINTS)('that differs is 403 in %s, before anything else is looked at', async (_, ask) => {
    const { organizationId } = await area.service.caller();
    for (const other of [
      organizationId,
      'x',
      ` ${area.caller.organizationId}`,
      area.caller.organizationId.toUpperCase(),
    ]) {
      const { body } = await ask({ organizationId: other, timezone: 'Mars/Base' }).expect(403);
      expect(body).toEqual(ORGANIZATION_MISMATCH);
    }
  });

  it('that is the authenticated one changes nothing', async () => {
    const { organizationId } = area.caller;
    await area.list({ organizationId }).expect(200);
    await area.get('unknown', { organizationId }).expect(404);
  });
});

describe('B2', () => {
  it.each([
    ['an unknown timezone', { timezone: 'Mars/Base' }, [timezone]],
    ['a timezone given twice', { timezone: ['Asia/Singapore', 'Asia/Singapore'] }, [timezone]],
  ])('with %s is 422, before the conversation is looked for', async (_, query, items) => {
    const { body } = await area.get('unknown', query).expect(422);
    expect(body).toEqual({ detail: items });
  });
});

function inOrder(items: object[]): string[] {
  return items.map((one) => JSON.stringify(one)).sort();
}
