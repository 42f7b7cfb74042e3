import type { Clock, Log } from '../base/index.ts';
import type { HostIdentity } from '../client/index.ts';
import type { ExecutionMode, TuiTimings, WakeText } from '../domain/index.ts';
import type { Accounts } from '../http/index.ts';
import type { FileAccess } from '../mail/index.ts';
import type { AgentSurface, Hold } from '../terminal/index.ts';
import type { MailboxBinding, WireMode } from '../wire/index.ts';
import type { OpenMailbox } from './mail/index.ts';
import type { AgentTools, RegisteredNames, WakeTemplate } from './notifier/index.ts';
import type { SessionFacts } from './session-facts.ts';

/** What a gateway is started with. */
export interface GatewayConfig {
  gatewayRoot: string;
  session: SessionFacts;
  host: string;
  port: number;
  executionMode: ExecutionMode;
  window: { id: string; index: string; paneId: string } | null;
  /** The timings of its surface, published in its instance record. */
  timings: TuiTimings;
  /** Required from callers whom the kernel does not identify as the owner. */
  token: string | undefined;
  /** Which accounts of this machine may connect. Default: its own and root. */
  accounts?: Accounts | undefined;
  /** The host of the agent, reported to its fleet server. */
  fleetHost?: HostIdentity | undefined;
  /** Whose fields its responses have. Default: all of ours. */
  wire?: WireMode | undefined;
  /** How often its keeper has restarted it. */
  restarts?: number | undefined;
  clock: Clock;
  /** Where log lines are shown besides the file: the gateway's own window. */
  show?: (line: string) => void;
  openSurface: (parts: { laneLock: string; log: Log; hold: Hold }) => AgentSurface;
  openMailbox: OpenMailbox;
  /** Reads the session's mailbox binding, which may change while the gateway runs. */
  mailboxBinding: () => MailboxBinding | null | undefined;
  /** The text of a wake, with slots. Read at every look, so that a user may replace it. */
  wakeTemplate: (text: WakeText) => WakeTemplate;
  /** The agents that are registered on this host. Default: none. */
  registeredNames?: () => RegisteredNames;
  /** The mail address of a recipient as the agent calls it: an address, or the name of an agent. */
  recipientAddress: (to: string) => Promise<string>;
  /** The command line for an operation on the agent's mail: `list …`. */
  mailCommand: (words: string) => string;
  /** Our tools as this instance of the agent has them; without a base URL the gateway serves none. */
  agentTools: (baseUrl: string | undefined, instanceId: string | null) => AgentTools;
  /** Files that callers other than the owner may attach to mail by path. */
  sharedFiles: () => FileAccess;
  skills: () => { process: boolean; comms: boolean };
}
