import type { RequestListener } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { authenticateCallers, Authenticator, confirmStreams, FailedAuthentication } from '@cxp/auth-headers';
import { envelopeByPath, ProblemError, sendProblem } from '@cxp/error-envelopes';
import { type LimitedDataSource, PostgresProbe } from '@cxp/storage';
import { Health } from './health/health';
import { createHttpServer, MAX_HEADER_BYTES } from './http/http-server';
import { hideInternalRoutes } from './http/internal-port';
import { limitLargeAnswers } from './http/large-answers';
import { collectOtherMethods } from './http/other-methods';
import { answerUnreadable } from './http/raw-answers';
import { receiveBodies } from './http/request-body';
import { limitTimes } from './http/request-time';
import { logRequests, requestId } from './http/request-log';
import { createLogger, NestLogger } from './logging/logger';
import { measureRequests } from './metrics/http-metrics';
import { measureBuild, measureStores, measureSynchronousCommits } from './metrics/process-metrics';
import { serveDocuments } from './openapi/serve-documents';
import type { AppModuleClass } from './platform.module';
import type { ServiceSettings } from './settings/service-settings';

const NO_HOST = new ProblemError({ code: 'request_malformed', status: 400, message: 'Host is missing' });

const NO_ROUTE = new ProblemError({ code: 'route_not_found' });

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
    trustProxy: settings.TRUSTED_PROXIES.length > 0 ? settings.TRUSTED_PROXIES : false,
    // Routes answer identifiers of any length.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    // Answers URLs that can't be decoded: no hook runs for them.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(error, envelopeOf, request, reply.headers(headersOfEveryAnswer(request))),
    serverFactory: (handle: RequestListener) => createHttpServer(handle, acceptsUpgrade),
    // `answerUnreadable` does this for each server.
    clientErrorHandler: () => undefined,
    // Kept connections are still served: the stores close last.
    return503OnClosing: false,
    multipart: false,
    skipMiddie: true,
  });
  const fastify = adapter.getInstance();
  const answerOtherMethods = collectOtherMethods(fastify, envelopeOf);
  receiveBodies(fastify);
  answerUnreadable(fastify.server, envelope, logger);

  const app = await NestFactory.create<NestFastifyApplication>(appModule.forRoot(settings), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const health = app.get(Health);
  limitTimes(fastify, envelopeOf);
  limitLargeAnswers(fastify, envelopeOf);
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headersOfEveryAnswer(request));
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // Closing makes clients reconnect to another process, and lets this one end. The rest of a late body is not waited for.
    const isLate = reply.statusCode === 503 && !request.raw.complete;
    if (health.isDraining || isLate) void reply.header('connection', 'close');
    done(null, payload);
  });
  if (logger.isLevelEnabled('info')) logRequests(fastify, logger);
  confirmStreams(fastify, app.get(Authenticator));
  measureRequests(fastify, app.get(Registry));
  // Fastify skips hooks that are added after this one for hidden requests.
  if (settings.INTERNAL_PORT) hideInternalRoutes(fastify, settings.INTERNAL_PORT);
  measureBuild(app.get(Registry));
  measureStores(app.get<DataSource, LimitedDataSource>(DataSource), app.get(Redis), app.get(Registry));
  if (settings.POSTGRES_SYNCHRONOUS) measureSynchronousCommits(app.get(PostgresProbe), app.get(Registry));
  fastify.addHook('onRequest', (request, reply, done) => {
    const { httpVersion, headers } = request.raw;
    if (httpVersion === '1.1' && headers.host === undefined) sendProblem(NO_HOST, envelopeOf, request, reply);
    else if (request.is404) sendProblem(NO_ROUTE, envelopeOf, request, reply);
    else done();
  });
  authenticateCallers(fastify, app.get(Authenticator), app.get(FailedAuthentication));
  serveDocuments(fastify, name, settings.DOCUMENTS_DIRECTORY);
  await app.init();
  answerOtherMethods();
  return app;
}

/** Nest sends what a handler returns, although the request may have been answered 503 when its time was over. */
class OneAnswerAdapter extends FastifyAdapter {
  override reply(...sent: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const [reply] = sent;
    const body: unknown = sent[1];
    if (!('sent' in reply && reply.sent)) return super.reply(...sent);
    if (body instanceof StreamableFile) body.getStream().destroy();
    return reply;
  }
}

function headersOfEveryAnswer({ id }: FastifyRequest): Record<string, string> {
  return { 'x-request-id': id, 'x-content-type-options': 'nosniff' };
}
