/** One line for each warning, instead of Node.js's several. */
export function logWarnings(say: (line: string) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ message }) => say(message.replaceAll(/\s*\n\s*/g, ' ')));
}
