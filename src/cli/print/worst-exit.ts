/** The exit code of a line that did several things: 1 is the worst, then the highest; 0 if all went well. */
export function worstExit(codes: readonly number[]): number {
  return codes.includes(1) ? 1 : Math.max(0, ...codes);
}
