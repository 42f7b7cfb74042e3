import { forbidden } from '../base/index.ts';

/** The kinds of callers of a gateway that differ in what they may ask. Loads no schema. */
export const CALLERS = {
  owner: 'the account that owns the gateway, or root',
  token: "a caller with the gateway's token",
  user: "a person's token, through the fleet server",
  agent: 'the agent itself: its tools (MCP), or its token at the fleet server',
  page: 'a session of the page',
  remote: 'anyone who calls from another host',
} as const;
export type Caller = keyof typeof CALLERS;

/**
 * Names the caller on whose behalf a program asks that is itself admitted as the owner: the fleet server, the page, the tools
 * of an agent. It only takes rights away, so anyone may send it. Several are separated by commas; all of them must be allowed.
 */
export const CALLER_HEADER = 'x-rouse-caller';

interface CapabilityRow {
  meaning: string;
  callers: readonly Caller[];
  hint: string;
}

/** What only some callers of a gateway may do, by any route or field. */
export const CAPABILITIES = {
  any_file: {
    meaning: "Attach any file by its path; others attach bytes, or files of the session's project",
    callers: ['owner'],
    hint: 'send the bytes, or a file below the working directory of the session',
  },
  raw_keys: {
    meaning: 'Type keys of their choice, now or later',
    callers: ['owner', 'token', 'user'],
    hint: 'send a prompt, or type the keys on the host of the agent',
  },
  dialog_key: {
    meaning: 'Press a key in the dialog they saw, and in no other',
    callers: ['owner', 'token', 'user', 'page'],
    hint: 'answer the dialog on the host of the agent',
  },
  hold: {
    meaning: 'Pause the agent, or end its pause',
    callers: ['owner', 'token', 'user', 'page', 'remote'],
    hint: 'a person does this: "rouse pause NAME", "rouse resume NAME"',
  },
} as const satisfies Record<string, CapabilityRow>;
export type Capability = keyof typeof CAPABILITIES;

export function mayCall(callers: readonly Caller[], capability: Capability): boolean {
  const allowed: readonly Caller[] = CAPABILITIES[capability].callers;
  return callers.every((caller) => allowed.includes(caller));
}

/** Throws `forbidden` when one of the callers may not. `what` begins the sentence. */
export function requireCapability(callers: readonly Caller[], capability: Capability, what: string): void {
  if (mayCall(callers, capability)) return;
  const allowed: readonly Caller[] = CAPABILITIES[capability].callers;
  const refused = callers.find((caller) => !allowed.includes(caller))!;
  throw forbidden(`${what}: this is not for ${CALLERS[refused]}`, {
    hint: CAPABILITIES[capability].hint,
    facts: { cause: 'capability', capability },
  });
}

/** The callers that a header names. An unknown word counts as the caller with the fewest rights. */
export function callersIn(header: string | undefined): Caller[] {
  const words = header?.split(',').map((word) => word.trim()) ?? [];
  return words.map((word) => (Object.hasOwn(CALLERS, word) ? (word as Caller) : 'remote'));
}

/** The routes that no agent may call, whatever the body, and why not. */
export const PEOPLE_ONLY = {
  'control.sendKeys': 'dialog_key',
  'pause.begin': 'hold',
  'pause.end': 'hold',
} as const satisfies Record<string, Capability>;

interface Keys {
  send_keys?: unknown;
}

/** The capability that a body, or the call itself, needs beyond its route, by the route's name. Other routes need none. */
export const NEEDS = {
  'pause.begin': (_: object): Capability => 'hold',
  'pause.end': (_: object): Capability => 'hold',
  'control.sendKeys': (body: { expected_dialog?: string | null | undefined }): Capability =>
    body.expected_dialog == null ? 'raw_keys' : 'dialog_key',
  'reminders.create': ({ reminders }: { reminders: readonly Keys[] }): Capability | undefined =>
    reminders.some(({ send_keys }) => send_keys != null) ? 'raw_keys' : undefined,
  'reminders.put': ({ send_keys }: Keys): Capability | undefined =>
    send_keys == null ? undefined : 'raw_keys',
};
