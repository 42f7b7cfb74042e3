import * as path from 'node:path';

/** Every file of a session's gateway tree, from its root. */
export function gatewayFiles(gatewayRoot: string) {
  const at = (...parts: string[]): string => path.join(gatewayRoot, ...parts);
  return {
    root: gatewayRoot,
    sessionRoot: path.dirname(gatewayRoot),
    manifest: path.join(path.dirname(gatewayRoot), 'manifest.json'),
    state: at('state.json'),
    attach: at('attach.json'),
    gatewayManifest: at('gateway_manifest.json'),
    desiredConfig: at('desired-config.json'),
    queue: at('queue.sqlite'),
    events: at('events.jsonl'),
    logDirectory: at('logs'),
    log: at('logs', 'gateway.log'),
    runDirectory: at('run'),
    currentInstance: at('run', 'current-instance.json'),
    pid: at('run', 'gateway.pid'),
    attempt: at('run', 'attempt.json'),
    lock: at('run', 'gateway.lock'),
    laneLock: at('run', 'lane.lock'),
  };
}

export type GatewayFiles = ReturnType<typeof gatewayFiles>;
