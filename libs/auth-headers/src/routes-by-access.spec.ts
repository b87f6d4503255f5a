import { All, Controller, Get, Post } from '@nestjs/common';
import { Public, RequirePermission } from './decorators';
import { routesByAccess } from './routes-by-access';

@Controller('mixed')
class MixedController {
  @Get()
  @Public()
  open(): void {}

  @Post()
  @RequirePermission('$survey_link:create')
  protectedRoute(): void {}

  @Post('forgotten')
  forgotten(): void {}

  @All('all')
  forgottenToo(): void {}

  notARoute(): void {}
}

@Public()
@Controller('open')
class OpenController {
  @Get()
  open(): void {}

  @Post()
  @RequirePermission('$survey_link:create')
  protectedRoute(): void {}
}

class InheritingController extends MixedController {}

describe('routesByAccess', () => {
  it('finds routes that declare nothing and lists the public ones', () => {
    expect(routesByAccess([MixedController])).toEqual({
      undeclared: ['MixedController.forgotten (POST)', 'MixedController.forgottenToo (ALL)'],
      public: ['MixedController.open'],
    });
  });

  it("lets a route's own declaration count before its controller's", () => {
    expect(routesByAccess([OpenController])).toEqual({ undeclared: [], public: ['OpenController.open'] });
  });

  it('looks at inherited routes too', () => {
    expect(routesByAccess([InheritingController]).undeclared).toHaveLength(2);
  });
});
