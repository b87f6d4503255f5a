/** Whether a container image is named with a version that stays what it is, more or less: `redis:7.4`, not `redis`. */
export function isPinned(image: string): boolean {
  return /^[\w./-]+:v?\d[\w.-]*$/.test(image);
}
