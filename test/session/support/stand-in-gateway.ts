import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { identifyProcess, newUuid, tryLockFile, writeJsonAtomic } from '../../../src/base/index.ts';
import { TUI_TIMING_RULES } from '../../../src/domain/index.ts';
import { readManifestFacts } from '../../../src/session/records/manifest-facts.ts';

/**
 * The smallest program that keeps a gateway's outward promises: lock, listener, instance record,
 * report of its start, /health and /v1/status, graceful end, end with its tmux session. STAND_IN=<fault> makes it
 * break one of them.
 */
const text = { type: 'string' } as const;
const { values } = parseArgs({
  strict: false,
  options: {
    ...{ 'gateway-root': text, host: text, port: text, 'attempt-id': text },
    ...Object.fromEntries(TUI_TIMING_RULES.map(({ processFlag }) => [processFlag, text])),
  },
});
const root = String(values['gateway-root']);
const host = String(values['host']);
const port = Number(values['port']);
const file = (...parts: string[]): string => path.join(root, ...parts);
const fault = process.env['STAND_IN'] ?? '';
const instanceId = newUuid();
const attempt = (said: object): void =>
  writeJsonAtomic(file('run', 'attempt.json'), { attempt_id: values['attempt-id'], ...said });

function fail(code: string, message: string): never {
  attempt({ status: 'failed', code, message });
  process.exit(1);
}

const dies =
  fault === 'dies' ||
  (fault === 'dies-in-window' && process.env['HOUMAO_GATEWAY_EXECUTION_MODE'] === 'tmux_auxiliary_window');
if (dies) {
  process.stderr.write('stand-in: ordered to die\n');
  process.exit(9);
}
const lock = tryLockFile(file('run', 'gateway.lock'));
if (!lock) fail('locked', 'a gateway is already running for this session');
if (fault === 'mute') setInterval(() => {}, 1000);
else serve();

function serve(): void {
  const { document, tmuxSocket: socket } = readManifestFacts(path.join(path.dirname(root), 'manifest.json'));
  const manifest = document as {
    backend: string;
    tmux_session_name: string;
    runtime: { session_id: string };
  };
  const { env } = process;
  const inWindow = env['HOUMAO_GATEWAY_EXECUTION_MODE'] === 'tmux_auxiliary_window';
  const window = inWindow
    ? {
        id: env['HOUMAO_GATEWAY_TMUX_WINDOW_ID']!,
        index: env['HOUMAO_GATEWAY_TMUX_WINDOW_INDEX']!,
        pane: env['HOUMAO_GATEWAY_TMUX_PANE_ID']!,
      }
    : undefined;
  const status = (bound: number | null): object => ({
    schema_version: 1,
    protocol_version: 'v1',
    attach_identity: manifest.runtime.session_id,
    backend: manifest.backend,
    tmux_session_name: manifest.tmux_session_name,
    gateway_health: bound === null ? 'not_attached' : 'healthy',
    managed_agent_connectivity: bound === null ? 'unavailable' : 'connected',
    managed_agent_recovery: 'idle',
    request_admission: bound === null ? 'blocked_unavailable' : 'open',
    terminal_surface_eligibility: 'unknown',
    active_execution: 'idle',
    execution_mode: inWindow ? 'tmux_auxiliary_window' : 'detached_process',
    queue_depth: 0,
    gateway_host: bound === null ? null : host,
    gateway_port: bound,
    gateway_tmux_window_id: bound === null ? null : (window?.id ?? null),
    gateway_tmux_window_index: bound === null ? null : (window?.index ?? null),
    gateway_tmux_pane_id: bound === null ? null : (window?.pane ?? null),
    managed_agent_instance_epoch: 1,
    managed_agent_instance_id: null,
  });
  const server = createServer((request, response) => {
    const answer =
      request.url === '/health'
        ? { protocol_version: 'v1', status: 'ok', instance_id: fault === 'stranger' ? 'other' : instanceId }
        : status(listening().port);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  const listening = (): { port: number } => server.address() as { port: number };
  server.on('error', (error: NodeJS.ErrnoException) => {
    fail(error.code === 'EADDRINUSE' ? 'port_in_use' : 'bind_failed', error.message);
  });
  server.listen(port, host, () => {
    const own = identifyProcess(process.pid)!;
    const bound = listening().port;
    writeJsonAtomic(file('run', 'current-instance.json'), {
      schema_version: 1,
      protocol_version: 'v1',
      pid: process.pid,
      host,
      port: bound,
      execution_mode: inWindow ? 'tmux_auxiliary_window' : 'detached_process',
      tmux_window_id: window?.id ?? null,
      tmux_window_index: window?.index ?? null,
      tmux_pane_id: window?.pane ?? null,
      tui_tracking_timings: Object.fromEntries(
        TUI_TIMING_RULES.map(({ field, processFlag }) => [field, Number(values[processFlag])]),
      ),
      managed_agent_instance_epoch: 1,
      managed_agent_instance_id: null,
      instance_id: instanceId,
      pid_start_ticks: own.startTicks,
      boot_id: own.bootId,
    });
    writeJsonAtomic(file('state.json'), status(bound));
    attempt({ status: 'ready', instance_id: instanceId, port: bound });
  });
  const end = (): void => {
    writeJsonAtomic(file('state.json'), status(null));
    fs.rmSync(file('run', 'current-instance.json'), { force: true });
    process.exit(0);
  };
  process.on('SIGTERM', fault === 'stubborn' ? () => {} : end);
  process.on('SIGHUP', end);
  process.on('SIGUSR2', end);
  const where = socket === undefined ? [] : socket.includes('/') ? ['-S', socket] : ['-L', socket];
  setInterval(() => {
    execFile('tmux', [...where, 'has-session', '-t', `=${manifest.tmux_session_name}`], (error) => {
      if (error && error.code === 1) end();
    });
  }, 250);
}
