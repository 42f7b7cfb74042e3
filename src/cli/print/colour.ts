import type { Input } from '../command.ts';

export type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

const CODES: Record<Colour, string> = {
  red: '31',
  green: '32',
  yellow: '33;1',
  cyan: '36',
  dim: '2',
  bold: '1',
};

export type Paint = (colour: Colour | undefined, text: string) => string;

/** Whether a terminal shows colours: not with NO_COLOR, and not on a dumb one. */
export const showsColours = (isTty: boolean, env: NodeJS.ProcessEnv): boolean =>
  isTty && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

/** Colours only on a terminal that can show them, and not with NO_COLOR. */
export function painter({ env, outIsTty, style }: Pick<Input, 'env' | 'outIsTty' | 'style'>): Paint {
  const on = style !== 'json' && showsColours(outIsTty, env);
  return (colour, text) => (on && colour ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text);
}
