import { DirectoryWatches, isProcessAlive, type Log, messageOf } from '../base/index.ts';
import type { WaitedFor } from '../domain/index.ts';
import { inboxDirectory } from '../mail/inbox-count.ts';
import type { GlanceFile } from '../wire/index.ts';
import { agentsDirectory } from './records/registry-read.ts';
import { sessionPaths } from './records/session-paths.ts';
import { type Roster, type RosterAgent, roster } from './roster.ts';
import type { SessionContext } from './session-context.ts';

/**
 * A killed process changes no file, and its keeper may be killed with it. This often the kernel is asked whether the
 * processes of agents still run. Everything else arrives as an event.
 */
const SAFETY_MS = 60_000;
/** A gateway that is being started is looked at again after this long: its last step may change no watched file. */
const UNSEEN_MS = 5000;

/** Its gateway is being started, so what it last reported may still be so. */
export const isUnseen = ({ state, gateway }: Pick<RosterAgent, 'state' | 'gateway'>): boolean =>
  state === 'starting' || (state === 'not_watched' && gateway !== 'not_attached');

/** An agent as one who waits for it sees it. */
export const waitedFor = (
  { state, needs_you, open_mail }: RosterAgent,
  glance: GlanceFile | undefined,
): WaitedFor => ({ state, needs_you: needs_you !== null, open_mail, edges: glance?.edges });

/**
 * The agents of this home for as long as someone follows them, without polling. tmux is asked only when sessions may have
 * come or gone; a change of one agent reads the files of that agent.
 */
export class RosterFollower {
  readonly #context: SessionContext;
  readonly #log: Log;
  readonly #watches = new DirectoryWatches();
  readonly #agents = new Map<string, RosterAgent>();
  readonly #changed = new Set<string>();
  #roster: Roster | undefined;
  #alive = '';
  #onChange: () => void = () => {};
  #cancel: () => void = () => {};

  constructor(context: SessionContext, log: Log) {
    this.#context = context;
    this.#log = log;
  }

  start(changed: () => void): void {
    this.#onChange = changed;
    this.#roster = undefined;
  }

  stop(): void {
    this.#cancel();
    this.#watches.close();
  }

  async look(): Promise<RosterAgent[]> {
    if (this.#roster === undefined) await this.#lookAtAll();
    else this.#lookAtChanged();
    const agents = [...this.#agents.values()];
    this.#guard(agents.some(isUnseen) ? UNSEEN_MS : SAFETY_MS);
    return agents;
  }

  /** What its gateway last wrote; undefined if that gateway does not run. */
  glanceOf(id: string): GlanceFile | undefined {
    return this.#roster?.known.get(id)?.glance();
  }

  async #lookAtAll(): Promise<void> {
    this.#changed.clear();
    const found = await roster(this.#context);
    this.#roster = found;
    this.#agents.clear();
    for (const agent of found.agents) this.#agents.set(agent.id, agent);
    this.#alive = this.#living();
    // What changed before it was watched is looked at once more.
    if (this.#follow(found)) this.#lookAtChanged(found.known.keys());
  }

  #lookAtChanged(ids: Iterable<string> = this.#changed): void {
    for (const id of [...ids]) {
      try {
        const agent = this.#roster?.known.get(id)?.again();
        if (agent) this.#agents.set(id, agent);
      } catch (error) {
        this.#log.warn('an agent cannot be read', { agent_id: id, cause: messageOf(error) });
      }
    }
    this.#changed.clear();
  }

  /** Watches what exists now. True if one of them is new. */
  #follow({ known }: Roster): boolean {
    const wanted = new Map<string, (file: string) => void>();
    const all = (): void => {
      this.#roster = undefined;
      this.#onChange();
    };
    for (const [id, { facts, mailbox }] of known) {
      const one = (): void => {
        this.#changed.add(id);
        this.#onChange();
      };
      const inbox = inboxDirectory(mailbox);
      if (inbox !== undefined) wanted.set(inbox, one);
      if (!facts) continue;
      const { gateway, run } = sessionPaths(facts.root);
      wanted.set(gateway, (file) => void (file.startsWith('glance') && one()));
      // What the lane notes while it types changes nothing here.
      wanted.set(run, (file) => void (file.startsWith('lane') || all()));
    }
    wanted.set(agentsDirectory(this.#context.settings.registryDir), all);
    return this.#watches.set(wanted);
  }

  #guard(ms: number): void {
    this.#cancel();
    this.#cancel = this.#context.clock.after(ms, () => {
      if (ms === SAFETY_MS && this.#living() === this.#alive) return this.#guard(SAFETY_MS);
      this.#roster = undefined;
      this.#onChange();
    });
  }

  #living(): string {
    return (this.#roster?.processes ?? []).map((each) => (isProcessAlive(each) ? '1' : '0')).join('');
  }
}
