import { allows, isPermissions, parsePermissions, type Permission } from './permissions';

describe('allows', () => {
  it.each<[object, Permission, boolean]>([
    [{ $survey_link: ['create'] }, '$survey_link:create', true],
    [{ $survey_response: ['list', 'export'] }, '$survey_response:export', true],
    [{ $survey_response: ['list'] }, '$survey_response:export', false],
    [{ $survey_link: [] }, '$survey_link:create', false],
    [{}, '$survey_link:create', false],
    [{ survey_link: ['create'] }, '$survey_link:create', false],
    [{ $survey_link: ['*'] }, '$survey_link:create', false],
    [{}, 'constructor:name' as Permission, false],
  ])('%j %s: %s', (permissions, permission, expected) => {
    expect(allows(permissions as Record<string, string[]>, permission)).toBe(expected);
  });
});

describe('parsePermissions', () => {
  it('reads the written form, each once', () => {
    expect(
      parsePermissions([
        '$survey_response:list',
        '$survey_link:create',
        '$survey_response:export',
        '$survey_link:create',
      ]),
    ).toEqual({
      $survey_response: ['list', 'export'],
      $survey_link: ['create'],
    });
  });

  it.each([
    '',
    '$survey_link',
    '$survey_link:',
    '$survey_link:list',
    'survey_link:create',
    '$survey_link:create ',
    'constructor:name',
  ])('names %j, which does not exist', (written) => {
    expect(() => parsePermissions(['$survey_link:create', written])).toThrow(
      `unknown permission "${written}"`,
    );
  });
});

describe('isPermissions', () => {
  it.each([{}, { $survey_link: [] }, { anything: ['a', 'b'] }])('%j is', (value) => {
    expect(isPermissions(value)).toBe(true);
  });

  it.each([undefined, null, 'x', 5, [], ['x'], { a: 'b' }, { a: [1] }, { a: null }])('%j is not', (value) => {
    expect(isPermissions(value)).toBe(false);
  });
});
