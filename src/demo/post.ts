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
  sent = 0;
  last = '-';
  #members: Member[];

  constructor(members: Member[]) {
    this.#members = members;
  }

  async send(): Promise<void> {
    const from = this.#members[this.sent % this.#members.length]!;
    const to = this.#members[(this.sent + 1 + Math.floor(this.sent / 3)) % this.#members.length]!;
    if (from === to) {
      this.sent++;
      return;
    }
    const subject = SUBJECTS[this.sent % SUBJECTS.length]!;
    await from.gateway.call('mail.send', {
      body: { to: [to.address], subject, body_content: `Please look at ${subject}.` },
    });
    this.sent++;
    this.last = `${from.name} → ${to.name}: ${subject}`;
  }
}
