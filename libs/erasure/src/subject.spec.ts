import { createTestDatabase } from '@cxp/testing';
import { DataSource } from 'typeorm';
import { comparableEmail, comparablePhone, createComparableFunctions, isIdentifierOf } from './subject';

describe('comparable identifiers', () => {
  let dataSource: DataSource;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    dataSource = await new DataSource({ type: 'postgres', url: database.url, poolSize: 1 }).initialize();
    await dataSource.query(`CREATE SCHEMA test; ${createComparableFunctions('test')}`);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await drop();
  });

  it('compare in PostgreSQL as they do here, with any character in them', async () => {
    const texts: string[] = [];
    for (let code = 1; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      // The others are alike: some of them.
      if (!/[\s.()\p{Dash}\p{L}]/u.test(character) && code % 97 > 0) continue;
      if (character.toLowerCase() === character && code > 0x3000 && code % 97 > 0) continue;
      texts.push(`${character}A${character}b.-(1${character}`);
    }
    const rows = await dataSource.query<{ phone: string; email: string }[]>(
      `SELECT test.comparable_phone(text) AS phone, test.comparable_email(text) AS email
       FROM unnest($1::text[]) WITH ORDINALITY AS t (text, place) ORDER BY place`,
      [texts],
    );
    const wrong = texts.filter(
      (text, place) =>
        rows[place]!.phone !== comparablePhone(text) || rows[place]!.email !== comparableEmail(text),
    );
    expect(texts.length).toBeGreaterThan(10_000);
    expect(wrong).toEqual([]);
  });

  it.each([
    ['+84 90 123-45.67', true],
    ['+84901234567', true],
    ['84901234567', false],
    ['HOA@Example.com ', true],
    ['hoa@example.co', false],
    ['ΌΔΟΣ@example.com', true],
    ['όδοσ@EXAMPLE.com', true],
    ['İ@example.com', true],
    ['c-1', true],
    ['C-1', false],
  ])('%s is an identifier: %s', (text, expected) => {
    const emails = ['hoa@example.com', 'ΌΔΟΣ@example.com', 'İ@example.com'].map(comparableEmail);
    const subject = { userIds: ['c-1'], phones: ['+84901234567'], emails };
    expect(isIdentifierOf(subject, text)).toBe(expected);
  });
});
