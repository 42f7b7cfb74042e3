import { codesOf, EXECUTION_MODES, type ExecutionMode, isCodeOf } from '../../src/domain/index.ts';

function modeOf(given: string | undefined): ExecutionMode | undefined {
  const mode = isCodeOf(EXECUTION_MODES, given) ? given : undefined;
  if (mode || given === undefined) return mode;
  throw new Error(`ROUSE_TEST_MODE is one of ${codesOf(EXECUTION_MODES).join(', ')}, not ${given}`);
}

const ASKED = modeOf(process.env['ROUSE_TEST_MODE']);

/** How gateways are started in tests that need no particular mode: `npm run test:modes` sets each mode in turn. */
export const GATEWAY_MODE = ASKED ?? 'detached_process';

/** The modes for a test of several modes: all of them, or the one that `npm run test:modes` sets. */
export const GATEWAY_MODES: readonly ExecutionMode[] = ASKED ? [ASKED] : codesOf(EXECUTION_MODES);

export const MODE_FLAGS = {
  detached_process: '--background',
  tmux_auxiliary_window: '--foreground',
  hosted: '--hosted',
} as const satisfies Record<ExecutionMode, string>;

/** The flag of `agents gateway attach` for this run; a test passes its own mode for runs that set none. */
export const modeFlag = (otherwise: ExecutionMode): string => MODE_FLAGS[ASKED ?? otherwise];
