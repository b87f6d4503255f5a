import { QueryFailedError } from 'typeorm';
import { DependencyUnavailableError, isDataFault, isDependencyUnavailable, violates } from './failures';

function withCode(code: string, message = 'failed'): Error {
  return Object.assign(new Error(message), { code });
}

function query(driverError: Error): Error {
  return new QueryFailedError('SELECT 1', [], driverError);
}

describe('a store that can not serve right now is distinguished from a mistake of ours', () => {
  it.each<[string, unknown]>([
    ['PostgreSQL: connection failure', query(withCode('08006'))],
    ['PostgreSQL: too many connections', query(withCode('53300'))],
    ['PostgreSQL: disk full', query(withCode('53100'))],
    ['PostgreSQL: administrator stopped it', query(withCode('57P01'))],
    ['PostgreSQL: starting up', query(withCode('57P03'))],
    ['PostgreSQL: statement took too long', query(withCode('57014'))],
    ['PostgreSQL: deadlock', query(withCode('40P01'))],
    ['PostgreSQL: serialization failure', query(withCode('40001'))],
    ['PostgreSQL: lock not available', query(withCode('55P03'))],
    ['PostgreSQL: read-only', query(withCode('25006'))],
    ['PostgreSQL: no login', query(withCode('28000'))],
    ['PostgreSQL: wrong password', query(withCode('28P01'))],
    ['PostgreSQL: no such database', query(withCode('3D000'))],
    ['PostgreSQL: no right', query(withCode('42501'))],
    ['PostgreSQL: a file is missing', query(withCode('58P01'))],
    ['PostgreSQL: connection cut', query(new Error('Connection terminated unexpectedly'))],
    ['PostgreSQL: no free connection', new Error('timeout exceeded when trying to connect')],
    ['nobody listens', withCode('ECONNREFUSED')],
    ['connection reset', withCode('ECONNRESET')],
    ['name not found', withCode('ENOTFOUND')],
    [
      'nobody listens on any address',
      new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]),
    ],
    ['Redis: connection closed', new Error('Connection is closed.')],
    ['Redis: no connection yet', new Error("Stream isn't writeable and enableOfflineQueue options is false")],
    ['Redis: no answer', new Error('Command timed out')],
    ['Redis: loading', new Error('LOADING Redis is loading the dataset in memory')],
    ['Redis: read only', new Error("READONLY You can't write against a read only replica.")],
    ['Redis: out of memory', new Error("OOM command not allowed when used memory > 'maxmemory'.")],
    ['something else that is needed', new DependencyUnavailableError('the keys of account sessions')],
  ])('%s', (_, error) => {
    expect(isDependencyUnavailable(error)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['PostgreSQL: unique violation', query(withCode('23505'))],
    ['PostgreSQL: syntax error', query(withCode('42601'))],
    ['PostgreSQL: no such table', query(withCode('42P01'))],
    ['PostgreSQL: text that can not be stored', query(withCode('22021'))],
    ['Redis: wrong type', new Error('WRONGTYPE Operation against a key holding the wrong kind of value')],
    ['Redis: error in a script', new Error('ERR user_script:1: attempt to index a nil value')],
    [
      'a mistake among failures',
      new AggregateError([withCode('ECONNREFUSED'), new TypeError('x is undefined')]),
    ],
    ['nothing went wrong at all', new AggregateError([])],
    ['a mistake', new TypeError('x is undefined')],
    ['a code in a text', 'ECONNREFUSED'],
    ['nothing', undefined],
  ])('not: %s', (_, error) => {
    expect(isDependencyUnavailable(error)).toBe(false);
  });
});

describe('only PostgreSQL says that the data is at fault', () => {
  it.each<[string, boolean, unknown]>([
    ['text that can not be stored', true, query(withCode('22021'))],
    ['a number that is too large', true, query(withCode('22003'))],
    ['no such date', true, withCode('22008')],
    ['unique violation', true, query(withCode('23505'))],
    ['null in a column that has none', true, query(withCode('23502'))],
    ['read-only', false, query(withCode('25006'))],
    ['no login', false, query(withCode('28000'))],
    ['no such table', false, query(withCode('42P01'))],
    ['an internal error', false, query(withCode('XX000'))],
    [
      'a row that a worker of Citus refuses',
      true,
      query(withCode('XX000', 'new row violates check constraint "x"')),
    ],
    ['a code that nobody knows', false, query(withCode('ZZ999'))],
    ['connection cut', false, query(new Error('Connection terminated unexpectedly'))],
    ['nobody listens', false, withCode('ECONNREFUSED')],
    ['a mistake of ours', false, new TypeError('x is undefined')],
    ['a code in a text', false, '22021'],
    ['nothing', false, undefined],
  ])('%s: %s', (_, isAtFault, error) => {
    expect(isDataFault(error)).toBe(isAtFault);
  });
});

describe('violates', () => {
  const violation = Object.assign(withCode('23505'), { constraint: 'link_key_unique' });

  it('recognizes the name of the constraint', () => {
    expect(violates(violation, 'link_key_unique')).toBe(true);
    expect(violates(violation, 'link_name_unique')).toBe(false);
  });

  it.each([
    ['of a shard', '23505', { constraint: 'link_key_unique_102065' }, ''],
    ['of a worker', '23505', {}, 'duplicate key value violates unique constraint "link_key_unique_102065"'],
    [
      'of a copied row',
      'XX000',
      {},
      'duplicate key value violates unique constraint "link_key_unique_102065"',
    ],
  ])('recognizes the name on Citus: %s', (_, code, properties, message) => {
    const error = Object.assign(withCode(code, message), properties);
    expect(violates(error, 'link_key_unique')).toBe(true);
    expect(violates(error, 'key_unique')).toBe(false);
    expect(violates(error, 'link_key')).toBe(false);
  });

  it.each([new Error('other'), undefined, 'link_key_unique'])('is not %p', (error) => {
    expect(violates(error, 'link_key_unique')).toBe(false);
  });
});
