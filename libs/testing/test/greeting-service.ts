import { Controller, Get, Injectable, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

@Injectable()
class Greeter {
  greet(name: string): string {
    return `Hello ${name}`;
  }
}

@Controller('greetings')
class GreetingController {
  constructor(private readonly greeter: Greeter) {}

  @Get(':name')
  greet(@Param('name') name: string): string {
    return this.greeter.greet(name);
  }
}

@Controller('health/ready')
class HealthController {
  @Get()
  ready(): { pid: number } {
    return { pid: process.pid };
  }
}

@Module({ controllers: [GreetingController, HealthController], providers: [Greeter] })
class GreetingModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(GreetingModule, new FastifyAdapter());
  app.enableShutdownHooks();
  await app.listen(Number(process.env.GREETING_PORT), '127.0.0.1');
}

void main();
