import { messageOf } from '../base/index.ts';
import type { Member } from './team.ts';

const SUBJECTS = [
  'the flaky test',
  'release notes',
  'review of the parser',
  'the slow query',
  'naming of things',
];

/** Sends mail from one member to another, in turn. */
export class Postman {
  /** The last message, or why it was not sent. */
  last = '-';
  #members: Pick<Member, 'name' | 'address' | 'gateway'>[];
  #tried = 0;

  constructor(members: Pick<Member, 'name' | 'address' | 'gateway'>[]) {
    this.#members = members;
  }

  async send(): Promise<void> {
    const many = this.#members.length;
    const round = Math.floor(this.#tried / many);
    const from = this.#members[this.#tried % many]!;
    const to = this.#members[(this.#tried + 1 + (round % (many - 1))) % many]!;
    const subject = SUBJECTS[this.#tried % SUBJECTS.length]!;
    this.#tried++;
    const line = `${from.name} → ${to.name}: ${subject}`;
    try {
      await from.gateway.call('mail.send', {
        body: { to: [to.address], subject, body_content: `Please look at ${subject}.` },
      });
      this.last = line;
    } catch (error) {
      this.last = `${line} was not sent: ${messageOf(error)}`;
    }
  }
}
