import * as fs from 'node:fs';
import {
  ensurePrivateDirectory,
  identifyProcess,
  utcStamp,
  writeFileAtomic,
  writeJsonAtomic,
  writeJsonIfOther,
} from '../../base/index.ts';
import type { ExecutionMode, TuiTimings } from '../../domain/index.ts';
import {
  type AttemptResult,
  besideOf,
  type CurrentInstanceFile,
  currentInstanceFile,
  type GatewayFiles,
  gatewayFiles,
  INSTANCE_BY,
  splitFile,
} from '../../wire/index.ts';

export interface InstanceFacts {
  instanceId: string;
  host: string;
  port: number;
  executionMode: ExecutionMode;
  window: { id: string; index: string; paneId: string } | null;
  timings: TuiTimings;
  epoch: number;
  instance_id: string | null;
  startedAt: Date;
}

/** Publishes which process this gateway is, so that a later one on the same pid or port is not taken for it. */
export function writeInstance(files: GatewayFiles, facts: InstanceFacts): void {
  const own = identifyProcess(process.pid);
  const content: CurrentInstanceFile = {
    schema_version: 1,
    protocol_version: 'v1',
    pid: process.pid,
    host: facts.host as CurrentInstanceFile['host'],
    port: facts.port,
    execution_mode: facts.executionMode,
    ...(facts.executionMode === 'hosted' && { hosted: true }),
    tmux_window_id: facts.window?.id ?? null,
    tmux_window_index: facts.window?.index ?? null,
    tmux_pane_id: facts.window?.paneId ?? null,
    tui_tracking_timings: facts.timings,
    managed_agent_instance_epoch: facts.epoch,
    managed_agent_instance_id: facts.instance_id,
    instance_id: facts.instanceId,
    pid_start_ticks: own?.startTicks ?? null,
    boot_id: own?.bootId ?? null,
    started_at_utc: utcStamp(facts.startedAt),
  };
  writeFileAtomic(files.pidFile, `${process.pid}\n`, { durable: false });
  const { published, beside } = splitFile(currentInstanceFile, content, INSTANCE_BY);
  // Written first, so that a reader never finds the instance without its start ticks.
  writeJsonIfOther(besideOf(files.currentInstance), beside);
  writeJsonAtomic(files.currentInstance, published);
}

export function removeInstance(files: GatewayFiles): void {
  fs.rmSync(files.currentInstance, { force: true });
  fs.rmSync(besideOf(files.currentInstance), { force: true });
  fs.rmSync(files.pidFile, { force: true });
}

/** Returns the port of the previous gateway if it was killed, so that its successor keeps the address that clients know. */
export function previousPort(gatewayRoot: string): number | undefined {
  try {
    const content = fs.readFileSync(gatewayFiles(gatewayRoot).currentInstance, 'utf8');
    const { port } = JSON.parse(content) as { port?: unknown };
    return Number.isInteger(port) ? (port as number) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes how a start ended, so that the caller need not read a log. */
export function writeAttempt(gatewayRoot: string, attemptId: string, result: AttemptResult): void {
  const { run, attempt } = gatewayFiles(gatewayRoot);
  ensurePrivateDirectory(run);
  writeJsonAtomic(attempt, { attempt_id: attemptId, ...result });
}
