export { describeRefusedCursors, type FeedUnderTest } from './cursor-cases';
export { createFruitFeed, type FruitFeed } from './fruit-feed';
