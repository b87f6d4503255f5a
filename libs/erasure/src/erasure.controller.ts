import { Readable } from 'node:stream';
import {
  applyDecorators,
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import {
  ApiProblems,
  type DescribedProblems,
  JsonBody,
  LARGE_BODY_BYTES,
  OtherBody,
  parseJson,
  type ReceivedBody,
  Signal,
  TimeLimit,
} from '@cxp/service-kit';
import { KeyedLimit } from '@cxp/storage';
import { CertificateResponse, EraseAgainRequest, EraseRequest, ErasurePath } from './erasure.dto';
import { type Certificate, ErasureService } from './erasure.service';
import { subjectOf } from './erasure-area';

const BODY_LIMIT_BYTES = 256 * 1024;
/** 100 identifiers and their members, with room for what is not known. */
const MAX_VALUES = 500;

const CERTIFICATE_LIMIT_BYTES = 16 * 1024 * 1024;
const CERTIFICATE_VALUES = 1_000_000;

/** Milliseconds for counting a dry run and for storing a certificate's keys; no single statement takes that long. */
const TIME_LIMIT_MS = 30_000;

@ApiTags('Erasures')
@Controller('external/erasures')
export class ErasureController {
  /** Large certificates are parsed and stored one after the other: a million keys take some 60 MiB. */
  private readonly large = new KeyedLimit({ places: 1, waitMs: TIME_LIMIT_MS });

  /** Large certificates that are sent at once. */
  private readonly streams = new ConcurrencyLimit({ perOrganization: 8, total: 64 });

  constructor(private readonly erasures: ErasureService) {}

  @Post()
  @RequirePermission('$personal_data:erase')
  @HttpCode(200)
  @JsonBody(BODY_LIMIT_BYTES, { maxValues: MAX_VALUES })
  @TimeLimit(TIME_LIMIT_MS)
  @ApiOperation({
    operationId: 'erase',
    summary: "Erase a person's data",
    description:
      'Answers a certificate, which holds no identifier. The keys of what was erased are kept, so that no record ' +
      'brings it back. A large erasure goes on after the answer: its `erasedAt` is null until then.',
  })
  @AnswersCertificate({
    'invalid body, or an id that belongs to an erasure of another subject, which is under way': {
      code: 'invalid',
      items: [{ loc: ['body', 'id'], msg: 'id must be a UUID', type: 'value_error' }],
    },
  })
  async erase(
    @OrganizationId() organizationId: string,
    @Body() { id, subject: sent, dryRun }: EraseRequest,
    @Signal() signal: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | StreamableFile> {
    const subject = subjectOf(sent);
    if (dryRun) return this.answer(await this.erasures.count(organizationId, subject, signal), reply);
    const erasure = await this.erasures.begin({ organizationId, id: id.toLowerCase() }, subject);
    return this.answer(await this.erasures.afterMoment(erasure), reply);
  }

  @Post('again')
  @RequirePermission('$personal_data:erase')
  @HttpCode(200)
  @OtherBody(CERTIFICATE_LIMIT_BYTES)
  @TimeLimit(TIME_LIMIT_MS)
  @ApiOperation({
    operationId: 'eraseAgain',
    summary: 'Apply an erasure again',
    description:
      'After a backup was restored: erases again what the keys of a certificate name. The body is the certificate.',
  })
  @ApiBody({ type: EraseAgainRequest })
  @AnswersCertificate({
    'not a certificate of this area and organization': {
      code: 'invalid',
      items: [
        {
          loc: ['body', 'keys'],
          msg: 'keys must be ids of records of this area by their type',
          type: 'value_error',
        },
      ],
    },
  })
  async again(
    @OrganizationId() organizationId: string,
    @Req() request: FastifyRequest,
    @Signal() signal: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | StreamableFile> {
    const bytes = (request.body as ReceivedBody).ofType('application/json');
    const begin = () => this.erasures.beginAgain(organizationId, certificateOf(bytes));
    const isLarge = bytes.length > LARGE_BODY_BYTES;
    const erasure = await (isLarge ? this.large.run('', begin, signal) : begin());
    return this.answer(await this.erasures.afterMoment(erasure), reply);
  }

  @Get(':id')
  @RequirePermission('$personal_data:erase')
  @ApiOperation({ operationId: 'getErasure', summary: 'Read the certificate of an erasure' })
  @AnswersCertificate({
    'there is no such erasure': { code: 'resource_not_found', model: 'Erasure', id: '' },
    'the id is no uuid': {
      code: 'invalid',
      items: [{ loc: ['path', 'id'], msg: 'id must be a UUID', type: 'value_error' }],
    },
  })
  async find(
    @OrganizationId() organizationId: string,
    @Param() { id }: ErasurePath,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | StreamableFile> {
    return this.answer(await this.erasures.find({ organizationId, id: id.toLowerCase() }), reply);
  }

  /** A large certificate is sent as it is read. */
  private async answer(certificate: Certificate, reply: FastifyReply): Promise<string | StreamableFile> {
    const pieces = this.erasures.json(certificate);
    let text = '';
    while (text.length <= LARGE_BODY_BYTES) {
      const next = await pieces.next();
      if (next.done) return text;
      text += next.value;
    }
    this.streams.holdUntilClosed(certificate.organizationId, reply.raw);
    const all = async function* () {
      yield text;
      yield* pieces;
    };
    return new StreamableFile(Readable.from(all(), { objectMode: false }));
  }
}

/**
 * Large certificates are parsed one at a time, and not kept with the request.
 * @throws ProblemError 422
 */
function certificateOf(bytes: Buffer): unknown {
  const parsed = parseJson(bytes, 'body', CERTIFICATE_VALUES);
  return 'problem' in parsed ? rejectAsInvalid({ loc: ['body'], ...parsed.problem }) : parsed.value;
}

/** The answer is JSON text already, so this documents it and the operation's errors. */
function AnswersCertificate(problems: DescribedProblems): MethodDecorator {
  return applyDecorators(
    Header('cache-control', 'no-store'),
    Header('content-type', 'application/json; charset=utf-8'),
    ApiOkResponse({ type: CertificateResponse, description: 'The certificate.' }),
    ApiProblems(problems),
  );
}
