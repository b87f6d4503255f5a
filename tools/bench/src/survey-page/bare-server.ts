import { randomUUID } from 'node:crypto';
import { answersOfForm, parseForm } from '@cxp/survey-api/survey-pages/form-fields';
import { FIND_LINKED_SURVEY, type LinkedSurvey } from '@cxp/survey-api/survey-pages/linked-survey.read-model';
import { renderNotice } from '@cxp/survey-api/survey-pages/view/notice-page';
import { NOTHING_TYPED, surveyPieces } from '@cxp/survey-api/survey-pages/view/survey-form';
import { bareApp, bareQuery, limiter, WINDOWS } from '../bare-api';

/**
 * The floor that the survey page is measured against: a Fastify handler that reads the same survey and renders the same
 * template, and one that counts a post the same way and inserts the same row; and nothing else: no seal, no checks, no
 * order of changes, no counts of pages, no framework.
 */
const app = bareApp('SURVEY_PORT');
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, body),
);

app.get<{ Params: { id: string } }>('/s/:id', async (request, reply) => {
  const { id } = request.params;
  const { name, questions } = await findSurvey(id);
  return reply.type('text/html; charset=utf-8').send(
    [
      ...surveyPieces({
        language: 'vi',
        campaignName: name,
        questions,
        identifier: randomUUID(),
        action: `/s/${id}/responses?lang=vi`,
        scriptUrl: '/s/assets/survey-page.js',
        otherLanguageUrl: `/s/${id}?lang=en`,
        typed: NOTHING_TYPED,
      }),
    ].join(''),
  );
});

app.post<{ Params: { id: string }; Body: string }>('/s/:id/responses', async (request, reply) => {
  const { id } = request.params;
  await limiter.consume(`address:${request.ip}`, WINDOWS);
  const survey = await findSurvey(id);
  const answers = answersOfForm(parseForm(Buffer.from(request.body))!, survey.questions);
  await bareQuery(
    'insert response',
    `INSERT INTO survey.response
       (organization_id, identifier, campaign_id, opened_at, answered_at, source, tags, answers, digest)
     VALUES ($1, $2, $3, now(), now(), 'Anonymous Link', '[]', $4, 0)`,
    [survey.organizationId, randomUUID(), survey.campaignId, JSON.stringify(answers)],
  );
  return reply.type('text/html; charset=utf-8').send(renderNotice('thanks', 'vi'));
});

/** By public id; the service computes them. */
const organizations = new Map<string, string>();

async function findSurvey(publicId: string): Promise<LinkedSurvey> {
  const organizationId = organizations.get(publicId) ?? (await findOrganization(publicId));
  organizations.set(publicId, organizationId);
  const [survey] = await bareQuery<LinkedSurvey>('survey', FIND_LINKED_SURVEY.text, [
    organizationId,
    publicId,
  ]);
  return { ...survey!, organizationId };
}

async function findOrganization(publicId: string): Promise<string> {
  const text = 'SELECT organization_id AS id FROM survey.link WHERE public_id = $1';
  return (await bareQuery<{ id: string }>('organization', text, [publicId]))[0]!.id;
}
