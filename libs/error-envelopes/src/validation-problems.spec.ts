import '@nestjs/common';
import { plainToInstance, Type } from 'class-transformer';
import {
  IsArray,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
  validateSync,
} from 'class-validator';
import { validationItems, validationSentences, type ValidationProblems } from './validation-problems';

class Item {
  @IsInt()
  id: number;
}

class Body {
  @IsString()
  @IsNotEmpty({ message: '$property must not be empty' })
  name: string;

  @IsOptional()
  @Max(100)
  @Min(1)
  @IsInt()
  page?: number;

  @IsOptional()
  @MaxLength(3)
  @IsString()
  note?: string;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Item)
  items?: Item[];
}

function problemsOf(problems: ValidationProblems, body: object) {
  return problems(validateSync(plainToInstance(Body, body)), 'body');
}

describe('the sentences of the webchat endpoints', () => {
  it.each<[object, string[]]>([
    [{ name: 'x' }, []],
    [{}, ['name must not be empty', 'name must be a string']],
    [{ name: '' }, ['name must not be empty']],
    [{ name: 'x', items: [{ id: 1 }, { id: 'x' }] }, ['items.1.id must be an integer number']],
    [
      { name: 5, note: 'long' },
      ['name must be a string', 'note must be shorter than or equal to 3 characters'],
    ],
    [{ name: 'x', page: 'y', note: 5 }, ['page must be an integer number', 'note must be a string']],
    [{ name: null }, ['name must not be empty', 'name must be a string']],
  ])('%j', (body, sentences) => {
    expect(problemsOf(validationSentences, body).map(({ msg }) => msg)).toEqual(sentences);
  });
});

describe('the items of the other areas, one for each field', () => {
  const name = 'x';
  it('have nothing about a sound body', () => {
    expect(problemsOf(validationItems, { name })).toEqual([]);
  });

  it.each<[object, loc: (string | number)[], msg: string, type: string]>([
    [{}, ['name'], 'Field required', 'missing'],
    [{ name: null }, ['name'], 'name must be a string', 'string_type'],
    [{ name: '' }, ['name'], 'name must not be empty', 'string_too_short'],
    [{ name, page: 'x' }, ['page'], 'page must be an integer number', 'int_type'],
    [{ name, page: 0 }, ['page'], 'page must not be less than 1', 'greater_than_equal'],
    [{ name, page: 101 }, ['page'], 'page must not be greater than 100', 'less_than_equal'],
    [
      { name, note: 'long' },
      ['note'],
      'note must be shorter than or equal to 3 characters',
      'string_too_long',
    ],
    [{ name, items: 'x' }, ['items'], 'items must be an array', 'list_type'],
    [{ name, items: [{ id: 1 }, {}] }, ['items', 1, 'id'], 'Field required', 'missing'],
  ])('%j', (body, loc, msg, type) => {
    expect(problemsOf(validationItems, body)).toEqual([{ loc: ['body', ...loc], msg, type }]);
  });
});
