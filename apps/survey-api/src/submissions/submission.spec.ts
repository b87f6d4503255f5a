import { surveyResponse } from '../../test/records';
import { submitted, type LinkedResponse, type StoredSubmission } from './submission';

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 2, 11, second));
const METADATA = { store: 'Hà Nội' };

const response = (parts: Partial<LinkedResponse>): LinkedResponse => ({
  ...surveyResponse({ identifier: 'r' }),
  campaignId: 'c',
  ...parts,
});
const submission = (state: StoredSubmission['state'], second: number): StoredSubmission => ({
  organizationId: 'o',
  campaignId: 'c',
  publicId: 'p',
  identifier: 'r',
  state,
  answers: { '1': 'x' },
  submittedAt: at(second),
});

it.each<[what: string, Partial<LinkedResponse> | undefined, StoredSubmission, Partial<LinkedResponse>]>([
  [
    'an opening of an unknown response',
    undefined,
    submission('opened', 5),
    {
      openedAt: at(5),
      answeredAt: null,
      answers: null,
      source: 'Anonymous Link',
      metadataMappings: METADATA,
    },
  ],
  [
    'an answer to an unknown response',
    undefined,
    submission('answered', 5),
    { openedAt: at(5), answeredAt: at(5), answers: { '1': 'x' }, metadataMappings: METADATA },
  ],
  [
    'an answer to an opened response',
    { openedAt: at(3), source: 'Anonymous Link', metadataMappings: { store: 'before' } },
    submission('answered', 5),
    { openedAt: at(3), answeredAt: at(5), answers: { '1': 'x' }, metadataMappings: { store: 'before' } },
  ],
  [
    'an answer whose clock is behind that of the opening',
    { openedAt: at(7) },
    submission('answered', 5),
    { openedAt: at(7), answeredAt: at(7) },
  ],
  [
    'an answer whose clock is behind that of the sending',
    { sentAt: at(7), source: 'Zalo', userName: 'Hoa' },
    submission('answered', 5),
    { sentAt: at(7), openedAt: at(7), answeredAt: at(7), source: 'Zalo', userName: 'Hoa' },
  ],
  ['an opening of a sent response', { sentAt: at(1) }, submission('opened', 5), { openedAt: at(5) }],
])('%s', (_, known, sent, expected) => {
  expect(submitted(known && response(known), sent, METADATA)).toMatchObject({
    identifier: 'r',
    campaignId: 'c',
    ...expected,
  });
});

it.each<[what: string, Partial<LinkedResponse>, StoredSubmission]>([
  ['an answer to an answered response', { answeredAt: at(1) }, submission('answered', 5)],
  ['an opening of an answered response', { answeredAt: at(1) }, submission('opened', 5)],
  ['an opening of an opened response', { openedAt: at(1) }, submission('opened', 5)],
])('%s changes nothing', (_, known, sent) => {
  expect(submitted(response(known), sent, METADATA)).toBeUndefined();
});
