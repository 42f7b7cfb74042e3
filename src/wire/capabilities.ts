import { forbidden } from '../base/index.ts';

/** Who can speak to a gateway, as far as what may be asked depends on it. Loads no schema. */
export const CALLERS = {
  owner: 'the account that owns the gateway, or root',
  token: "whoever holds the gateway's token",
  user: "a person's token, through the fleet server",
  agent: 'the agent itself: its tools (MCP), or its token at the fleet server',
  page: 'a session of the page',
  remote: 'anyone who calls from another host',
} as const;
export type Caller = keyof typeof CALLERS;

/**
 * Says for whom a program asks that is itself let in as the owner: the fleet server, the page, the tools of an agent. It only
 * ever takes away, so anyone may send it. Several are separated by commas, and what one of them may not do is refused.
 */
export const CALLER_HEADER = 'x-rouse-caller';

interface CapabilityRow {
  meaning: string;
  callers: readonly Caller[];
  hint: string;
}

/** What not everybody may do who may speak to a gateway, whichever route or field asks for it. */
export const CAPABILITIES = {
  any_file: {
    meaning:
      "Attach a file by its path, wherever it is; others attach bytes, or files of the session's project",
    callers: ['owner'],
    hint: 'send the bytes, or a file below the working directory of the session',
  },
  raw_keys: {
    meaning: 'Have keys of their own choosing typed, now or later',
    callers: ['owner', 'token', 'user'],
    hint: 'send a prompt, or type the keys on the host of the agent',
  },
  dialog_key: {
    meaning: 'Press a key in the dialog that was seen, and in no other',
    callers: ['owner', 'token', 'user', 'page'],
    hint: 'answer the dialog on the host of the agent',
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

/** The callers a header names. A word that is not known is the one that may do least. */
export function callersIn(header: string | undefined): Caller[] {
  const words = header?.split(',').map((word) => word.trim()) ?? [];
  return words.map((word) => (Object.hasOwn(CALLERS, word) ? (word as Caller) : 'remote'));
}

interface Keys {
  send_keys?: unknown;
}

/** What a body asks for beyond the route it is sent to, by the route's name. The rest of the routes ask for nothing more. */
export const NEEDS = {
  'control.sendKeys': (body: { expected_dialog?: string | null | undefined }): Capability =>
    body.expected_dialog == null ? 'raw_keys' : 'dialog_key',
  'reminders.create': ({ reminders }: { reminders: readonly Keys[] }): Capability | undefined =>
    reminders.some(({ send_keys }) => send_keys != null) ? 'raw_keys' : undefined,
  'reminders.put': ({ send_keys }: Keys): Capability | undefined =>
    send_keys == null ? undefined : 'raw_keys',
};
