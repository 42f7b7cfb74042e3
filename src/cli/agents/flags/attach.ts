import { accountUids, invalid } from '../../../base/index.ts';
import {
  anyOf,
  codesOf,
  EXECUTION_MODES,
  type ExecutionMode,
  LISTENER_HOSTS,
  TUI_TIMING_RULES,
} from '../../../domain/index.ts';
import type { AttachOptions } from '../../../session/index.ts';
import { type Flag, type FlagsOf, flagKey } from '../../command.ts';
import { positiveSeconds, wholeNumber } from '../../input/flag-values.ts';

/** For example, a proxy that runs under an account of its own. */
export const ALLOW_USERS = {
  name: 'allow-users',
  value: 'NAMES',
  summary: 'other accounts on this machine that may connect, with a token on every route; "" removes them',
  parse: accountUids,
} as const satisfies Flag;

export const HOSTED = {
  name: 'hosted',
  summary: 'run the gateway in the process that all hosted gateways share',
} as const satisfies Flag;

export const LISTENER_FLAGS = [
  { name: 'gateway-host', value: 'HOST', summary: 'address to bind', choices: LISTENER_HOSTS },
  {
    name: 'gateway-port',
    value: 'PORT',
    summary: 'port to bind; 0 picks a free one',
    parse: wholeNumber(0, 65_535),
  },
  ALLOW_USERS,
] as const satisfies readonly Flag[];

export const TIMING_FLAGS = TUI_TIMING_RULES.map(
  ({ attachFlag, meaning, defaultSeconds }) =>
    ({
      name: attachFlag,
      value: 'SECONDS',
      summary: `${meaning} (${defaultSeconds})`,
      parse: positiveSeconds,
    }) as const satisfies Flag,
);

type ListenerFlags = FlagsOf<typeof LISTENER_FLAGS>;
type TimingFlags = FlagsOf<typeof TIMING_FLAGS>;
type ModeWords = (typeof EXECUTION_MODES)[ExecutionMode]['words'];

/** Where and how to run a gateway. `modes` is separate because `launch` has other names for those flags. */
export function attachOptions(
  flags: ListenerFlags & Partial<TimingFlags>,
  modes: Record<ModeWords, boolean | undefined>,
): AttachOptions {
  const [mode, ...others] = codesOf(EXECUTION_MODES).filter((each) => modes[EXECUTION_MODES[each].words]);
  if (others.length > 0)
    throw invalid(`use one of ${anyOf(Object.values(EXECUTION_MODES).map(({ words }) => `--${words}`))}`);
  const timings: NonNullable<AttachOptions['timings']> = {};
  for (const { field, attachFlag } of TUI_TIMING_RULES) {
    const value = flags[flagKey(attachFlag)];
    if (value !== undefined) timings[field] = value;
  }
  return {
    host: flags.gatewayHost,
    port: flags.gatewayPort,
    mode,
    allowUsers: flags.allowUsers,
    timings: Object.keys(timings).length > 0 ? timings : undefined,
  };
}

export function isEmpty(options: AttachOptions): boolean {
  return Object.values(options).every((value) => value === undefined);
}
