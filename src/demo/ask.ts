import { messageOf } from '../base/index.ts';
import type { Team } from './team.ts';

/** The tickets a person has filed, at one moment. */
export interface Tickets {
  asked: number;
  answered: number;
  last: string;
}

const TITLES = ['Deploy to staging?', 'Write the changelog', 'Bump the version?', 'Tidy the backlog'];

/** Files tickets for one agent after the other, as a person would, and looks what became of them. */
export class Asker {
  #team: Team;
  #asked = 0;

  constructor(team: Team) {
    this.#team = team;
  }

  async ask(): Promise<void> {
    const { members, fleet } = this.#team;
    const title = TITLES[this.#asked % TITLES.length]!;
    await fleet.tickets.create({
      kind: title.endsWith('?') ? 'approval' : 'task',
      recipient_type: 'agent',
      recipient_id: members[this.#asked % members.length]!.name,
      title,
    });
    this.#asked++;
  }

  async look(): Promise<Tickets> {
    try {
      const { requests } = await this.#team.fleet.tickets.sent({ status: 'all', limit: 100 });
      const newest = requests[0];
      return {
        asked: this.#asked,
        answered: requests.filter(({ responded_at }) => responded_at !== null).length,
        last: newest ? `"${newest.title}" is ${newest.status}` : '-',
      };
    } catch (error) {
      return { asked: this.#asked, answered: 0, last: messageOf(error) };
    }
  }
}
