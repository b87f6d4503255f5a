import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants';
import { MetadataScanner } from '@nestjs/core';
import { ACCESS_RULE } from './decorators';

/** Routes of these controllers by what they declare; a service's test lists the public ones and expects no undeclared one. */
export function routesByAccess(controllers: readonly Type[]): { undeclared: string[]; public: string[] } {
  const undeclared: string[] = [];
  const open: string[] = [];
  for (const controller of controllers) {
    const prototype = controller.prototype as Record<string, unknown>;
    for (const name of new MetadataScanner().getAllMethodNames(prototype)) {
      const handler = prototype[name];
      if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler)) continue;
      const rule: unknown =
        Reflect.getMetadata(ACCESS_RULE, handler) ?? Reflect.getMetadata(ACCESS_RULE, controller);
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      if (!rule) undeclared.push(`${controller.name}.${name} (${method})`);
      if (rule === 'public') open.push(`${controller.name}.${name}`);
    }
  }
  return { undeclared, public: open.sort() };
}
