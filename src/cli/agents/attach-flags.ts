import { accountUids, invalid } from '../../base/index.ts';
import { LISTENER_HOSTS, TUI_TIMING_RULES } from '../../domain/index.ts';
import type { AttachOptions } from '../../session/index.ts';
import type { Flag } from '../command.ts';
import { positiveSeconds, wholeNumber } from '../input/flag-values.ts';

/** For the owner's proxy under its own account, for instance. */
export const ALLOW_USERS = {
  name: 'allow-users',
  value: 'NAMES',
  summary: 'other accounts on this machine that may connect, with a token on every route; "" removes them',
  parse: accountUids,
} as const satisfies Flag;

export const LISTENER_FLAGS: Flag[] = [
  { name: 'gateway-host', value: 'HOST', summary: 'address to bind', choices: LISTENER_HOSTS },
  {
    name: 'gateway-port',
    value: 'PORT',
    summary: 'port to bind; 0 picks a free one',
    parse: wholeNumber(0, 65_535),
  },
  ALLOW_USERS,
];

export const TIMING_FLAGS: Flag[] = TUI_TIMING_RULES.map(({ attachFlag, meaning, defaultSeconds }) => ({
  name: attachFlag,
  value: 'SECONDS',
  summary: `${meaning} (${defaultSeconds})`,
  parse: positiveSeconds,
}));

type Flags = Record<string, unknown>;

const camel = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Where and how a gateway is to run, as the flags say; `prefix` for launch, whose flags name the gateway. */
export function attachOptions(
  flags: Flags,
  names: { background: string; foreground: string },
): AttachOptions {
  const background = flags[names.background] === true;
  const foreground = flags[names.foreground] === true;
  if (background && foreground) throw invalid('give --background or --foreground, not both');
  const timings: NonNullable<AttachOptions['timings']> = {};
  for (const { field, attachFlag } of TUI_TIMING_RULES) {
    const value = flags[camel(attachFlag)];
    if (typeof value === 'number') timings[field] = value;
  }
  return {
    host: flags['gatewayHost'] as string | undefined,
    port: flags['gatewayPort'] as number | undefined,
    mode: background ? 'detached_process' : foreground ? 'tmux_auxiliary_window' : undefined,
    allowUsers: flags['allowUsers'] as number[] | undefined,
    timings: Object.keys(timings).length > 0 ? timings : undefined,
  };
}

export function isEmpty(options: AttachOptions): boolean {
  return Object.values(options).every((value) => value === undefined);
}
