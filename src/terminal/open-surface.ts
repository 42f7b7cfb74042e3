import * as path from 'node:path';
import { type Clock, type Log, silentLog, systemClock } from '../base/index.ts';
import type { Detector } from '../screen/index.ts';
import { type PaneMark, Tmux } from '../tmux/index.ts';
import { detectorFor, type SignalReader, strangersDetector, toolOf } from '../tools/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';
import { Calibration } from './lane/calibration.ts';
import { Lane } from './lane/lane.ts';
import { DEFAULT_PATIENCE, type LanePatience } from './lane-context.ts';
import { openParking } from './limits/open-parking.ts';
import { ownerOf } from './owners.ts';
import type { AgentSurface, Hold } from './port.ts';
import { launchFact, recordedVersion, type SurfaceManifest, tmuxPlace } from './surface-manifest.ts';
import { TuiSurface } from './tui-surface.ts';
import { launchedName, launchedWords, type ToolLooks } from './watch/foreground.ts';
import { PaneWatch } from './watch/pane-watch.ts';
import { readTimings } from './watch/read-timings.ts';
import { rememberConversation } from './watch/remember-conversation.ts';
import { startedPids } from './watch/started-pids.ts';
import { Tracker } from './watch/tracker.ts';
import { TuiRecord } from './watch/tui-record.ts';

export interface SurfaceOptions {
  manifest: SurfaceManifest;
  sessionRoot: string;
  /** The session's lane lock; only its holder types. */
  laneLock: string;
  log?: Log;
  clock?: Clock;
  /** By field (`watch_poll_interval_seconds`) or by flag (`tui-watch-poll-interval-seconds`). */
  timings?: Record<string, unknown>;
  /** Names the session if its manifest does not. */
  attachIdentity?: string;
  patience?: Partial<LanePatience>;
  /** A person's pause of the agent. Without it nothing is held. */
  hold?: Hold | undefined;
  /** Find the composer of an undescribed tool by typing a mark and erasing it. */
  calibrate?: boolean;
  /** Where agents of this host that share an account take turns after a usage limit. Absent: this one is alone. */
  limitsDirectory?: string | undefined;
  /** The environment in which tmux is started. Default: that of this process. */
  env?: NodeJS.ProcessEnv;
}

/** Opens the surface of an agent's TUI, as the session's manifest describes it. Nothing is contacted before `start`. */
export function openSurface(options: SurfaceOptions): AgentSurface {
  const { manifest, sessionRoot, laneLock, log = silentLog, clock = systemClock, hold } = options;
  const timings = readTimings(options.timings);
  const { server, session, pane } = tmuxPlace(manifest);
  const tmux = new Tmux({ ...server, ...(options.env ? { env: options.env } : {}) });
  const version = recordedVersion(manifest);
  const tool = toolOf(manifest.tool);
  const known = tool !== undefined && tool.detectors.length > 0;
  const stranger = strangersDetector(manifest.tool);
  const choose = (alternate: boolean | undefined): Detector =>
    known ? detectorFor(tool.name, { version, alternate }) : stranger;
  const { home_selector: home } = manifest.launch_plan;
  const looks = looksOf(manifest, sessionRoot);
  const pollMs = timings.watch_poll_interval_seconds * 1000;
  const owner = ownerOf(manifest, { clock, env: options.env ?? process.env });
  const window = manifest.cao?.tmux_window_name ?? undefined;
  const mark = window === undefined ? markOf(sessionRoot) : undefined;
  const watch = new PaneWatch({ tmux, session, window, pane, mark, clock, pollMs, log });
  const parking = openParking(options, () => tracker.signalled());
  const tracker = new Tracker({ watch, detectorFor: choose, looks, version, timings, clock, owner, parking });
  const patience = { ...DEFAULT_PATIENCE, ...options.patience };
  const lane = new Lane(laneLock, { tracker, watch, clock, log, patience, owner, hold });
  const record = new TuiRecord({
    tracker,
    lane,
    manifest,
    sessionRoot,
    trackedSessionId: manifest.runtime?.session_id ?? options.attachIdentity ?? session,
    detectorName: known ? tool.name : undefined,
    timings,
  });
  const asked = options.calibrate ?? false;
  // The owner of the terminal would not know about the mark.
  const calibration = owner ? undefined : new Calibration({ tracker, lane, clock, log, asked, hold });
  let readers: readonly SignalReader[] = [];
  const remember = rememberConversation(sessionRoot, () => readers);
  const changed = (): void => {
    tracker.signalled();
    remember();
  };
  return new TuiSurface({
    calibration,
    owner,
    clock,
    watch,
    tracker,
    parking,
    lane,
    record,
    openSignals: () => {
      readers =
        tool?.signals?.({
          sessionRoot,
          fact: (name) => launchFact(manifest, name),
          home: home?.home_path ?? undefined,
          clock,
          changed,
        }) ?? [];
      return readers;
    },
  });
}

/** With this, a join marks the panes of agents that share a session. */
function markOf(sessionRoot: string): PaneMark {
  return { option: `@${VARIABLE.manifestPath}`, value: path.join(sessionRoot, 'manifest.json') };
}

function looksOf({ tool, launch_plan: plan, runtime }: SurfaceManifest, sessionRoot: string): ToolLooks {
  return {
    names: [...(toolOf(tool)?.process.names ?? [tool]), ...launchedName(plan.executable)],
    launched: launchedWords(plan.executable, plan.args),
    pids: () => startedPids(sessionRoot, runtime?.agent_pid),
  };
}
