import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { identifyProcess, isProcessAlive, signalProcess } from './process-identity.ts';

describe('a process identity', () => {
  it('a process identity is alive while exactly that process runs, and never afterwards', async () => {
    const child = spawn('cat', { stdio: 'pipe' });
    await once(child, 'spawn');
    const identity = identifyProcess(child.pid!)!;
    expect(isProcessAlive(identity)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isProcessAlive(identity)).toBe(false);
    expect(signalProcess(identity, 'SIGTERM')).toBe(false);
  });

  it('a process identity does not take another process of the same pid, or one of an earlier boot, for it', () => {
    const own = identifyProcess(process.pid)!;
    expect(isProcessAlive(own)).toBe(true);
    expect(isProcessAlive({ ...own, startTicks: own.startTicks! - 1 })).toBe(false);
    expect(isProcessAlive({ ...own, bootId: '00000000-0000-0000-0000-000000000000' })).toBe(false);
    expect(signalProcess({ ...own, startTicks: own.startTicks! - 1 }, 'SIGKILL')).toBe(false);
  });
});
