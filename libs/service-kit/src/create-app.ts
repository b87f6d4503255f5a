import type { RequestListener } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { authenticateCallers, Authenticator, confirmStreams, LimitedAuthentication } from '@cxp/auth-headers';
import { envelopeByPath, sendProblem } from '@cxp/error-envelopes';
import { ClientAddresses } from '@cxp/rate-limit';
import { type LimitedDataSource, PostgresProbe } from '@cxp/storage';
import { Health } from './health/health';
import { completeAnswers, headersOfEveryAnswer, limitLargeAnswers, OneAnswerAdapter } from './http/answers';
import { createHttpServer, MAX_HEADER_BYTES } from './http/http-server';
import { receiveBodies } from './http/request-body';
import { limitTimes } from './http/request-time';
import { logRequests, requestId } from './http/request-log';
import { collectOtherMethods, hideInternalRoutes, refuseUnroutable } from './http/routes';
import { createLogger, NestLogger } from './logging/logger';
import { measureRequests } from './metrics/http-metrics';
import { measureBuild, measureStores, measureSynchronousCommits } from './metrics/process-metrics';
import { serveDocuments } from './openapi/serve-documents';
import type { AppModuleClass } from './platform.module';
import type { ServiceSettings } from './settings/service-settings';

export async function createApp<Settings extends ServiceSettings>(
  appModule: AppModuleClass<Settings>,
  settings: Settings,
): Promise<NestFastifyApplication> {
  const { name, envelope, acceptsUpgrade } = appModule.platform(settings);
  const envelopeOf = envelopeByPath(envelope);
  const logger = createLogger(name, settings.LOG_LEVEL);
  const adapter = new OneAnswerAdapter({
    loggerInstance: logger,
    // A logger for each request would only cost memory: lines name the request.
    childLoggerFactory: () => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    // The router runs no hook for `OPTIONS *`.
    rewriteUrl: ({ url = '/' }) => (url === '*' ? '/*' : url),
    // Routes answer identifiers of any length.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    // Answers URLs that can't be decoded: no hook runs for them.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(error, envelopeOf, request, reply.headers(headersOfEveryAnswer(request))),
    serverFactory: (handle: RequestListener) =>
      createHttpServer({ handle, envelope, logger, acceptsUpgrade }),
    // `createHttpServer` answers unreadable requests.
    clientErrorHandler: () => undefined,
    // Kept connections are still served: the stores close last.
    return503OnClosing: false,
    multipart: false,
    skipMiddie: true,
  });
  const fastify = adapter.getInstance();
  const answerOtherMethods = collectOtherMethods(fastify, envelopeOf);
  receiveBodies(fastify);

  const app = await NestFactory.create<NestFastifyApplication>(appModule.forRoot(settings), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const addresses = app.get(ClientAddresses);
  fastify.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      return addresses.of(this.raw);
    },
  });
  limitTimes(fastify, envelopeOf, settings.CXP_TEST_DEADLINE_MS);
  limitLargeAnswers(fastify, envelopeOf);
  completeAnswers(fastify, app.get(Health));
  if (logger.isLevelEnabled('info')) logRequests(fastify, logger);
  confirmStreams(fastify, app.get(Authenticator));
  measureRequests(fastify, app.get(Registry));
  // Fastify skips hooks that are added after this one for hidden requests.
  if (settings.INTERNAL_PORT) hideInternalRoutes(fastify, settings.INTERNAL_PORT);
  measureBuild(app.get(Registry));
  measureStores(app.get<DataSource, LimitedDataSource>(DataSource), app.get(Redis), app.get(Registry));
  if (settings.POSTGRES_SYNCHRONOUS) measureSynchronousCommits(app.get(PostgresProbe), app.get(Registry));
  refuseUnroutable(fastify, envelopeOf);
  authenticateCallers(fastify, app.get(Authenticator), app.get(LimitedAuthentication));
  serveDocuments(fastify, name, settings.DOCUMENTS_DIRECTORY);
  await app.init();
  answerOtherMethods();
  return app;
}
