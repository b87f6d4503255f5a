import { useContactCenter } from './contact-center-service';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const area = useContactCenter();

it('what is no route is 404, and another method 405 with Allow, in the envelope of the area', async () => {
  expect((await area.call('get', '/external/conversation-sessions/a/b').expect(404)).body).toEqual({
    detail: 'Not Found',
  });
  const { body, headers } = await area.call('put', '/external/conversation-sessions').expect(405);
  expect(body).toEqual({ detail: 'Method Not Allowed' });
  expect(headers.allow?.split(', ').sort()).toEqual(['GET', 'HEAD']);
});

it.each([
  ['application/json', {}],
  ['application/json', { accept: 'application/json' }],
  ['application/json', { accept: '*/*' }],
  ['application/json', { accept: 'image/png' }],
  ['application/x-ndjson', { accept: 'application/x-ndjson' }],
  ['text/csv; charset=utf-8', { accept: 'text/csv, application/json;q=0.5' }],
  [XLSX, { accept: XLSX }],
  ['application/json', { accept: `application/vnd.ms-excel, */*` }],
])('B1 sends %s for %j, and says that Accept decides', async (type, accept) => {
  const { headers } = await area.list().unset('accept').set(accept).expect(200);
  expect(headers['content-type']?.split(';')[0]).toBe(type.split(';')[0]);
  expect(headers.vary).toBe('accept');
});

it('an error that nobody planned hides its cause', async () => {
  await area.service.dataSource.query('ALTER SCHEMA contact_center RENAME TO gone');
  const answers = [
    await area.list(),
    await area.list().set('accept', 'text/csv'),
    await area.list().set('accept', 'application/x-ndjson'),
    await area.get('c'),
  ];
  await area.service.dataSource.query('ALTER SCHEMA gone RENAME TO contact_center');
  for (const { status, text, headers } of answers) {
    expect([status, JSON.parse(text)]).toEqual([500, { detail: 'Internal Server Error' }]);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  }
});
