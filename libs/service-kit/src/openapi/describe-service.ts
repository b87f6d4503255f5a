import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { AppModuleClass } from '../platform.module';
import type { ServiceSettings } from '../settings/service-settings';
import { openApiDocument } from './documents';

/** Makes the document in Nest's preview mode, which neither instantiates nor connects. */
export async function describeService<Settings extends ServiceSettings>(
  appModule: AppModuleClass<Settings>,
): Promise<OpenAPIObject> {
  const settings = new appModule.settings();
  const app = await NestFactory.create(appModule.forRoot(settings), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return openApiDocument(app, appModule.platform(settings));
}
