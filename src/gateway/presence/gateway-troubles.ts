import { commandLine, type Loop, preview } from '../../base/index.ts';
import { commandIn, FIX_UNWRITABLE, type GatewayTrouble } from '../../domain/index.ts';
import { freshQueueCommand, freshQueueWords } from '../../wire/index.ts';

export interface TroubleSources {
  /** The agent's name on a command line; undefined without one. */
  agentName: string | undefined;
  loops: () => readonly Loop[];
  /** Files that cannot be written now, one sentence each. */
  files: () => readonly string[];
  /** What is wrong with the queue's own file. */
  queueFile: () => string | undefined;
  /** Why the mailbox cannot be read, and what to do about it. */
  mail: () => { message: string; hint: string | undefined } | undefined;
}

const MAX_REASON_CHARS = 400;

/**
 * What prevents this gateway from working now, worst first. The one place that knows: `/health`, the status and the
 * glance all use it, so they cannot disagree.
 */
export class GatewayTroubles {
  readonly #sources: TroubleSources;

  constructor(sources: TroubleSources) {
    this.#sources = sources;
  }

  get failingLoops(): Loop[] {
    return this.#sources.loops().filter((loop) => loop.trouble);
  }

  all(): GatewayTrouble[] {
    const { agentName, files, queueFile, mail } = this.#sources;
    const queue = queueFile();
    const mailbox = mail();
    const logs = agentName ? commandLine`rouse logs ${agentName}` : 'rouse logs';
    return [
      ...(queue === undefined ? [] : [this.#lostQueue(queue)]),
      ...files().map((reason) => ({ reason, ...FIX_UNWRITABLE })),
      ...this.failingLoops.map(({ name, trouble }) => ({
        reason: `${name} fails: ${trouble!.message}`,
        fix: `it is retried automatically; "${logs}" shows more`,
        command: logs,
      })),
      ...(mailbox === undefined ? [] : [unreadable(mailbox)]),
    ].map(({ reason, ...rest }) => ({ reason: preview(reason, MAX_REASON_CHARS), ...rest }));
  }

  #lostQueue(reason: string): GatewayTrouble {
    const { agentName } = this.#sources;
    return { reason, fix: freshQueueWords(agentName), command: freshQueueCommand(agentName) };
  }
}

function unreadable({ message, hint }: { message: string; hint: string | undefined }): GatewayTrouble {
  const next = hint === undefined ? '' : ` (${hint})`;
  return {
    reason: `its mailbox cannot be read: ${message}`,
    fix: `put it back, and it goes on by itself${next}`,
    command: commandIn(next),
  };
}
