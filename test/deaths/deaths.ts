import type { DyingAgent } from './dying-agent.ts';

/** The commands a person may try first. */
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
  /** What her gateway and its parents are started with. */
  env?: NodeJS.ProcessEnv;
  flags?: readonly string[];
  /** Needs a disk of her own. */
  ownDisk?: true;
  strike: (ana: DyingAgent, disk?: { fill(): void }) => void | Promise<void>;
  /** The same, before each command: what others have freed meanwhile. */
  again?: (disk: { fill(): void }) => void;
  /** That the list shows it. */
  // biome-ignore lint/suspicious/noExplicitAny: a row of the list
  isSeen: (row: any) => boolean;
  /** What every command says that does not mend it itself, but for those that have nothing to do with it. */
  tells: string;
  unconcerned: readonly CommandName[];
  /** The command that brings her back; undefined: she goes on by herself once there is room. */
  mend: string | undefined;
  /** Those that do it, too. */
  mending: readonly CommandName[];
}

const kill = (...pids: number[]): void => {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
};

const RELAUNCH = 'rouse agents relaunch ana --resume';
const HOST_START = 'rouse host start';
/** Long enough that no command finds it started again already. */
const SLOWLY = { ROUSE_GATEWAY_RESTART_SECONDS: '600', ROUSE_GATEWAY_RESTARTS: '20' };
const BACKGROUND = ['--gateway-background'];

export const DEATHS: readonly Death[] = [
  {
    name: 'tool',
    what: 'The tool crashes. Its pane and its session live on, with a shell.',
    strike: (ana) => kill(ana.toolPid),
    isSeen: ({ reason }) => reason === 'tool gone',
    tells: RELAUNCH,
    unconcerned: ['open'],
    mend: RELAUNCH,
    mending: ['relaunch'],
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
    tells: RELAUNCH,
    unconcerned: ['open'],
    mend: RELAUNCH,
    mending: ['relaunch'],
  },
  {
    name: 'session',
    what: 'The tmux session of the agent is killed. The tmux server lives on, with another session.',
    strike: ({ world, tmuxSession }) => {
      world.tmux('new-session', '-d', '-s', 'other', 'sleep 100000');
      world.tmux('kill-session', '-t', `=${tmuxSession}`);
    },
    isSeen: ({ reason, gateway }) => reason === 'session gone' && gateway === 'lost',
    tells: RELAUNCH,
    unconcerned: [],
    mend: RELAUNCH,
    mending: ['relaunch', 'up'],
  },
  {
    name: 'tmux server',
    what: 'The tmux server is killed, and with it every session.',
    strike: async ({ world }) => {
      world.tmux('kill-server');
      await world.until(() => world.processes().every(({ words }) => !words.includes('scripted')));
    },
    isSeen: ({ reason, gateway }) => reason === 'session gone' && gateway === 'lost',
    tells: RELAUNCH,
    unconcerned: [],
    mend: RELAUNCH,
    mending: ['relaunch', 'up'],
  },
  {
    name: 'gateway',
    what: 'A gateway with a process of its own is killed. Its keeper starts it again after a pause, which here is long.',
    env: SLOWLY,
    flags: BACKGROUND,
    strike: (ana) => kill(ana.gatewayPid),
    isSeen: ({ gateway }) => gateway === 'restarting',
    tells: 'being started',
    unconcerned: ['send', 'open'],
    mend: HOST_START,
    mending: ['relaunch', 'attach'],
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
    tells: 'rouse agents gateway attach ana',
    unconcerned: ['open'],
    mend: 'rouse agents gateway attach ana',
    mending: ['relaunch', 'attach', 'up'],
  },
  {
    name: 'host',
    what: 'The host of all gateways is killed. Its keeper starts it again after a pause, which here is long.',
    env: SLOWLY,
    strike: (ana) => kill(ana.hostPid),
    isSeen: ({ gateway }) => gateway === 'restarting',
    tells: 'being started',
    unconcerned: ['send', 'open'],
    mend: HOST_START,
    mending: ['relaunch', 'attach'],
  },
  {
    name: 'keeper',
    what: 'The keeper of the host is killed. The host lives on, and nothing would start it again.',
    strike: (ana) => kill(ana.hostKeeperPid),
    isSeen: ({ needs_you }) => needs_you?.includes('keeper'),
    tells: HOST_START,
    unconcerned: [],
    mend: HOST_START,
    mending: [],
  },
  {
    name: 'host and keeper',
    what: 'The host of all gateways and its keeper are killed together. Nothing starts them again.',
    strike: (ana) => kill(ana.hostKeeperPid, ana.hostPid),
    isSeen: ({ gateway }) => gateway === 'lost',
    tells: HOST_START,
    unconcerned: [],
    mend: HOST_START,
    mending: ['relaunch', 'attach', 'up'],
  },
  {
    name: 'disk full',
    what: 'The disk of ROUSE_HOME is full to the last byte.',
    ownDisk: true,
    strike: (_, disk) => disk!.fill(),
    again: (disk) => disk.fill(),
    isSeen: ({ needs_you }) => needs_you?.includes('the disk is full'),
    tells: 'disk',
    unconcerned: ['open'],
    mend: undefined,
    mending: [],
  },
];
