import { NOTIFIER_OUTCOMES, whyNotWoken } from '../domain/index.ts';
import type { NotifierDecisions } from '../wire/index.ts';
import type { Member } from './team.ts';

/** One agent at one moment, as the live view shows it. */
export interface AgentSnapshot {
  name: string;
  state: string;
  openMail: number;
  /** Wakes for mail that the gateway has proven. */
  wakes: number;
  /** Messages it has archived. */
  handled: number;
  /** Messages it has sent, replies among them. */
  sent: number;
  why: string;
}

/** More than happens to one agent between two queries. */
const RECENT = 50;

/**
 * Asks the gateway of one agent repeatedly. Counts everything once, by id, because a gateway lists only recent entries.
 * An agent whose gateway cannot be reached is shown as such, with its last counts.
 */
export class AgentObserver {
  #member: Pick<Member, 'name' | 'gateway'>;
  #inWords: (reason: string) => string;
  #wakes = new Set<string>();
  #handled = new Set<string>();
  #sent = new Set<string>();

  constructor(member: Pick<Member, 'name' | 'gateway'>, inWords: (reason: string) => string) {
    this.#member = member;
    this.#inWords = inWords;
  }

  async observe(): Promise<AgentSnapshot> {
    const { gateway } = this.#member;
    try {
      const [status, tui, mail, archive, sent, { requests }, { decisions }] = await Promise.all([
        gateway.status(),
        gateway.tuiState(),
        gateway.call('mail.status', {}),
        gateway.call('mail.list', { body: { box: 'archive', limit: RECENT } }),
        gateway.call('mail.list', { body: { box: 'sent', limit: RECENT } }),
        gateway.call('requests.list', { limit: RECENT }),
        gateway.call('notifier.decisions', { limit: 1 }),
      ]);
      for (const { request_kind, request_id, outcome } of requests)
        if (request_kind === 'mail_notifier_prompt' && outcome === 'submitted') this.#wakes.add(request_id);
      for (const { message_ref } of archive.messages) this.#handled.add(message_ref);
      for (const { message_ref } of sent.messages) this.#sent.add(message_ref);
      return this.#snapshot(stateOf(status, tui), mail.open_count ?? 0, whyOf(decisions[0], this.#inWords));
    } catch {
      return this.#snapshot('not reachable', 0, '');
    }
  }

  #snapshot(state: string, openMail: number, why: string): AgentSnapshot {
    const { name } = this.#member;
    const counted = { wakes: this.#wakes.size, handled: this.#handled.size, sent: this.#sent.size };
    return { name, state, openMail, ...counted, why };
  }
}

type Status = Awaited<ReturnType<Member['gateway']['status']>>;
type Tui = Awaited<ReturnType<Member['gateway']['tuiState']>>;
type Decision = NotifierDecisions['decisions'][number];

function stateOf(status: Status, tui: Tui): string {
  if (status.managed_agent_connectivity !== 'connected') return 'gone';
  if (status.active_execution === 'running') return 'being woken';
  if (tui.turn.phase === 'active') return 'busy';
  return tui.turn.phase === 'ready' ? 'idle' : 'unclear';
}

/** The last decision in a few words. */
function whyOf(decision: Decision | undefined, inWords: (reason: string) => string): string {
  if (!decision) return 'no mail so far';
  const at = decision.poll_time_utc.slice(11, 19);
  const count = decision.unread_count ?? 0;
  const mail = `${count} open message${count === 1 ? '' : 's'}`;
  const { wakes, waits } = NOTIFIER_OUTCOMES[decision.outcome];
  if (wakes) return `${at} wake for ${mail}`;
  const why = whyNotWoken(decision, inWords);
  return waits ? `${at} ${mail} ${count === 1 ? 'waits' : 'wait'}: ${why}` : `${at} not woken: ${why}`;
}
