import * as path from 'node:path';
import { type Clock, findProgram, type Log, silentLog, systemClock } from '../../base/index.ts';
import { Tmux } from '../../tmux/index.ts';
import { openParking } from '../limits/open-parking.ts';
import type { AgentSurface, Hold } from '../port.ts';
import { tmuxPlace } from '../surface-manifest.ts';
import {
  type HeadlessManifest,
  type HeadlessProgress,
  instanceOf,
  progressOf,
  startupDefault,
  turnEnvironment,
  turnTool,
} from './headless-manifest.ts';
import { HeadlessSurface } from './headless-surface.ts';
import { HeadlessTurns } from './headless-turns.ts';
import { VisibleLog } from './runner/visible-log.ts';
import { SessionPresence } from './session-presence.ts';
import type { TurnLimits } from './turn/settle-turn.ts';
import { artefactsRoot } from './turn/turn-files.ts';

export interface HeadlessOptions {
  manifest: HeadlessManifest;
  sessionRoot: string;
  /** The session's lane lock: held while a turn runs. */
  laneLock: string;
  /** Reads the manifest again: another process may run turns of the same session. */
  manifestNow?: () => HeadlessManifest;
  /** Stores this in the manifest's `headless` section, durably, under the manifest's lock. */
  saveHeadless: (progress: HeadlessProgress) => Promise<void>;
  /** The environment to start from. Default: that of this process. */
  env?: NodeJS.ProcessEnv;
  limits?: Partial<TurnLimits>;
  /** The number of turns whose files are kept. */
  keepTurns?: number;
  log?: Log;
  clock?: Clock;
  /** A person's pause of the agent. Without it nothing is held. */
  hold?: Hold | undefined;
  /** Where agents of this host that share an account take turns after a usage limit. Absent: this one is alone. */
  limitsDirectory?: string | undefined;
}

export const HEADLESS_DEFAULTS: TurnLimits & { keepTurns: number } = {
  timeoutMs: 60 * 60 * 1000,
  graceMs: 5000,
  outputBytes: 512 * 1024 * 1024,
  keepTurns: 200,
};

/** The variables tmux needs to find its server. The others may hold credentials and are not passed on. */
const FOR_TMUX = /^(PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TMUX_TMPDIR|TMPDIR|TERM)$/;

/** Follows whether the session that a manifest names exists. */
export function openPresence(
  manifest: HeadlessManifest,
  { clock, log, env }: { clock: Clock; log: Log; env: NodeJS.ProcessEnv },
): SessionPresence {
  const { server, session } = tmuxPlace(manifest);
  const ofTmux = Object.fromEntries(Object.entries(env).filter(([name]) => FOR_TMUX.test(name)));
  return new SessionPresence({ tmux: new Tmux({ ...server, env: ofTmux }), session, clock, log });
}

/** The surface of a headless agent, as its manifest describes it. Nothing is contacted before `start`. */
export function openHeadlessSurface(options: HeadlessOptions): AgentSurface {
  const { manifest, sessionRoot, log = silentLog, clock = systemClock, env = process.env } = options;
  const { timeoutMs, graceMs, outputBytes } = { ...HEADLESS_DEFAULTS, ...options.limits };
  const tool = turnTool(manifest);
  const cwd = manifest.working_directory ?? sessionRoot;
  const turnEnv = turnEnvironment(manifest, sessionRoot, env);
  const turns = new HeadlessTurns({
    root: artefactsRoot(sessionRoot),
    laneLock: options.laneLock,
    tool,
    cwd,
    env: turnEnv,
    startup: startupDefault(manifest),
    progress: progressOf(manifest),
    reload: options.manifestNow && (() => progressOf(options.manifestNow!())),
    save: options.saveHeadless,
    limits: { timeoutMs, graceMs, outputBytes },
    keepTurns: options.keepTurns ?? HEADLESS_DEFAULTS.keepTurns,
    visible: new VisibleLog(path.join(sessionRoot, 'turns.log'), clock),
    clock,
    log,
    hold: options.hold,
  });
  const parking = openParking(options, () => surface.limitChanged());
  const surface = new HeadlessSurface({
    presence: openPresence(manifest, { clock, log, env }),
    turns,
    parking,
    instanceId: instanceOf(manifest, sessionRoot),
    tool: tool.executable,
    findProgram: () => findProgram(tool.executable, turnEnv, cwd),
    clock,
    log,
  });
  return surface;
}
