import { Body, Controller, HttpCode, Module, Post, UseGuards, type Type } from '@nestjs/common';
import { IsOptional, IsString } from 'class-validator';
import { OrganizationMatchGuard, RequirePermission } from '@cxp/auth-headers';
import { CodePoints, JsonBody, TimeLimit } from '../src';
import { startTestService, type Caller, type TestService } from '../src/testing';
import { SAMPLE_PERMISSION, sampleDatabase, SampleModule, type SampleSettings } from './sample-service';

class GreetingRequest {
  @CodePoints(1, 5)
  name: string;

  @IsOptional()
  @IsString()
  organizationId?: string;
}

const DECORATORS: Readonly<Record<string, MethodDecorator>> = {
  Post: Post(),
  HttpCode: HttpCode(200),
  RequirePermission: RequirePermission(SAMPLE_PERMISSION),
  OrganizationMatchGuard: UseGuards(new OrganizationMatchGuard('body')),
  JsonBody: JsonBody({ jsonBytes: 1_024 }),
  TimeLimit: TimeLimit(60_000),
};

function ordersOf(names: readonly string[]): string[][] {
  if (names.length === 0) return [[]];
  return names.flatMap((first) =>
    ordersOf(names.filter((name) => name !== first)).map((rest) => [first, ...rest]),
  );
}

/** Those in which each decorator is once the first, and each pair is in both orders, are among them. */
const ORDERS = ordersOf(Object.keys(DECORATORS)).filter((_, index) => index % 17 === 0);

function controllerOf(order: readonly string[], index: number): Type {
  @Controller(`external/orders/${index}`)
  class OrderedController {
    greet({ name }: GreetingRequest): { greeting: string } {
      return { greeting: name };
    }
  }
  const { prototype } = OrderedController;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'greet')!;
  Reflect.defineMetadata('design:paramtypes', [GreetingRequest], prototype, 'greet');
  Body()(prototype, 'greet', 0);
  for (const name of [...order].reverse()) DECORATORS[name]!(prototype, 'greet', descriptor);
  return OrderedController;
}

@Module({ controllers: ORDERS.map(controllerOf) })
class OrdersModule {}

const { serviceName, settings } = SampleModule;
const platform = (values: SampleSettings) => SampleModule.platform(values);
const forRoot = (values: SampleSettings) => SampleModule.forRoot(values, OrdersModule);

let service: TestService;
let caller: Caller;
let denied: Caller;
beforeAll(async () => {
  service = await startTestService({ serviceName, settings, platform, forRoot }, sampleDatabase, {
    SAMPLE_PER_MIN_LIMIT: '100000',
  });
  caller = await service.caller();
  denied = await service.caller({ permissions: ['$survey_campaign:list'] });
});
afterAll(() => service.stop());

const json = { 'content-type': 'application/json' };
const CALLS: readonly [string, () => Record<string, string>, BodyInit, number][] = [
  ['a sound one', () => ({ ...caller.headers, ...json }), '{"name":"Hoa"}', 200],
  ['one without a token, with a bad body', () => json, 'x'.repeat(10_000), 401],
  ['one without a permission, with a bad body', () => ({ ...denied.headers, ...json }), '{', 401],
  [
    'one of another organization, with a bad name',
    () => ({ ...caller.headers, ...json }),
    '{"organizationId":"x","name":7}',
    401,
  ],
  ['one that is no JSON', () => ({ ...caller.headers, ...json }), '{', 422],
  ['one of another type', () => ({ ...caller.headers, 'content-type': 'text/plain' }), '{}', 422],
  ['one that is not valid', () => ({ ...caller.headers, ...json }), '{"name":7}', 422],
  ['one that is too large', () => ({ ...caller.headers, ...json }), `"${'x'.repeat(1_100)}"`, 413],
];

it.each(CALLS)(
  'the order of decorators does not change the answer to %s',
  async (_, headers, body, status) => {
    const answers = ORDERS.map((_order, index) =>
      fetch(`${service.url}/external/orders/${index}`, { method: 'POST', headers: headers(), body }),
    );
    const statuses = (await Promise.all(answers)).map((answer) => answer.status);
    expect(ORDERS.length).toBeGreaterThan(40);
    expect([...new Set(statuses)]).toEqual([status]);
  },
);
