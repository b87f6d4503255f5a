import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { ServiceDefinition } from '../service-definition';
import type { ServiceSettings } from '../settings/service-settings';

/** The service's OpenAPI 3.1 document, as its controllers and DTOs describe it. */
export function openApiDocument<Settings extends ServiceSettings>(
  app: INestApplication,
  service: Pick<ServiceDefinition<Settings>, 'document'>,
): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'API token' }, 'token')
    .addSecurityRequirements('token');
  return SwaggerModule.createDocument(app, service.document(builder).build());
}

/** `GET /docs` (Swagger UI) and `GET /docs/openapi.json`; made when first asked for, so that idle memory stays small. */
export function serveDocuments<Settings extends ServiceSettings>(
  app: INestApplication,
  service: Pick<ServiceDefinition<Settings>, 'document'>,
): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app, service), {
    jsonDocumentUrl: 'docs/openapi.json',
    raw: ['json'],
  });
}
