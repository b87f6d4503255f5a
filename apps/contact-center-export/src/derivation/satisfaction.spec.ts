import { activities, minute, minutesIn, steps, survey } from '../../test/builders/conversation-records';
import { inReadingOrder } from './records';
import { attributeSurveys, resolutionYesNo } from './satisfaction';
import { deriveSessions } from './sessions';

const ratedTwice = '10 assign ann, 20 route_to_rating, 30 assign bob, 40 route_to_rating';
const neverRated = '10 assign ann, 20 route_to_ai, 30 assign bob, 40 end_conversation';

describe('satisfaction belongs to', () => {
  /** Minutes of the submissions → for each session, then for a row without one, the minute of the one that counts. */
  it.each<[string, string, number[], (number | null)[]]>([
    ['the session that sent the customer to rating', ratedTwice, [25], [25, null, null]],
    ['the latest one whose sentToRatingAt is before submittedAt', ratedTwice, [45], [null, 45, null]],
    ['... or at submittedAt', ratedTwice, [40], [null, 40, null]],
    ['the one sent to rating, though a later session had started', ratedTwice, [35], [35, null, null]],
    ['failing that, the last session that started before it', neverRated, [35], [null, 35, null]],
    ['... or at it', neverRated, [30], [null, 30, null]],
    ['... also after its end', neverRated, [25], [25, null, null]],
    ['... while the first sending to rating is still to come', ratedTwice, [15], [15, null, null]],
    ['failing that, every row of the conversation', neverRated, [5], [5, 5, 5]],
    ['every row of a conversation without sessions', '1 route_to_ai', [5], [5]],
    ['of several submissions for one session the latest', ratedTwice, [25, 22], [25, null, null]],
    ['a session rather than every row', ratedTwice, [5, 25], [25, 5, 5]],
    ['each session its own', ratedTwice, [25, 45], [25, 45, null]],
    ['nobody when there is no survey', ratedTwice, [], [null, null, null]],
  ])('%s', (_, text, submitted, expected) => {
    const sessions = deriveSessions(inReadingOrder(activities(...steps(text))));
    const surveys = submitted.map((at, arrival) => survey({ submittedAt: minute(at), arrival }));
    const satisfactionOf = attributeSurveys(surveys, sessions);
    const counting = [...sessions, null].map(
      (session) => satisfactionOf(session).survey?.submittedAt ?? null,
    );
    expect(counting.map(minutesIn)).toEqual(expected);
  });

  it('of equal submissions the last to arrive, whatever the order of the input', () => {
    const sessions = deriveSessions(inReadingOrder(activities(...steps(ratedTwice))));
    const [first, last] = [1, 2].map((arrival) =>
      survey({ submittedAt: minute(45), rating: arrival, arrival }),
    );
    expect(attributeSurveys([last!, first!], sessions)(sessions[1]!).survey).toBe(last);
  });
});

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
