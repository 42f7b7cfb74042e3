import type { Clock, Log } from '../base/index.ts';
import type { HostIdentity } from '../client/index.ts';
import type { ExecutionMode, TuiTimings } from '../domain/index.ts';
import type { Accounts } from '../http/index.ts';
import type { FileAccess } from '../mail/index.ts';
import type { AgentSurface } from '../terminal/index.ts';
import type { MailboxBinding, WireMode } from '../wire/index.ts';
import type { OpenMailbox } from './mail/index.ts';
import type { AgentTools, WakeTemplate } from './notifier/index.ts';
import type { SessionFacts } from './session-facts.ts';

/** What a gateway is started with. */
export interface GatewayConfig {
  gatewayRoot: string;
  session: SessionFacts;
  host: string;
  port: number;
  executionMode: ExecutionMode;
  window: { id: string; index: string; paneId: string } | null;
  /** What its surface is opened with, told in its instance record. */
  timings: TuiTimings;
  /** Demanded of whoever the kernel does not know as the owner. */
  token: string | undefined;
  /** Which accounts of this machine may connect. Default: its own and root. */
  accounts?: Accounts | undefined;
  /** Of which host the agent is, told to its fleet server. */
  fleetHost?: HostIdentity | undefined;
  /** Whose fields its answers have. Default: all of ours. */
  wire?: WireMode | undefined;
  /** How often its keeper has started it again. */
  restarts?: number | undefined;
  clock: Clock;
  /** Where log lines are shown beside the file: the gateway's own window. */
  show?: (line: string) => void;
  openSurface: (parts: { laneLock: string; log: Log }) => AgentSurface;
  openMailbox: OpenMailbox;
  /** Reads the session's mailbox binding, which may change while the gateway runs. */
  mailboxBinding: () => MailboxBinding | null | undefined;
  /** The text of a wake, with slots; read at every look, so that a user may replace it. */
  wakeTemplate: () => WakeTemplate;
  /** The command line that does with the agent's mail what its words say: `list …`. */
  mailCommand: (words: string) => string;
  /** Our tools as this instance of the agent has them, while the gateway serves them at this address, or nowhere. */
  agentTools: (baseUrl: string | undefined, instanceId: string | null) => AgentTools;
  /** Files that callers other than the owner may attach to mail by their path. */
  sharedFiles: () => FileAccess;
  skills: () => { process: boolean; comms: boolean };
}
