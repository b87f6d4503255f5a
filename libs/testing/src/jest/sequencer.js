const { existsSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const FILE = join(__dirname, 'durations.json');
const ROOT = join(__dirname, '../../../..');
/** Of a file that has no duration yet. */
const UNKNOWN_SECONDS = 5;

/**
 * Test files, the longest first, so that no worker waits for the last one at the end.
 * `npm test -- --durations` renews `durations.json`, which has the seconds of the files that take long.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const durations = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
    const secondsOf = ({ path }) => durations[relative(ROOT, path)] ?? UNKNOWN_SECONDS;
    return [...tests].sort((one, other) => secondsOf(other) - secondsOf(one));
  }
};
module.exports.FILE = FILE;
