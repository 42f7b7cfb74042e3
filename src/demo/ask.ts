import { messageOf } from '../base/index.ts';
import type { Team } from './team.ts';

/** The state of the tickets that the simulated person has filed. */
export interface Tickets {
  asked: number;
  answered: number;
  last: string;
}

const TITLES = ['Deploy to staging?', 'Write the changelog', 'Bump the version?', 'Tidy the backlog'];

/** Files tickets for one agent after the other, as a person would, and counts the answers. */
export class Asker {
  #team: Pick<Team, 'members' | 'fleet'>;
  #tried = 0;
  #asked = 0;
  #refused: string | undefined;
  /** Ids, because the server lists only the newest. */
  #answered = new Set<string>();

  constructor(team: Pick<Team, 'members' | 'fleet'>) {
    this.#team = team;
  }

  async ask(): Promise<void> {
    const { members, fleet } = this.#team;
    const title = TITLES[this.#tried % TITLES.length]!;
    const to = members[this.#tried++ % members.length]!.name;
    try {
      const kind = title.endsWith('?') ? 'approval' : 'task';
      await fleet.tickets.create({ kind, recipient_type: 'agent', recipient_id: to, title });
      this.#asked++;
      this.#refused = undefined;
    } catch (error) {
      this.#refused = `"${title}" was not filed: ${messageOf(error)}`;
    }
  }

  async look(): Promise<Tickets> {
    const last = this.#refused ?? (await this.#newest().catch(messageOf));
    return { asked: this.#asked, answered: this.#answered.size, last };
  }

  async #newest(): Promise<string> {
    const { requests } = await this.#team.fleet.tickets.sent({ status: 'all', limit: 100 });
    for (const { id, responded_at } of requests) if (responded_at !== null) this.#answered.add(id);
    const newest = requests[0];
    return newest ? `"${newest.title}" is ${newest.status}` : '-';
  }
}
