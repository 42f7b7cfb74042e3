import * as os from 'node:os';
import * as path from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { Detector } from '../../screen/index.ts';
import { launchFact, type SurfaceManifest } from '../surface-manifest.ts';
import { ClaudeHooks } from './claude-hooks.ts';
import { CODEX_ROLLOUT } from './codex-rollout.ts';
import { COPILOT_EVENTS } from './copilot-events.ts';
import { KIMI_WIRE } from './kimi-wire.ts';
import { OpencodeHttp, opencodePort } from './opencode-http.ts';
import { SessionLog } from './session-log.ts';
import type { OnSignal, SignalReader } from './signal-reader.ts';
import { StatusFile } from './status-file.ts';
import { toolVariable } from './tool-variable.ts';

export type { Heard, OnSignal, SignalReader } from './signal-reader.ts';

export interface SignalPlace {
  detector: Detector;
  manifest: SurfaceManifest;
  sessionRoot: string;
  clock: Clock;
  changed: OnSignal;
}

/** The readers of every signal this tool offers. The title is part of the screen and needs none. */
export function openSignals(place: SignalPlace): SignalReader[] {
  return place.detector.signals.flatMap((source) => READERS[source]?.(place) ?? []);
}

const READERS: Partial<Record<Detector['signals'][number], (place: SignalPlace) => SignalReader[]>> = {
  scripted_status_file: ({ manifest, clock, changed }) => {
    const file = launchFact(manifest, 'status_path');
    if (file === undefined) return [];
    const stamp = (content: Record<string, unknown>): unknown => content['updated_at'];
    return [new StatusFile({ source: 'scripted_status_file', clock, changed, place: () => file, stamp })];
  },
  claude_status_file: ({ manifest, clock, changed }) => [
    new StatusFile({
      source: 'claude_status_file',
      clock,
      changed,
      stamp: (content) => content['statusUpdatedAt'] ?? content['updatedAt'],
      place: (tool) => {
        if (!tool) return undefined;
        const home =
          toolVariable(tool.pid, 'CLAUDE_CONFIG_DIR') ??
          manifest.launch_plan.home_selector?.home_path ??
          path.join(toolVariable(tool.pid, 'HOME') ?? os.homedir(), '.claude');
        return path.join(home, 'sessions', `${tool.pid}.json`);
      },
    }),
  ],
  claude_hooks: ({ manifest, sessionRoot, clock, changed }) => [
    new ClaudeHooks(launchFact(manifest, 'signals_dir') ?? path.join(sessionRoot, 'signals'), clock, changed),
  ],
  opencode_http: ({ manifest, clock, changed }) => {
    const port = opencodePort(manifest.launch_plan.args);
    return port === undefined ? [] : [new OpencodeHttp(port, clock, changed)];
  },
  codex_rollout: ({ clock, changed }) => [new SessionLog(CODEX_ROLLOUT, clock, changed)],
  copilot_events: ({ clock, changed }) => [new SessionLog(COPILOT_EVENTS, clock, changed)],
  kimi_wire: ({ clock, changed }) => [new SessionLog(KIMI_WIRE, clock, changed)],
};
