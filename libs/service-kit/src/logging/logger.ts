import { types } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { pino, stdSerializers, type Logger, type SerializedError } from 'pino';
import { UnusableStoreError } from '@cxp/storage';
import { logContext } from './log-context';

/**
 * Writes one JSON object a line to standard output. Headers, bodies and statements' values are left out, so that no token and
 * no customer's data is logged.
 */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    mixin: logContext(),
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    formatters: { level: (label) => ({ level: label }) },
  });
}

function describeError(thrown: unknown): Partial<SerializedError> | string {
  if (!types.isNativeError(thrown)) return String(thrown);
  const { type, message, stack } = stdSerializers.err(thrown);
  return { type, message, stack, ...('code' in thrown ? { code: thrown.code } : {}) };
}

export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    // It ends the start with its own message.
    if (message instanceof UnusableStoreError) return;
    this.logger.error(
      { context: rest.at(-1), err: message instanceof Error ? message : undefined },
      String(message),
    );
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }
}

/** One line for each warning, instead of Node.js's several. */
export function logWarnings(say: (line: string) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ message }) => say(message.replaceAll(/\s*\n\s*/g, ' ')));
}
