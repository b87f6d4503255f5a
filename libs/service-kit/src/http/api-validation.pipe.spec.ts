import { Type } from 'class-transformer';
import { IsInt, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import { ProblemError, validationItems, type InvalidItem } from '@cxp/error-envelopes';
import { ApiValidationPipe } from './api-validation.pipe';
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
  @IsObject()
  @ValidateNested()
  @Type(() => Author)
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
