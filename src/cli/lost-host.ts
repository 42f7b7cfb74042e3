import * as fs from 'node:fs';
import { bootId, isProcessAlive, readIfExists, systemClock } from '../base/index.ts';
import { hostFiles, hostsDirectory } from '../wire/files/host-files.ts';
import type { Settings } from './settings.ts';

/**
 * A warning when the gateways' host and its keeper were killed, so that no agent is woken and nothing restarts the host; or
 * when only the keeper was killed, so that nothing would restart it. Every command checks this, so it is cheap: one directory
 * and two small files per host.
 */
export async function lostHostLine(settings: Settings, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const states = hostStates(settings.runtimeDir);
  if (states.includes('dead')) {
    const { lostGateways } = await import('../session/index.ts');
    const { length } = await lostGateways({ settings, env, clock: systemClock });
    const whose = length === 1 ? '1 agent is' : `${length} agents are`;
    if (length > 0)
      return `warning: the host of the gateways was killed, so ${whose} not woken; "rouse host start" brings it back\n`;
  }
  if (!states.includes('unkept')) return undefined;
  return 'warning: the keeper of the gateways\' host was killed, so nothing would start it again; "rouse host start" gives it another\n';
}

function hostStates(runtimeDir: string): ('kept' | 'unkept' | 'dead')[] {
  const hosts = hostsDirectory(runtimeDir);
  let names: string[];
  try {
    names = fs.readdirSync(hosts);
  } catch {
    return [];
  }
  return names.map((name) => {
    const files = hostFiles(`${hosts}/${name}`);
    const [host, keeper] = [isDead(files.currentInstance), isDead(files.keeper)];
    if (host === true && keeper !== false) return 'dead';
    return host === false && keeper === true ? 'unkept' : 'kept';
  });
}

/** Undefined when no process is recorded, or one of an earlier boot: then the agents are gone as well. */
function isDead(file: string): boolean | undefined {
  try {
    const record = JSON.parse(readIfExists(file) ?? 'null') as Record<string, unknown> | null;
    const { pid, pid_start_ticks: ticks, boot_id: boot } = record ?? {};
    if (!Number.isInteger(pid) || boot !== bootId()) return undefined;
    return !isProcessAlive({
      pid: pid as number,
      startTicks: (ticks as number | null) ?? null,
      bootId: bootId(),
    });
  } catch {
    return undefined;
  }
}
