import { RecordCheck, surveyRecordTypes } from '@cxp/platform-records';
import { PNG as png } from '../../test/png';
import { readBrand } from './brand';

const NAME = 'Cửa hàng Hoa';

function dataUri(type: string, content: string | Buffer): string {
  return `data:image/${type};base64,${Buffer.from(content).toString('base64')}`;
}

const svg = (content: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"${attributes}>${content}</svg>`;

/** The logo that is stored, as text. */
function storedSvg(source: string): string {
  const brand = readBrand({ name: NAME, color: '#000000', logo: dataUri('svg+xml', source) });
  if (Array.isArray(brand)) throw new Error(JSON.stringify(brand));
  return brand.logo!.bytes.toString();
}

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

  it.each<[what: string, source: string, stored: string]>([
    ['shapes', svg('<path d="M0 0h9"/>'), '<path d="M0 0h9"></path>'],
    [
      'texts',
      svg('<title>A &amp; B</title><text x="1">Hoa &#9733;</text>'),
      '<title>A &amp; B</title><text x="1">Hoa &#9733;</text>',
    ],
    [
      'a style and a gradient of its own',
      svg(
        '<defs><style>.a{fill:url(#g)}</style><linearGradient id="g" xlink:href="#h"/></defs>',
        ' xmlns:xlink="x"',
      ),
      '<defs><style>.a{fill:url(#g)}</style><linearGradient id="g" xlink:href="#h"></linearGradient></defs>',
    ],
    [
      'what an editor leaves, which is left out',
      `<?xml version="1.0"?><!-- c -->${svg('<metadata><a href="https://e.example"/></metadata><sodipodi:namedview/><g inkscape:label="x" id="l"/>')}`,
      '<g id="l"></g>',
    ],
    ['quotes', svg(`<g id='a"onload="x'/>`), '<g id="a&quot;onload=&quot;x"></g>'],
    [
      'characters that are markup',
      svg('<style><![CDATA[</style><script>x</script>]]></style>'),
      '<style>&lt;/style>&lt;script>x&lt;/script></style>',
    ],
  ])('is written anew of %s', (_, source, stored) => {
    expect(storedSvg(source)).toBe(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">${stored}</svg>`,
    );
  });

  const refusal = (reason: string | RegExp) => [
    { loc: ['brand', 'logo'], msg: expect.stringMatching(reason), type: 'logo_invalid' },
  ];

  it.each<[what: string, content: string, reason: string | RegExp]>([
    ['a script', svg('<script>alert(1)</script>'), '<script>'],
    ['a script of another case', svg('<SCRIPT>alert(1)</SCRIPT>'), '<SCRIPT>'],
    ['HTML', svg('<foreignObject><body/></foreignObject>'), '<foreignObject>'],
    ['a link', svg('<a href="javascript:alert(1)"><path/></a>'), '<a>'],
    ['a picture of others', svg('<image href="https://e.example/x.png"/>'), '<image>'],
    ['a repetition', svg('<use href="#a"/>'), '<use>'],
    ['an animation', svg('<animate attributeName="href" to="javascript:x"/>'), '<animate>'],
    ['a handler', svg('<path onclick="alert(1)"/>'), 'onclick'],
    ['a handler of the root', svg('', ' onload="alert(1)"'), 'onload'],
    ['a gradient of others', svg('<linearGradient href="https://e.example/#a"/>'), 'href'],
    ['a fill of others', svg('<path fill="url(https://e.example/#a)"/>'), 'fill'],
    ['a fill that hides where it is', svg('<path fill="&#117;rl(https://e.example/#a)"/>'), 'fill'],
    ['a style of others', svg('<style>@import "https://e.example";</style>'), 'style'],
    ['an escape in a style', svg('<path style="fill:u\\72l(//e.example)"/>'), 'style'],
    ['entities', `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${svg('<text>&a;</text>')}`, 'entities'],
    ['deep nesting', svg('<g>'.repeat(2_000) + '</g>'.repeat(2_000)), 'well-formed'],
    ['an open element', svg('<g>'), 'well-formed'],
    ['bytes that are no UTF-8', svg('<title>\xff</title>'), 'UTF-8'],
    ['HTML as the root', '<html></html>', '<svg>'],
    ['no element', 'svg', 'well-formed'],
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
    ['a PNG file that is cut', dataUri('png', png.subarray(0, -1))],
    ['a PNG file that something follows', dataUri('png', Buffer.concat([png, Buffer.from('<script>')]))],
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
