import * as classTransformer from 'class-transformer';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { ProblemError, validationItems, type InvalidItem } from '@cxp/error-envelopes';
import { ApiValidationPipe } from './api-validation.pipe';
import { NestedObject } from '../validators/validators';
import { ReceivedBody } from './request-body';

class Author {
  @IsString()
  name: string;

  @IsOptional()
  @IsInt()
  age?: number;
}

class Book {
  @IsString()
  title: string;

  @IsOptional()
  @NestedObject(() => Author)
  author?: Author;

  @IsOptional()
  @IsString({ each: true })
  tags?: string[];
}

class Novel extends Book {}

const pipe = new ApiValidationPipe(validationItems);

const check = async (value: unknown) =>
  (await pipe.transform(bodyOf(value), { type: 'body', metatype: Novel })) as Novel;

const bodyOf = (value: unknown) =>
  new ReceivedBody(Buffer.from(JSON.stringify(value)), 'application/json', { receivedBytes: Infinity });

async function problemsOf(value: unknown): Promise<readonly InvalidItem[]> {
  const error: unknown = await check(value).catch((thrown: unknown) => thrown);
  return error instanceof ProblemError && error.problem.code === 'invalid' ? error.problem.items : [];
}

describe('ApiValidationPipe', () => {
  it('makes an instance of the class, with what the class declares', async () => {
    const dto = await check({
      title: 't',
      author: { name: 'a', more: 1 },
      tags: ['x', 'y'],
      constructor: { name: 'x' },
      more: [1],
    });
    expect(dto).toBeInstanceOf(Novel);
    expect(dto.author).toBeInstanceOf(Author);
    expect(dto).toEqual({ title: 't', author: { name: 'a' }, tags: ['x', 'y'] });
  });

  it('transforms only what the class names, and of a wrong shape only its kind', async () => {
    const transformed = jest.spyOn(classTransformer, 'plainToInstance');
    const values = Array.from({ length: 1_000 }, () => ({ name: { deep: [1] } }));
    const unnamed = Object.fromEntries(values.map((value, index) => [`k${index}`, value]));
    await check({ title: 't', ...unnamed, author: { name: 'a', ...unnamed } });
    await expect(check({ title: ['t', unnamed], author: values, tags: [values] })).rejects.toThrow();
    expect(transformed.mock.calls.map(([, plain]) => plain)).toEqual([
      { title: 't', author: { name: 'a' } },
      { title: [], author: [], tags: [[]] },
    ]);
  });

  it.each<[string, unknown, unknown[]]>([
    ['nothing', {}, [['title', 'missing']]],
    ['a member of another kind', { title: { constructor: true } }, [['title', 'string_type']]],
    ['an author that is a text', { title: 't', author: 'a' }, [['author', 'dict_type']]],
    ['an author that is a list', { title: 't', author: [{ name: 1 }, 2] }, [['author', 'dict_type']]],
    ['an author without a name', { title: 't', author: {} }, [['author', 'name', 'missing']]],
    ['a list of objects', { title: 't', tags: [{ a: 1 }] }, [['tags', 'string_type']]],
    ['a text with NUL', { title: '\0' }, [['title', 'string_unicode']]],
    [
      'texts with NUL',
      { title: 't', author: { name: '\0' }, tags: ['\0'] },
      [
        ['author', 'name', 'string_unicode'],
        ['tags', 0, 'string_unicode'],
      ],
    ],
    ['no object', [], [['dict_type']]],
  ])('lists what is wrong with %s', async (_, value, problems) => {
    expect((await problemsOf(value)).map(({ loc, type }) => [...loc.slice(1), type])).toEqual(problems);
  });
});
