import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { renderNotice, STYLE_HASH } from './view/document';
import { SurveySettings } from '../settings';
import { chosenLanguage, DEFAULT_LANGUAGE, type Language, LANGUAGES, type NoticeKind } from './page-texts';

/**
 * Allows only our own style, script and pictures; frames need a setting.
 * @param brandStyle of the page, beside its own
 */
export function contentPolicy(frameAncestors: readonly string[], brandStyle?: string): string {
  const brandHash = brandStyle && `sha256-${createHash('sha256').update(brandStyle).digest('base64')}`;
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': `'${STYLE_HASH}'${brandHash ? ` '${brandHash}'` : ''}`,
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'",
  };
  return Object.entries(policy)
    .map((directive) => directive.join(' '))
    .join('; ');
}

const NOTICES: Readonly<Record<number, NoticeKind>> = {
  400: 'unreadable',
  404: 'not_found',
  405: 'not_found',
  410: 'closed',
  413: 'too_large',
  422: 'unreadable',
  429: 'too_many',
  503: 'unavailable',
};

/**
 * Adds headers to every answer below `/s` and turns error bodies into pages, also for timeouts and unknown paths or methods.
 */
@Injectable()
export class ErrorPages implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly settings: SurveySettings,
  ) {}

  onModuleInit(): void {
    const pages = preparedNotices();
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    const headers = pageHeaders(this.settings);
    fastify.addHook('onSend', (request, reply, payload, done) => {
      // A URL can be written in many ways; its route cannot.
      const { url = request.url } = request.routeOptions;
      if (!/^\/s(\/|\?|$)/.test(url)) return done(null, payload);
      for (const [name, value] of Object.entries(headers)) {
        if (!reply.hasHeader(name)) void reply.header(name, value);
      }
      if (!isErrorBody(reply)) return done(null, payload);
      void reply.header('content-type', 'text/html; charset=utf-8');
      done(null, pages[chosenLanguage(request) ?? DEFAULT_LANGUAGE][NOTICES[reply.statusCode] ?? 'failed']);
    });
  }
}

/** Rendered at start, so that error pages cost nothing. */
function preparedNotices(): Record<Language, Record<NoticeKind, Buffer>> {
  const kinds = [...Object.values(NOTICES), 'failed' as const];
  const prepared = LANGUAGES.map((language) => {
    const pages = kinds.map((kind) => [kind, Buffer.from(renderNotice(kind, language))] as const);
    return [language, Object.fromEntries(pages)] as const;
  });
  return Object.fromEntries(prepared) as Record<Language, Record<NoticeKind, Buffer>>;
}

function isErrorBody(reply: FastifyReply): boolean {
  const type = reply.getHeader('content-type');
  return reply.statusCode >= 400 && String(type).startsWith('application/json');
}

function pageHeaders({ SURVEY_FRAME_ANCESTORS: ancestors }: SurveySettings): Record<string, string> {
  return {
    'content-security-policy': contentPolicy(ancestors),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    ...(ancestors.length > 0 ? {} : { 'x-frame-options': 'DENY' }),
  };
}
