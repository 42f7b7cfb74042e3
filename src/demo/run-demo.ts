import { type Clock, Ending, sleep, systemClock } from '../base/index.ts';
import { Asker, type Tickets } from './ask.ts';
import { type Glance, glanceAt } from './look.ts';
import { Postman } from './post.ts';
import { gatherTeam, type Team } from './team.ts';
import { renderFrame } from './view.ts';

export interface DemoOptions {
  env: NodeJS.ProcessEnv;
  out: (text: string) => void;
  outIsTty: boolean;
  signal: AbortSignal;
  say: (text: string) => void;
  /** End as soon as every agent has been woken and has handled mail, and a ticket has been answered. */
  once: boolean;
}

const NAMES = ['ana', 'ben', 'cleo'];
const FRAME_MS = 500;
const MAIL_EVERY_MS = 4000;
const REQUEST_EVERY_MS = 9000;

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
  const asker = new Asker(team);
  let nextMail = 0;
  let nextRequest = 0;
  let before = '';
  while (!options.signal.aborted) {
    if (clock.monotonic() >= nextMail) {
      await post.send();
      nextMail = clock.monotonic() + MAIL_EVERY_MS;
    }
    if (clock.monotonic() >= nextRequest) {
      await asker.ask();
      nextRequest = clock.monotonic() + REQUEST_EVERY_MS;
    }
    const tickets = await asker.look();
    const glances = await Promise.all(team.members.map(glanceAt));
    const frame = renderFrame(
      {
        glances,
        sent: post.sent,
        lastMail: post.last,
        tickets,
        seconds: Math.round((clock.monotonic() - started) / 1000),
        attach: `tmux -S ${team.tmuxSocket} attach`,
      },
      options.outIsTty,
    );
    before = show(frame, glances, tickets, before, options);
    const done = glances.every((glance) => glance.wakes > 0 && glance.answered > 0) && tickets.answered > 0;
    if (options.once && done) return;
    await sleep(clock, FRAME_MS, options.signal);
  }
}

/** On a terminal the frame is redrawn in place; into a pipe only what changed is told. */
function show(
  frame: string,
  glances: Glance[],
  tickets: Tickets,
  before: string,
  { out, outIsTty }: DemoOptions,
): string {
  if (outIsTty) {
    out(`\u001b[H\u001b[J${frame}`);
    return '';
  }
  const lines = glances.map(
    ({ name, state, openMail, why }) => `${name}: ${state}, ${openMail} open; ${why}`,
  );
  lines.push(`requests: ${tickets.asked} asked, ${tickets.answered} answered; ${tickets.last}`);
  const told = new Set(before.split('\n'));
  const news = lines.filter((line) => !told.has(line));
  if (news.length > 0) out(`${news.join('\n')}\n`);
  return lines.join('\n');
}
