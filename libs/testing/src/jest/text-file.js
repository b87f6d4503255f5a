/** Jest's transform for a file that is imported as text. */
module.exports = {
  process: (text) => ({ code: `module.exports = ${JSON.stringify({ __esModule: true, default: text })};` }),
};
