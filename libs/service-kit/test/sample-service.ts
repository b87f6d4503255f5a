import { accessDatabase, OrganizationId, Public, RequirePermission } from '@cxp/auth-headers';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Module,
  Param,
  Post,
  Req,
  StreamableFile,
  type DynamicModule,
  type Type,
} from '@nestjs/common';
import { DocumentBuilder } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { messageEnvelope, validationSentences } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { Statement, type DatabaseSchema, withPauses } from '@cxp/storage';
import {
  CodePoints,
  IntegerSetting,
  JsonBody,
  PlatformModule,
  type PlatformOptions,
  ServiceSettings,
  Signal,
} from '../src';

export const SAMPLE_PERMISSION = '$survey_link:create';

const SLEEP = new Statement({ organizationId: 'text' }, {}, 'SELECT pg_sleep(60), $organizationId');

export class SampleSettings extends ServiceSettings {
  @IntegerSetting(1, 65_535)
  SAMPLE_PORT = 3_999;

  @IntegerSetting(1, 1_000_000)
  SAMPLE_PER_SEC_LIMIT = 1_000_000;

  @IntegerSetting(1, 1_000_000)
  SAMPLE_PER_MIN_LIMIT = 1_000_000;
}

class GreetingRequest {
  @CodePoints(1, 5)
  name: string;
}

@Controller('external/greetings')
class GreetingController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly redis: Redis,
  ) {}

  @Post()
  @HttpCode(200)
  @RequirePermission(SAMPLE_PERMISSION)
  @JsonBody({ jsonBytes: 1_024, maxValues: 20 })
  greet(@Body() { name }: GreetingRequest): { greeting: string } {
    return { greeting: `Hello ${name}` };
  }

  @Public()
  @Get('of/:name')
  greetByPath(@Param('name') name: string): { greeting: string } {
    return { greeting: `Hello ${name}` };
  }

  /** Answers when somebody sets the key in Redis: a request that is under way for as long as a test wants. */
  @Public()
  @Get('held/:key')
  hold(@Param('key') key: string, @Req() request: FastifyRequest): Promise<{ greeting: string }> {
    return request.time.pausedFor(() => this.wait(key));
  }

  /** The same, for as long as requests may wait for a store. */
  @Public()
  @Get('waiting/:key')
  async wait(@Param('key') key: string): Promise<{ greeting: string }> {
    await this.redis.set(`${key}:started`, 1);
    while (!(await this.redis.exists(key))) await sleep(10);
    return { greeting: 'Hello at last' };
  }

  /** The same, of a file; when that is given up, a key in Redis says so. */
  @Public()
  @Get('waiting/:key/file')
  async waitForFile(@Param('key') key: string): Promise<StreamableFile> {
    await this.wait(key);
    const file = new Readable({
      read: () => undefined,
      destroy: () => void this.redis.set(`${key}:closed`, 1),
    });
    return new StreamableFile(file);
  }

  /** Works, step by step, until nobody waits for it any more; each step is counted. */
  @Post('working/:key')
  @RequirePermission(SAMPLE_PERMISSION)
  @JsonBody({ jsonBytes: 1_024 })
  async work(@Param('key') key: string, @Body() _body: GreetingRequest, @Signal() signal: AbortSignal) {
    for (;;) {
      signal.throwIfAborted();
      await this.redis.incr(key);
      await sleep(10);
    }
  }

  /** Long work: how long its steps and the pauses between them took together. */
  @Public()
  @Get('long')
  async workLong(): Promise<{ ms: number }> {
    const since = performance.now();
    for await (const step of withPauses(Array(40).keys())) {
      // As streams do between two chunks.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      const from = performance.now();
      while (performance.now() < from + 6) void step;
    }
    return { ms: performance.now() - since };
  }

  /** Slow in PostgreSQL. */
  @Get('asleep')
  @RequirePermission(SAMPLE_PERMISSION)
  async sleep(@OrganizationId() organizationId: string): Promise<void> {
    await SLEEP.run(this.dataSource.manager, { organizationId });
  }

  /** Uses a connection to PostgreSQL for a moment. */
  @Public()
  @Get('selected')
  async select(): Promise<void> {
    await this.dataSource.query('SELECT pg_sleep(0.1)');
  }

  /** A mistake of ours. */
  @Public()
  @Get('broken/:secret')
  async breakDown(@Param('secret') secret: string): Promise<void> {
    await this.dataSource.query('SELECT $1::text, 1 / 0', [secret]);
  }
}

@Public()
@Controller('internal/greetings')
class InternalGreetingController {
  @Get()
  greet(): { greeting: string } {
    return { greeting: 'Hello platform' };
  }
}

@Module({ controllers: [GreetingController, InternalGreetingController] })
class GreetingModule {}

export const sampleDatabase: DatabaseSchema = {
  name: 'sample',
  schema: 'sample',
  migrations: [],
};

/** The smallest service there can be, for what all services share. */
@Module({})
export class SampleModule {
  static readonly serviceName = 'sample';
  static readonly settings = SampleSettings;

  static platform(settings: SampleSettings): PlatformOptions {
    return {
      name: SampleModule.serviceName,
      port: settings.SAMPLE_PORT,
      databases: [accessDatabase, sampleDatabase],
      envelope: messageEnvelope,
      validationProblems: validationSentences,
      rateLimits: { default: perSecondAndMinute(settings, 'SAMPLE') },
      document: new DocumentBuilder().setTitle('Greetings'),
    };
  }

  static forRoot(settings: SampleSettings, area: Type = GreetingModule): DynamicModule {
    const platform = PlatformModule.forRoot(settings, SampleModule.platform(settings));
    return { module: SampleModule, imports: [platform, area] };
  }
}
