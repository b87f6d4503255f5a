import { IsInt, IsOptional, IsString } from 'class-validator';
import { validationItems } from '@cxp/error-envelopes';
import { NestedObject } from '../validators/nested-object';
import { checkDto } from './check-dto';

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

const check = (value: unknown) => checkDto(Novel, value, 'body', validationItems);

/** An object that tells which of its members somebody asked for. */
function watched(value: Record<string, unknown>): { value: Record<string, unknown>; read: Set<string> } {
  const read = new Set<string>();
  const get = (target: Record<string, unknown>, name: string | symbol): unknown => {
    read.add(String(name));
    return target[String(name)];
  };
  return { value: new Proxy(value, { get }), read };
}

describe('checkDto', () => {
  it('makes an instance of the class, with what the class declares', () => {
    const { dto, items } = check({
      title: 't',
      author: { name: 'a', more: 1 },
      tags: ['x', 'y'],
      constructor: { name: 'x' },
      more: [1],
    });
    expect(items).toEqual([]);
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
  ])('tells what is wrong with %s', (_, value, problems) => {
    expect(check(value).items.map(({ loc, type }) => [...loc.slice(1), type])).toEqual(problems);
  });

  it('looks at no member that the class does not declare, at any level', () => {
    const author = watched({ name: 'a', unknown: 'x' });
    const inner = watched({ deep: 'x' });
    const book = watched({ title: inner.value, author: author.value, unknown: 'x' });
    check(book.value);
    expect([...book.read].sort()).toEqual(['author', 'title']);
    expect([...author.read]).toEqual(['name']);
    expect([...inner.read]).toEqual([]);
  });

  it('tells at most 100 problems', () => {
    const tags = Array<string>(1_000).fill('\0');
    expect(check({ title: 't', tags }).items).toHaveLength(100);
  });
});
