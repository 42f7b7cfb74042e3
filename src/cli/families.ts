import type { Command } from './command.ts';
import { FIRST_WORDS } from './first-words.ts';

const WORDS = FIRST_WORDS;

/** Commands for every day; help shows them first. */
function daily(words: Command, load: () => Promise<Command>): Command {
  return { ...words, daily: true, load: async () => ({ ...(await load()), daily: true }) };
}

/** The same command under a shorter name. */
function short(path: string, words: Command, load: () => Promise<Command>, examples: string[]): Command {
  return daily(words, async () => ({ ...(await load()), shortFor: path, examples }));
}

const gateway = () => import('./agents/gateway.ts');
const stopping = () => import('./agents/stopping/stop.ts');
const team = () => import('./team/team.ts');
const completion = async () => (await import('./complete/complete.ts')).completionCommands(() => ROOT);
const older = () => import('./agents/gateway-aliases.ts');

const DAILY: Command[] = [
  short('agents launch', WORDS.launch, async () => (await import('./agents/launch.ts')).default, [
    'rouse launch claude ana',
    'rouse launch codex rev --workdir ~/src/app -- --model o5',
    'rouse launch command mine -- ./my-agent --flag',
  ]),
  short('agents join', WORDS.join, async () => (await import('./agents/join.ts')).default, [
    'rouse join ana   # inside the tmux session of a running tool',
  ]),
  daily(WORDS.ls, async () => (await import('./ls/ls.ts')).ls),
  daily(WORDS.send, async () => (await import('./mail/send.ts')).send),
  daily(WORDS.inbox, async () => (await import('./inbox/inbox.ts')).inbox),
  daily(WORDS.read, async () => (await import('./inbox/read.ts')).read),
  daily(WORDS.reply, async () => (await import('./inbox/reply.ts')).reply),
  daily(WORDS.archive, async () => (await import('./inbox/archive.ts')).archive),
  daily(WORDS.search, async () => (await import('./inbox/search.ts')).search),
  daily(WORDS.answer, async () => (await import('./answer/answer.ts')).answer),
  daily(WORDS.pause, async () => (await import('./pause/pause.ts')).pause),
  daily(WORDS.resume, async () => (await import('./pause/pause.ts')).resume),
  daily(WORDS.open, async () => (await import('./ls/open.ts')).open),
  daily(WORDS.logs, async () => (await import('./ls/logs.ts')).logs),
  short('agents gateway status', WORDS.status, async () => (await gateway()).STATUS, [
    'rouse status ana',
    'rouse status   # inside its session',
  ]),
  short('agents stop', WORDS.stop, async () => (await stopping()).stop, ['rouse stop ana']),
  short('agents leave', WORDS.leave, async () => (await stopping()).leave, ['rouse leave ana']),
  daily(WORDS.why, async () => (await import('./why/why.ts')).default),
  daily(WORDS.waits, async () => (await import('./waits/waits.ts')).waits),
  daily(WORDS.day, async () => (await import('./day/day.ts')).day),
  daily(WORDS.up, async () => (await team()).up),
  daily(WORDS.down, async () => (await team()).down),
  daily(WORDS.dashboard, async () => (await import('./fleet/dashboard.ts')).default),
];

/** Every command, by its first word. A command that the line does not name is not loaded. */
export const ROOT: Command = {
  name: 'rouse',
  summary: 'durable mailboxes for terminal agents, and a gateway that wakes them when there is work',
  description:
    'Durable mail for coding agents in terminals, and a gateway beside each agent that wakes it when there is ' +
    'work, at the right moment, exactly once, and can prove it.',
  examples: [
    'rouse demo                                          # a small team, shown live',
    'rouse launch claude ana --wake                      # an agent that is woken when it has mail',
    'rouse ls                                            # every agent, and which one needs you',
    'rouse send ana "look at this" --body "the build is red"',
    'rouse why ana                                       # why it was woken, or was not',
    'rouse mailfile prepend --mailbox .agent/inbox.md < message.md',
  ],
  subcommands: [
    ...DAILY,
    { ...WORDS.demo, load: async () => (await import('./demo.ts')).default },
    { ...WORDS.agents, load: async () => (await import('./agents/agents.ts')).default },
    { ...WORDS.host, load: async () => (await import('./host/host.ts')).default },
    { ...WORDS.notify, load: async () => (await import('./notify/notify.ts')).default },
    { ...WORDS.receipts, load: async () => (await import('./mail/receipts.ts')).receipts },
    { ...WORDS.wait, load: async () => (await import('./notify/wait.ts')).default },
    { ...WORDS.notifyWhen, load: async () => (await import('./notify/notify-when.ts')).default },
    { ...WORDS.statusLine, load: async () => (await import('./notify/status-line.ts')).default },
    { ...WORDS.mail, load: async () => (await import('./mail/mail.ts')).default },
    { ...WORDS.mailbox, load: async () => (await import('./mailbox/mailbox.ts')).default },
    { ...WORDS.mailfile, load: async () => (await import('./mailfile/mailfile.ts')).default },
    { ...WORDS.server, load: async () => (await import('./fleet/server.ts')).default },
    { ...WORDS.tokens, load: async () => (await import('./fleet/tokens.ts')).default },
    { ...WORDS.fleet, load: async () => (await import('./fleet/fleet.ts')).default },
    { ...WORDS.requests, load: async () => (await import('./fleet/requests.ts')).default },
    { ...WORDS.mcp, load: async () => (await import('./mcp/mcp.ts')).default },
    { ...WORDS.tui, load: async () => (await import('./tui/classify.ts')).default },
    { ...WORDS.skills, load: async () => (await import('./skills.ts')).default },
    { ...WORDS.config, load: async () => (await import('./config/config.ts')).default },
    { ...WORDS.doctor, load: async () => (await import('./doctor/doctor.ts')).default },
    { ...WORDS.help, load: async () => (await import('./help-topics.ts')).default },
    { ...WORDS.version, load: async () => (await import('./version.ts')).default },
    // Spelled as in Houmao, without a family.
    { ...WORDS.attachGateway, load: async () => (await older()).attach },
    { ...WORDS.detachGateway, load: async () => (await older()).detach },
    { ...WORDS.gatewayStatus, load: async () => (await older()).status },
    { ...WORDS.completion, load: async () => (await completion()).completion },
    { ...WORDS.complete, load: async () => (await completion()).complete },
  ],
};
