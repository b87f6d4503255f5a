import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ApiProblems, JSON_TYPE } from '@cxp/service-kit';
import { ListResponsesQuery, SurveyResponsePageDto, RESPONSE_WINDOW_PROBLEMS } from './response.dto';
import { ResponseService } from './response.service';

@ApiTags('Survey responses')
@Controller('external/survey-responses')
export class ResponseController {
  constructor(private readonly responses: ResponseService) {}

  @Get()
  @RequirePermission('$survey_response:list')
  @ApiOperation({
    summary: 'List survey responses',
    description: 'The responses of one campaign, ordered by their earliest timestamp, then by `identifier`.',
  })
  @Header('content-type', JSON_TYPE)
  @ApiOkResponse({ type: SurveyResponsePageDto, description: 'One page.' })
  @ApiProblems(RESPONSE_WINDOW_PROBLEMS)
  list(@OrganizationId() organizationId: string, @Query() query: ListResponsesQuery): Promise<Buffer> {
    return this.responses.list(organizationId, query);
  }
}
