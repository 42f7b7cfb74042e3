import { EXECUTION_MODES, type ExecutionMode } from '../../src/domain/index.ts';

function modeOf(given: string | undefined): ExecutionMode {
  const mode = EXECUTION_MODES.find((one) => one === (given ?? 'detached_process'));
  if (mode) return mode;
  throw new Error(`ROUSE_TEST_MODE is one of ${EXECUTION_MODES.join(', ')}, not ${given}`);
}

/** How the gateways of this run are started where a test has no reason of its own: `npm run test:modes` sets each. */
export const GATEWAY_MODE = modeOf(process.env['ROUSE_TEST_MODE']);
