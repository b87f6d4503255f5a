import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ListResponsesQuery, type ResponsePageResponse } from './response.dto';
import { ApiListResponses } from './response.openapi';
import { ResponseService } from './response.service';

@ApiTags('Survey responses')
@Controller('external/survey-responses')
export class ResponseController {
  constructor(private readonly responses: ResponseService) {}

  @Get()
  @RequirePermission('$survey_response:list')
  @ApiListResponses()
  list(
    @OrganizationId() organizationId: string,
    @Query() query: ListResponsesQuery,
  ): Promise<ResponsePageResponse> {
    return this.responses.list(organizationId, query);
  }
}
