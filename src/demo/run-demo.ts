import { type Clock, commandLine, drawnOver, Ending, sleep, systemClock } from '../base/index.ts';
import { Asker, type Tickets } from './ask.ts';
import { clearPlace, leftPlaces } from './clear.ts';
import { AgentObserver, type AgentSnapshot } from './observe-agent.ts';
import { Postman } from './post.ts';
import { launchTeam, type Team } from './team.ts';
import { nextSteps, renderFrame } from './view.ts';

export interface DemoOptions {
  env: NodeJS.ProcessEnv;
  out: (text: string) => void;
  outIsTty: boolean;
  /** The present width of the terminal. */
  columns: () => number;
  signal: AbortSignal;
  say: (text: string) => void;
  /** A reason from a gateway, in words. */
  inWords: (reason: string) => string;
  /** End once every agent has been woken and has handled mail, and a ticket has been answered. */
  once: boolean;
}

const NAMES = ['ana', 'ben', 'cleo'];
const FRAME_MS = 500;
const MAIL_EVERY_MS = 4000;
const REQUEST_EVERY_MS = 9000;

/** Starts the team, sends mail and shows it until the signal, then stops everything. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const ending = new Ending();
  try {
    for (const place of leftPlaces()) await clearPlace(place, systemClock);
    const team = await launchTeam({ names: NAMES, ...options }, ending);
    if (!options.signal.aborted) await showUntilEnd(team, options, systemClock);
  } finally {
    options.say('stopping');
    await ending.run();
    options.out(options.outIsTty ? '\n' : '');
  }
  options.out(nextSteps(options.env['npm_lifecycle_event'] !== 'start'));
}

async function showUntilEnd(team: Team, options: DemoOptions, clock: Clock): Promise<void> {
  const started = clock.monotonic();
  const { ppid } = process;
  const post = new Postman(team.members);
  const asker = new Asker(team);
  const observers = team.members.map((member) => new AgentObserver(member, options.inWords));
  let nextMail = 0;
  let nextRequest = 0;
  let before = '';
  if (!options.outIsTty) options.out(`page: ${team.fleet.page}\n`);
  // If the parent process died without a signal, no one is watching any more.
  while (!options.signal.aborted && process.ppid === ppid) {
    if (clock.monotonic() >= nextMail) {
      await post.send();
      nextMail = clock.monotonic() + MAIL_EVERY_MS;
    }
    if (clock.monotonic() >= nextRequest) {
      await asker.ask();
      nextRequest = clock.monotonic() + REQUEST_EVERY_MS;
    }
    const tickets = await asker.look();
    const snapshots = await Promise.all(observers.map((observer) => observer.observe()));
    const seconds = Math.round((clock.monotonic() - started) / 1000);
    const attach = commandLine`tmux -S ${team.tmuxSocket} attach`;
    const { page } = team.fleet;
    const frame = { snapshots, lastMail: post.last, tickets, seconds, attach, page };
    if (options.outIsTty) draw(frame, options);
    else before = printChanges(frame, before, options);
    const done =
      snapshots.every((snapshot) => snapshot.wakes > 0 && snapshot.handled > 0) && tickets.answered > 0;
    if (options.once && done) return;
    await sleep(clock, FRAME_MS, options.signal);
  }
}

/** On a terminal the frame is redrawn in place. */
function draw(frame: Parameters<typeof renderFrame>[0], { out, columns, env }: DemoOptions): void {
  out(drawnOver(renderFrame(frame, { colour: !env['NO_COLOR'], columns: columns() })));
}

/** A pipe gets only lines that changed. */
function printChanges(
  { snapshots, tickets }: { snapshots: AgentSnapshot[]; tickets: Tickets },
  before: string,
  { out }: DemoOptions,
): string {
  const lines = snapshots.map(
    ({ name, state, openMail, why }) => `${name}: ${state}, ${openMail} open; ${why}`,
  );
  lines.push(`requests: ${tickets.asked} asked, ${tickets.answered} answered; ${tickets.last}`);
  const shown = new Set(before.split('\n'));
  const news = lines.filter((line) => !shown.has(line));
  if (news.length > 0) out(`${news.join('\n')}\n`);
  return lines.join('\n');
}
