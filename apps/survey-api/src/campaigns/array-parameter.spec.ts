import { IsOptional } from 'class-validator';
import { ApiValidationPipe } from '@cxp/service-kit';
import { ArrayParameter } from './campaign.dto';

class Query {
  @ArrayParameter()
  @IsOptional()
  statuses?: string[];
}

const pipe = new ApiValidationPipe(() => []);

describe('ArrayParameter', () => {
  it.each([
    ['a single value', { statuses: 'draft' }, ['draft']],
    ['repeated', { statuses: ['draft', 'active'] }, ['draft', 'active']],
    ['bracketed', { 'statuses[]': 'draft' }, ['draft']],
    ['bracketed and repeated', { 'statuses[]': ['draft', 'active'] }, ['draft', 'active']],
    ['bracketed with indexes', { 'statuses[0]': 'draft', 'statuses[1]': 'active' }, ['draft', 'active']],
    ['comma-separated', { statuses: 'draft,active' }, ['draft', 'active']],
    [
      'a mixture',
      { statuses: ['draft,active', 'inactive'], 'statuses[]': 'deleted' },
      ['draft', 'active', 'inactive', 'deleted'],
    ],
    ['with spaces', { statuses: ' draft , active ' }, ['draft', 'active']],
    ['with empty items', { statuses: ',draft,,' }, ['draft']],
    ['empty: no filter', { statuses: '' }, undefined],
    ['absent', {}, undefined],
    [
      'another parameter with the same beginning',
      { statuses_not: 'draft', 'statuses[x]': 'draft' },
      undefined,
    ],
  ])('%s', async (_, query, items) => {
    const { statuses } = (await pipe.transform(query, { type: 'query', metatype: Query })) as Query;
    expect(statuses).toEqual(items);
  });
});
