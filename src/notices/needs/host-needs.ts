import * as fs from 'node:fs';
import * as path from 'node:path';
import { DirectoryWatches, isProcessAlive, type Log, messageOf } from '../../base/index.ts';
import { OPERATOR } from '../../domain/index.ts';
import { inboxDirectory } from '../../mail/inbox-count.ts';
import { openMailStore } from '../../mail/index.ts';
import {
  agentsDirectory,
  type Roster,
  type RosterAgent,
  roster,
  type SessionContext,
  sessionPaths,
} from '../../session/index.ts';
import { PAGE_SHELL_ROUTES } from '../../wire/index.ts';
import type { NeedSource } from '../notice-owner.ts';
import type { Seen, SeenNeed } from '../outbox/need.ts';
import { isUnseen, needsOfAgent } from './agent-needs.ts';

/**
 * A killed process changes no file, and its keeper may be killed with it. This often the kernel is asked whether those of
 * other programs still run. Everything else arrives as an event.
 */
const SAFETY_MS = 60_000;
/** A gateway that is being started is looked at again after this long: its last step may change no watched file. */
const UNSEEN_MS = 5000;
/** More unread mail than this is one more reason to look, not more notices. */
const MAX_MAIL = 200;

/**
 * The needs of the agents of this home, and mail for the person behind them. tmux is asked only when sessions may have
 * come or gone; a change of one agent reads the files of that agent.
 */
export class HostNeeds implements NeedSource {
  readonly #context: SessionContext;
  readonly #log: Log;
  readonly #watches = new DirectoryWatches();
  readonly #agents = new Map<string, RosterAgent>();
  readonly #changed = new Set<string>();
  #roster: Roster | undefined;
  #mail: SeenNeed[] | undefined;
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
    this.#mail = undefined;
  }

  stop(): void {
    this.#cancel();
    this.#watches.close();
  }

  async look(): Promise<Seen> {
    if (this.#roster === undefined) await this.#lookAtAll();
    else this.#lookAtChanged();
    this.#mail ??= await this.#lookAtMail();
    const agents = [...this.#agents.values()];
    const unseen = new Set(agents.filter(isUnseen).map(({ name }) => name));
    this.#guard(unseen.size > 0 ? UNSEEN_MS : SAFETY_MS);
    const needs = agents.flatMap((agent) => needsOfAgent(agent, this.#writerOf(agent.id)));
    return {
      needs: [...new Map([...needs, ...this.#mail].map((need) => [need.key, need])).values()],
      isUnsure: ({ agent, key }) => agent !== null && unseen.has(agent) && !key.startsWith('mail:'),
    };
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
    for (const [id, { facts }] of known) {
      if (!facts) continue;
      const { gateway, run } = sessionPaths(facts.root);
      wanted.set(gateway, (file) => {
        if (!file.startsWith('glance')) return;
        this.#changed.add(id);
        this.#onChange();
      });
      // What the lane notes while it types changes nothing here.
      wanted.set(run, (file) => void (file.startsWith('lane') || all()));
    }
    const mail = (): void => {
      this.#mail = undefined;
      this.#onChange();
    };
    const { mailboxDir, registryDir } = this.#context.settings;
    wanted.set(this.#inbox, mail);
    // Marking mail as read changes no directory; the store signals it here.
    wanted.set(path.join(mailboxDir, 'signals'), (file) => void (file === OPERATOR.address && mail()));
    wanted.set(agentsDirectory(registryDir), all);
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

  #writerOf(id: string): string | null {
    return this.#roster?.known.get(id)?.writer() ?? null;
  }

  get #inbox(): string {
    const { mailboxDir: filesystem_root } = this.#context.settings;
    return inboxDirectory({ transport: 'filesystem', filesystem_root, address: OPERATOR.address })!;
  }

  /** Unread mail for the person. A store that cannot be read keeps nothing else from being reported. */
  async #lookAtMail(): Promise<SeenNeed[]> {
    const { settings, clock } = this.#context;
    if (!fs.existsSync(this.#inbox)) return [];
    try {
      const store = openMailStore({ root: settings.mailboxDir, clock });
      try {
        const { messages } = await store
          .mailbox(OPERATOR.address)
          .list({ read_state: 'unread', limit: MAX_MAIL });
        return messages.map(({ message_ref, sender, subject, created_at_utc }) => ({
          key: `mail:${message_ref}`,
          kind: 'mail' as const,
          agent: sender.display_name ?? sender.address.split('@')[0]!,
          person: null,
          words: subject,
          command: 'rouse inbox',
          href: PAGE_SHELL_ROUTES['page.shell.mail'].path,
          since_utc: created_at_utc,
          writer: null,
          past: false,
        }));
      } finally {
        await store.close();
      }
    } catch (error) {
      this.#log.warn('your mail cannot be read', { cause: messageOf(error) });
      return this.#mail ?? [];
    }
  }
}
