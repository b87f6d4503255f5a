import { RecordCheck, surveyRecordTypes } from '@cxp/records';
import { PNG as png } from '../../test/survey-page';
import { readBrand } from './brand';

const NAME = 'Cửa hàng Hoa';

function dataUri(type: string, content: string | Buffer): string {
  return `data:image/${type};base64,${Buffer.from(content).toString('base64')}`;
}

const svg = (content: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"${attributes}>${content}</svg>`;

describe('the record of a brand', () => {
  const brand = { name: NAME, color: '#0e6a56', logo: null };

  it.each<[field: string, value: unknown, type: string]>([
    ['name', undefined, 'missing'],
    ['name', '', 'string_too_short'],
    ['name', 'x'.repeat(101), 'too_large'],
    ['color', 'red', 'value_error'],
    ['color', '#000', 'value_error'],
    ['color', '#0e6a56ff', 'value_error'],
    ['logo', 1, 'string_type'],
    ['logo', 'x'.repeat(26_701), 'too_large'],
  ])('is refused if %s is %j', (field, value, type) => {
    const record = { type: 'organization_settings', data: { brand: { ...brand, [field]: value } } };
    expect(new RecordCheck(surveyRecordTypes).check(record)).toMatchObject({
      problems: [{ loc: ['data', 'brand', field], type }],
    });
  });
});

it('the name of a brand is refused if nobody can see it', () => {
  expect(readBrand({ name: ' \u200b', color: '#000000' })).toMatchObject([
    { loc: ['brand', 'name'], type: 'string_too_short' },
  ]);
});

describe('the colour of a brand', () => {
  it.each(['#000000', '#0E6A56', '#767676', '#c4161c', '#5b2a86'])('%s can be read', (color) => {
    expect(readBrand({ name: NAME, color })).toEqual({ name: NAME, color: color.toLowerCase(), logo: null });
  });

  it.each([
    ['#ffffff', '1.0'],
    ['#ffd400', '1.4'],
    ['#00a884', '3.0'],
    ['#777777', '4.4'],
  ])('%s is refused: its contrast is %s', (color, contrast) => {
    expect(readBrand({ name: NAME, color })).toEqual([
      {
        loc: ['brand', 'color'],
        msg: `Input should have a contrast of at least 4.5 to white, and has ${contrast}`,
        type: 'contrast_too_low',
      },
    ]);
  });
});

describe('the logo of a brand', () => {
  it('is a PNG file as it comes', () => {
    const brand = readBrand({ name: NAME, color: '#000000', logo: dataUri('png', png) });
    expect(brand).toEqual({ name: NAME, color: '#000000', logo: { type: 'image/png', bytes: png } });
  });

  it.each([
    ['shapes', svg('<path d="M0 0h9"/>')],
    ['what would run if it were no picture', svg('<script>alert(1)</script>', ' onload="alert(1)"')],
    ['a declaration and a comment', `<?xml version="1.0"?><!-- Đồ họa -->${svg('')}`],
  ])('is an SVG file as it comes, with %s', (_, source) => {
    const brand = readBrand({ name: NAME, color: '#000000', logo: dataUri('svg+xml', source) });
    expect(brand).toMatchObject({ logo: { type: 'image/svg+xml', bytes: Buffer.from(source) } });
  });

  const refusal = (reason: string | RegExp) => [
    { loc: ['brand', 'logo'], msg: expect.stringMatching(reason), type: 'logo_invalid' },
  ];

  it.each<[what: string, content: string, reason: string | RegExp]>([
    ['bytes that are no UTF-8', svg('<title>\xff</title>'), 'UTF-8'],
    ['HTML', '<html></html>', 'SVG file'],
    ['a text', 'svg', 'SVG file'],
    ['more than 20,000 bytes', svg(`<title>${'x'.repeat(20_000)}</title>`), '20000 bytes'],
  ])('is refused for %s', (_, content, reason) => {
    const logo = dataUri('svg+xml', Buffer.from(content, 'latin1'));
    expect(readBrand({ name: NAME, color: '#000000', logo })).toEqual(refusal(reason));
  });

  it.each<[what: string, logo: string]>([
    ['an address', 'https://e.example/logo.png'],
    ['another type', dataUri('gif', 'GIF89a')],
    [
      'a type with parameters',
      `data:image/svg+xml;charset=utf-8;base64,${Buffer.from(svg('')).toString('base64')}`,
    ],
    ['no base64', 'data:image/png;base64,%3Csvg'],
    ['an SVG file that says it is PNG', dataUri('png', svg(''))],
    ['a PNG file that ends in its header', dataUri('png', png.subarray(0, 32))],
    ['a PNG file of too many pixels', dataUri('png', withSide(png, 2_049))],
    ['a PNG file without pixels', dataUri('png', withSide(png, 0))],
    ['an empty file', 'data:image/png;base64,'],
  ])('is refused for %s', (_, logo) => {
    expect(readBrand({ name: NAME, color: '#000000', logo })).toEqual(refusal('Input should be'));
  });

  it('and the colour are refused together', () => {
    expect(readBrand({ name: NAME, color: '#ffffff', logo: 'x' })).toMatchObject([
      { type: 'contrast_too_low' },
      { type: 'logo_invalid' },
    ]);
  });
});

function withSide(png: Buffer, side: number): Buffer {
  const changed = Buffer.from(png);
  changed.writeUInt32BE(side, 16);
  return changed;
}
