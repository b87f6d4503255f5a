import type { Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { TestService } from './test-service';

/** For tests that reflect over all routes. */
export function controllersOf({ app }: Pick<TestService, 'app'>): Type[] {
  const modules = [...app.get(ModulesContainer).values()];
  return modules.flatMap(({ controllers }) =>
    [...controllers.values()].map(({ metatype }) => metatype as Type),
  );
}
