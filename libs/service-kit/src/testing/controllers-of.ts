import type { Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { TestService } from './test-service';

/** Every controller of a service, wherever it comes from, for a test that reflects over all routes. */
export function controllersOf({ app }: Pick<TestService, 'app'>): Type[] {
  const modules = [...app.get(ModulesContainer).values()];
  return modules.flatMap(({ controllers }) =>
    [...controllers.values()].map(({ metatype }) => metatype as Type),
  );
}
