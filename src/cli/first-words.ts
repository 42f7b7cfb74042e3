import type { Command } from './command.ts';

type FirstWord = Pick<Command, 'name' | 'summary' | 'takes' | 'hidden'>;

/** What `rouse --help` shows of each command. The rest of a command is loaded when the line names it. */
export const FIRST_WORDS = {
  launch: {
    name: 'launch',
    summary: 'start a tool as an agent in a tmux session of its own',
    takes: '[tool] [name] [tool-args...]',
  },
  join: {
    name: 'join',
    summary: 'adopt a tmux session in which a tool is already running',
    takes: '[name]',
  },
  ls: {
    name: 'ls',
    summary: 'every agent of this host: what it is doing, and which one needs you',
  },
  send: {
    name: 'send',
    summary: 'send mail to an agent, by its name or its mail address',
    takes: '[to] [subject]',
  },
  inbox: {
    name: 'inbox',
    summary: 'your mail, each message with a number',
  },
  read: {
    name: 'read',
    summary: 'show mail by its number, and mark it read',
    takes: '<mail...>',
  },
  reply: {
    name: 'reply',
    summary: 'answer mail by its number',
    takes: '<mail> [text...]',
  },
  archive: {
    name: 'archive',
    summary: 'archive mail by its number, or bring it back',
    takes: '<mail...>',
  },
  search: {
    name: 'search',
    summary: "find words in your mail and your agents' mail",
    takes: '<words...>',
  },
  answer: {
    name: 'answer',
    summary: 'show what an agent asks, and choose an answer; or answer a request',
    takes: '[agent] [choice]',
  },
  pause: {
    name: 'pause',
    summary: 'hold back wakes, reminders and messages for an agent; its mail waits',
    takes: '[agent] [agents...]',
  },
  resume: {
    name: 'resume',
    summary: 'end a pause: what waited goes on',
    takes: '[agent] [agents...]',
  },
  open: {
    name: 'open',
    summary: 'look at an agent: attach to its tmux session, or switch to it inside tmux',
    takes: '[agent]',
  },
  logs: {
    name: 'logs',
    summary: "what an agent's gateway did: its log and its events, in order",
    takes: '[agent]',
  },
  status: {
    name: 'status',
    summary: 'the state of the gateway and its agent; "not attached" is a valid answer',
    takes: '[agent] [agents...]',
  },
  stop: {
    name: 'stop',
    summary: 'detach the gateway, end the tool and close its tmux session; a joined session is left running',
    takes: '[agent] [agents...]',
  },
  leave: {
    name: 'leave',
    summary: 'release a joined session: no gateway, no agent, everything as before',
    takes: '[agent] [agents...]',
  },
  why: {
    name: 'why',
    summary: 'why an agent was or was not woken or reminded',
    takes: '[agent]',
  },
  waits: {
    name: 'waits',
    summary: 'who waits for whose answer, and who waits for each other',
  },
  day: {
    name: 'day',
    summary: 'what agents did: prompts, answers, wakes, mail, requests',
    takes: '[agents...]',
  },
  up: {
    name: 'up',
    summary: 'start the team of .rouse.toml; running agents are left alone',
    takes: '[agents...]',
  },
  down: {
    name: 'down',
    summary: 'stop the team of .rouse.toml; its mail is kept',
    takes: '[agents...]',
  },
  dashboard: {
    name: 'dashboard',
    summary: 'the page: who needs you, and why',
    takes: '[action]',
  },
  demo: {
    name: 'demo',
    summary: 'a small team of scripted agents, woken by mail, shown live',
  },
  agents: {
    name: 'agents',
    summary: 'launch, find and stop agents; attach and inspect their gateways',
  },
  host: {
    name: 'host',
    summary: 'the process that runs hosted gateways',
  },
  notify: {
    name: 'notify',
    summary: 'be notified when an agent needs you: desktop, tmux, webhook, e-mail',
  },
  receipts: {
    name: 'receipts',
    summary: 'how far a message is: stored, announced, read, answered',
    takes: '<message>',
  },
  wait: {
    name: 'wait',
    summary: 'wait until an agent is idle, has mail, needs you, or has ended',
    takes: '<agent>',
  },
  notifyWhen: {
    name: 'notify-when',
    summary: 'send mail once, when an agent is idle, has mail, needs you, or has ended',
    takes: '[agent] [condition]',
  },
  statusLine: {
    name: 'status-line',
    summary: 'print the lines for .tmux.conf that show who needs you',
  },
  mail: {
    name: 'mail',
    summary: 'read and write mail of one mailbox',
  },
  mailbox: {
    name: 'mailbox',
    summary: 'manage a mail store: mailboxes, repair, export',
  },
  mailfile: {
    name: 'mailfile',
    summary: 'flat-file mailboxes: .agent/inbox.md and .agent/outbox.md',
  },
  server: {
    name: 'server',
    summary: 'the fleet server: agents, requests and messages of many hosts',
  },
  tokens: {
    name: 'tokens',
    summary: 'who may use the fleet server',
  },
  fleet: {
    name: 'fleet',
    summary: 'the agents a fleet server knows',
  },
  requests: {
    name: 'requests',
    summary: 'tasks and approvals between agents and people',
  },
  mcp: {
    name: 'mcp',
    summary: 'requests, mail and reminders as MCP tools for an agent',
  },
  tui: {
    name: 'tui',
    summary: 'how Rouse reads a terminal screen',
  },
  skills: {
    name: 'skills',
    summary: 'install and inspect the skills that teach agents to handle mail',
  },
  config: {
    name: 'config',
    summary: 'where each setting comes from; which project files are trusted',
  },
  doctor: {
    name: 'doctor',
    summary: 'look for trouble: tmux, tools, permissions, disk, clock, fleet, sessions',
  },
  help: {
    name: 'help',
    summary: 'the help of a command, or of a topic: exit-codes',
    takes: '[command...]',
  },
  version: {
    name: 'version',
    summary: 'the version of this program; also --version',
  },
  completion: {
    name: 'completion',
    summary: 'print the completion script for bash, zsh, fish',
    takes: '<shell>',
  },
  complete: {
    name: 'complete',
    summary: 'what may follow the words typed so far',
    takes: '[words...]',
    hidden: true,
  },
  attachGateway: {
    name: 'attach-gateway',
    summary: 'older spelling of "agents gateway attach"',
    hidden: true,
  },
  detachGateway: {
    name: 'detach-gateway',
    summary: 'older spelling of "agents gateway detach"',
    hidden: true,
  },
  gatewayStatus: {
    name: 'gateway-status',
    summary: 'older spelling of "agents gateway status"',
    hidden: true,
  },
} as const satisfies Record<string, FirstWord>;
