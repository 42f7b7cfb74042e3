import { invalid } from '../../base/index.ts';

/** Which fields the responses of a server have: all of ours, or only those that clients of Houmao know. */
export const WIRE_MODES = ['rouse', 'houmao'] as const;
export type WireMode = (typeof WIRE_MODES)[number];

/** `ROUSE_WIRE` of the environment that a server was started with. */
export function wireMode(env: NodeJS.ProcessEnv): WireMode {
  const wanted = env['ROUSE_WIRE'] || 'rouse';
  const mode = WIRE_MODES.find((each) => each === wanted);
  if (mode) return mode;
  throw invalid(`ROUSE_WIRE must be "rouse" or "houmao", but is "${wanted.slice(0, 40)}"`);
}
