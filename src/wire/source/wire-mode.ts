import { invalid } from '../../base/index.ts';

/** Whose fields the answers of a server have: all of ours, or those that clients of Houmao know. */
export const WIRE_MODES = ['rouse', 'houmao'] as const;
export type WireMode = (typeof WIRE_MODES)[number];

/** `ROUSE_WIRE`, as a server was started with it. */
export function wireMode(env: NodeJS.ProcessEnv): WireMode {
  const given = env['ROUSE_WIRE'] || 'rouse';
  const mode = WIRE_MODES.find((each) => each === given);
  if (mode) return mode;
  throw invalid(`ROUSE_WIRE must be "rouse" or "houmao", but is "${given.slice(0, 40)}"`);
}
