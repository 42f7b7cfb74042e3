import { type Clock, Ending, sleep, systemClock } from '../base/index.ts';
import { type Glance, glanceAt } from './look.ts';
import { gatherTeam, type Member, type Team } from './team.ts';
import { renderFrame } from './view.ts';

export interface DemoOptions {
  env: NodeJS.ProcessEnv;
  out: (text: string) => void;
  outIsTty: boolean;
  signal: AbortSignal;
  say: (text: string) => void;
  /** End as soon as every agent has been woken and has handled mail. */
  once: boolean;
}

const NAMES = ['ana', 'ben', 'cleo'];
const SUBJECTS = [
  'the flaky test',
  'release notes',
  'review of the parser',
  'the slow query',
  'naming of things',
];
const FRAME_MS = 500;
const MAIL_EVERY_MS = 4000;

/** Brings the team up, lets mail flow and shows it until the signal, then takes everything down. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const ending = new Ending();
  try {
    const team = await gatherTeam({ names: NAMES, ...options }, ending);
    if (!options.signal.aborted) await showUntilEnd(team, options, systemClock);
  } finally {
    options.say('stopping');
    await ending.run();
    options.out(options.outIsTty ? '\n' : '');
  }
}

async function showUntilEnd(team: Team, options: DemoOptions, clock: Clock): Promise<void> {
  const started = clock.monotonic();
  const post = new Postman(team.members);
  let nextMail = 0;
  let before = '';
  while (!options.signal.aborted) {
    if (clock.monotonic() >= nextMail) {
      await post.send();
      nextMail = clock.monotonic() + MAIL_EVERY_MS;
    }
    const glances = await Promise.all(team.members.map(glanceAt));
    const frame = renderFrame(
      {
        glances,
        sent: post.sent,
        lastMail: post.last,
        seconds: Math.round((clock.monotonic() - started) / 1000),
        attach: `tmux -S ${team.tmuxSocket} attach`,
      },
      options.outIsTty,
    );
    before = show(frame, glances, before, options);
    if (options.once && glances.every((glance) => glance.wakes > 0 && glance.answered > 0)) return;
    await sleep(clock, FRAME_MS, options.signal);
  }
}

/** On a terminal the frame is redrawn in place; into a pipe only what changed is told. */
function show(frame: string, glances: Glance[], before: string, { out, outIsTty }: DemoOptions): string {
  if (outIsTty) {
    out(`\u001b[H\u001b[J${frame}`);
    return '';
  }
  const lines = glances.map(
    ({ name, state, openMail, why }) => `${name}: ${state}, ${openMail} open; ${why}`,
  );
  const told = new Set(before.split('\n'));
  const news = lines.filter((line) => !told.has(line));
  if (news.length > 0) out(`${news.join('\n')}\n`);
  return lines.join('\n');
}

/** Sends mail from one member to another, in turn. */
class Postman {
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
    await from.gateway.mailSend({ to: [to.address], subject, body_content: `Please look at ${subject}.` });
    this.sent++;
    this.last = `${from.name} → ${to.name}: ${subject}`;
  }
}
