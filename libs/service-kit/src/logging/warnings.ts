/** Logs each warning of Node.js and of packages in one line, instead of the several that Node.js prints. */
export function takeWarnings(say: (line: string) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ message }) => say(message.replaceAll(/\s*\n\s*/g, ' ')));
}
