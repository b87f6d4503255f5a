import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { MetadataScanner } from '@nestjs/core';
import { controllersOf, type TestService } from '@cxp/service-kit/testing';

/** Every route that a service's controllers declare, as `POST /external/sessions`, path parameters in braces. */
export function routesOf(service: Pick<TestService, 'app'>): string[] {
  return controllersOf(service).flatMap(routesOfController).sort();
}

function routesOfController(controller: Type): string[] {
  const prototype = controller.prototype as Record<string, unknown>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
    const parts = [controller, handler].map((target) => String(Reflect.getMetadata(PATH_METADATA, target)));
    const path = parts.map((part) => part.replace(/^\/|\/$/g, '')).filter((part) => part !== '');
    return [`${method} /${path.join('/').replace(/:(\w+)/g, '{$1}')}`];
  });
}
