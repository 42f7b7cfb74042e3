import type { NotifierDecisions } from '../wire/index.ts';
import type { Member } from './team.ts';

/** One agent at one moment, as the live view shows it. */
export interface Glance {
  name: string;
  state: string;
  openMail: number;
  wakes: number;
  answered: number;
  why: string;
}

/** Asks a gateway what it knows; an agent that cannot be asked is shown as such. */
export async function glanceAt({ name, gateway }: Member): Promise<Glance> {
  try {
    const [status, tui, mail, archive, decisions] = await Promise.all([
      gateway.status(),
      gateway.tuiState(),
      gateway.call('mail.status', {}),
      gateway.call('mail.list', { body: { box: 'archive', limit: 500 } }),
      gateway.call('notifier.decisions', { limit: 200 }),
    ]);
    const wakes = decisions.decisions.filter((decision) => decision.outcome === 'enqueued');
    return {
      name,
      state: stateOf(status, tui),
      openMail: mail.open_count ?? 0,
      wakes: wakes.length,
      answered: archive.message_count,
      why: whyOf(decisions.decisions[0]),
    };
  } catch {
    return { name, state: 'not reachable', openMail: 0, wakes: 0, answered: 0, why: '' };
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
function whyOf(decision: Decision | undefined): string {
  if (!decision) return 'no mail so far';
  const at = decision.poll_time_utc.slice(11, 19);
  const count = decision.unread_count ?? 0;
  const mail = `${count} open message${count === 1 ? '' : 's'}`;
  if (decision.outcome === 'enqueued') return `${at} woken: ${mail}`;
  if (decision.outcome === 'busy_skip') return `${at} not woken for ${mail}: ${decision.detail}`;
  if (decision.outcome === 'empty') return `${at} nothing open`;
  return `${at} ${decision.outcome}: ${decision.detail ?? ''}`;
}
