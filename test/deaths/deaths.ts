import type { DyingAgent } from './dying-agent.ts';

/** The commands that a person may try first. */
export const COMMANDS = {
  ls: 'rouse ls',
  status: 'rouse status ana',
  why: 'rouse why ana',
  doctor: 'rouse doctor',
  send: 'rouse send ana hello --body please',
  open: 'rouse open ana',
  attach: 'rouse agents gateway attach ana',
  up: 'rouse up',
  relaunch: 'rouse agents relaunch ana --resume',
  stop: 'rouse stop ana',
} as const;
export type CommandName = keyof typeof COMMANDS;

export interface Death {
  name: string;
  /** What happened, for people. */
  what: string;
  /** The environment of her gateway and its parents. */
  env?: NodeJS.ProcessEnv;
  flags?: readonly string[];
  /** Needs its own disk. */
  ownDisk?: true;
  strike: (ana: DyingAgent, disk?: { fill(): void }) => void | Promise<void>;
  /** The same before each command, because others may have freed room. */
  again?: (disk: { fill(): void }) => void;
  /** Whether the list shows it. */
  // biome-ignore lint/suspicious/noExplicitAny: a row of the list
  isSeen: (row: any) => boolean;
  /** What every command prints, except those that fix it and the unconcerned ones. */
  shows: string;
  unconcerned: readonly CommandName[];
  /** The command that restores her; undefined: she continues by herself once there is room. */
  fix: string | undefined;
  /** Commands that restore her too. */
  fixing: readonly CommandName[];
}

const kill = (...pids: number[]): void => {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
};

const RELAUNCH = 'rouse agents relaunch ana --resume';
const HOST_START = 'rouse host start';
/** So slow that every command finds it not restarted yet. */
const SLOWLY = { ROUSE_GATEWAY_RESTART_SECONDS: '600', ROUSE_GATEWAY_RESTARTS: '20' };
const BACKGROUND = ['--gateway-background'];

export const DEATHS: readonly Death[] = [
  {
    name: 'tool',
    what: 'The tool crashes. Its pane and its session live on, with a shell.',
    strike: (ana) => kill(ana.toolPid),
    isSeen: ({ reason }) => reason === 'tool gone',
    shows: RELAUNCH,
    unconcerned: ['open'],
    fix: RELAUNCH,
    fixing: ['relaunch'],
  },
  {
    name: 'pane',
    what: 'The pane of the agent is closed. Its session lives on, with another window.',
    strike: (ana) => {
      const { world, tmuxSession } = ana;
      if (world.windows(tmuxSession).length < 2)
        world.tmux('new-window', '-d', '-t', `=${tmuxSession}:`, 'sleep 100000');
      world.tmux('kill-pane', '-t', `=${tmuxSession}:0.0`);
    },
    isSeen: ({ reason }) => reason === 'tool gone',
    shows: RELAUNCH,
    unconcerned: ['open'],
    fix: RELAUNCH,
    fixing: ['relaunch'],
  },
  {
    name: 'session',
    what: 'The tmux session of the agent is killed. The tmux server lives on, with another session.',
    strike: ({ world, tmuxSession }) => {
      world.tmux('new-session', '-d', '-s', 'other', 'sleep 100000');
      world.tmux('kill-session', '-t', `=${tmuxSession}`);
    },
    isSeen: ({ reason, gateway }) => reason === 'session gone' && gateway === 'lost',
    shows: RELAUNCH,
    unconcerned: [],
    fix: RELAUNCH,
    fixing: ['relaunch', 'up'],
  },
  {
    name: 'tmux server',
    what: 'The tmux server is killed, and with it every session.',
    strike: async ({ world }) => {
      world.tmux('kill-server');
      await world.until(() => world.processes().every(({ words }) => !words.includes('scripted')));
    },
    isSeen: ({ reason, gateway }) => reason === 'session gone' && gateway === 'lost',
    shows: RELAUNCH,
    unconcerned: [],
    fix: RELAUNCH,
    fixing: ['relaunch', 'up'],
  },
  {
    name: 'gateway',
    what: 'A gateway with a process of its own is killed. Its keeper starts it again after a pause, which here is long.',
    env: SLOWLY,
    flags: BACKGROUND,
    strike: (ana) => kill(ana.gatewayPid),
    isSeen: ({ gateway }) => gateway === 'restarting',
    shows: 'being started',
    unconcerned: ['send', 'open'],
    fix: HOST_START,
    fixing: ['relaunch', 'attach'],
  },
  {
    name: 'gateway, given up',
    what: 'A gateway with a process of its own ended so often that its keeper has given it up.',
    env: { ROUSE_GATEWAY_RESTARTS: '1', ROUSE_GATEWAY_RESTART_SECONDS: '0.05' },
    flags: BACKGROUND,
    strike: async (ana) => {
      const first = ana.gatewayPid;
      kill(first);
      await ana.world.until(async () => (await ana.shown()).gateway === 'live' && ana.gatewayPid !== first);
      kill(ana.gatewayPid);
    },
    isSeen: ({ gateway }) => gateway === 'down',
    shows: 'rouse agents gateway attach ana',
    unconcerned: ['open'],
    fix: 'rouse agents gateway attach ana',
    fixing: ['relaunch', 'attach', 'up'],
  },
  {
    name: 'host',
    what: 'The host of all gateways is killed. Its keeper starts it again after a pause, which here is long.',
    env: SLOWLY,
    strike: (ana) => kill(ana.hostPid),
    isSeen: ({ gateway }) => gateway === 'restarting',
    shows: 'being started',
    unconcerned: ['send', 'open'],
    fix: HOST_START,
    fixing: ['relaunch', 'attach'],
  },
  {
    name: 'keeper',
    what: 'The keeper of the host is killed. The host lives on, and nothing would start it again.',
    strike: (ana) => kill(ana.hostKeeperPid),
    isSeen: ({ needs_you }) => needs_you?.includes('keeper'),
    shows: HOST_START,
    unconcerned: [],
    fix: HOST_START,
    fixing: [],
  },
  {
    name: 'host and keeper',
    what: 'The host of all gateways and its keeper are killed together. Nothing starts them again.',
    strike: (ana) => kill(ana.hostKeeperPid, ana.hostPid),
    isSeen: ({ gateway }) => gateway === 'lost',
    shows: HOST_START,
    unconcerned: [],
    fix: HOST_START,
    fixing: ['relaunch', 'attach', 'up'],
  },
  {
    name: 'disk full',
    what: 'The disk of ROUSE_HOME is full to the last byte.',
    ownDisk: true,
    strike: (_, disk) => disk!.fill(),
    again: (disk) => disk.fill(),
    isSeen: ({ needs_you }) => needs_you?.includes('the disk is full'),
    shows: 'disk',
    unconcerned: ['open'],
    fix: undefined,
    fixing: [],
  },
];
