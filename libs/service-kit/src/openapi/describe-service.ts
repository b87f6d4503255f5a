import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ServiceDefinition } from '../service-definition';
import { ServiceModule } from '../service.module';
import type { ServiceSettings } from '../settings/service-settings';
import { openApiDocument } from './documents';

/** A service's OpenAPI document without running it: in Nest's preview nothing is instantiated or connected to. */
export async function describeService<Settings extends ServiceSettings>(
  service: ServiceDefinition<Settings>,
): Promise<OpenAPIObject> {
  const app = await NestFactory.create(
    ServiceModule.forRoot(service, new service.settings()),
    new FastifyAdapter(),
    { preview: true, logger: false, abortOnError: false },
  );
  return openApiDocument(app, service);
}
