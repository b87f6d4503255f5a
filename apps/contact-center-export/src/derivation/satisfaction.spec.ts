import { minute, survey } from '../../test/builders/conversation-records';
import { resolutionYesNo } from './satisfaction';

/** Which survey belongs to which row: rows.properties.spec.ts. */
describe('resolutionYesNo', () => {
  it.each([
    ['Yes', 'an explicit resolution=1', { resolution: 1, rating: null }],
    ['No', 'an explicit resolution=0', { resolution: 0, rating: null }],
    ['Yes', 'resolution=1 outranks the rating', { resolution: 1, rating: 1 }],
    ['No', 'resolution=0 outranks the rating', { resolution: 0, rating: 5 }],
    ['Yes', 'a rating of 5', { resolution: null, rating: 5 }],
    ['Yes', 'a rating of 4', { resolution: null, rating: 4 }],
    ['No', 'a rating of 3', { resolution: null, rating: 3 }],
    ['No', 'a rating of 1', { resolution: null, rating: 1 }],
    ['', 'a survey with neither', { resolution: null, rating: null }],
  ])('%j: %s', (expected, _, answers) => {
    expect(resolutionYesNo(survey({ submittedAt: minute(0), ...answers }))).toBe(expected);
  });

  it('is empty when there is no survey', () => {
    expect(resolutionYesNo(null)).toBe('');
  });
});
