import { StatementScope } from './statement-scope';

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('StatementScope', () => {
  it('is found by all that runs in it, and by nothing else', async () => {
    const scope = new StatementScope();
    const inside = scope.run(async () => {
      await soon();
      return StatementScope.current();
    });
    expect(StatementScope.current()).toBeUndefined();
    expect(await inside).toBe(scope);
    expect(scope.run(() => StatementScope.leave(() => StatementScope.current()))).toBeUndefined();
    scope.close();
  });

  it('is found by what is started in it until that waits', async () => {
    const [outer, scope] = [new StatementScope(), new StatementScope()];
    const found = await outer.run(() =>
      scope.start(async () => {
        const first = [StatementScope.current(), StatementScope.leave(() => StatementScope.current())];
        await soon();
        return [...first, StatementScope.current()];
      }),
    );
    expect(found).toEqual([scope, undefined, outer]);
    expect(StatementScope.current()).toBeUndefined();
    expect(() =>
      scope.start(() => {
        throw new Error('refused');
      }),
    ).toThrow('refused');
    expect(StatementScope.current()).toBeUndefined();
    outer.close();
  });

  it('that is closed ends none that is open', async () => {
    const [closed, left] = [new StatementScope(), new StatementScope()];
    const inside = left.run(async () => {
      await soon();
      return StatementScope.current();
    });
    closed.run(() => undefined);
    closed.close();
    expect(await inside).toBe(left);
    left.close();
    const again = new StatementScope();
    expect(await again.run(async () => (await soon(), StatementScope.current()))).toBe(again);
    again.close();
  });
});
