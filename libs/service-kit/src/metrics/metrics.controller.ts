import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Registry } from 'prom-client';
import { Public } from '@cxp/auth-headers';
import { TimeLimit } from '../http/request-time';

/** Milliseconds, within Prometheus' ten seconds: gauges that ask a hanging PostgreSQL give up first. */
const SCRAPE_MS = 8_000;

@ApiExcludeController()
@Public()
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(Registry) private readonly registry: Registry) {}

  @Get()
  @TimeLimit(SCRAPE_MS)
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  metrics(): Promise<string> {
    return this.registry.metrics();
  }
}
