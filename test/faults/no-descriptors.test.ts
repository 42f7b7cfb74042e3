import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  childrenOf,
  commandLineOf,
  FakeClock,
  identifyChild,
  identifyProcess,
  isProcessAlive,
  namesOfProcess,
  processVariable,
  runningPids,
  signalProcess,
  startedAtMs,
} from '../../src/base/index.ts';
import { findRunner, runningTurnId } from '../../src/terminal/headless/runner/find-runner.ts';
import { endGroup } from '../../src/terminal/headless/runner/process-group.ts';
import { turnFiles } from '../../src/terminal/headless/turn/turn-files.ts';
import { readForeground } from '../../src/terminal/watch/foreground.ts';
import type { Pane } from '../../src/tmux/index.ts';
import { filesOpenIn } from '../../src/tools/signals/open-files.ts';
import { withoutDescriptors } from '../support/no-descriptors.ts';

const OUT = /EMFILE/;
const ATTEMPT = 'attempt-that-no-other-process-names';
let child: ChildProcess;
let pid: number;
beforeEach(async () => {
  child = spawn('sh', ['-c', 'cat', 'runner', ATTEMPT], { stdio: 'pipe', detached: true });
  await once(child, 'spawn');
  pid = child.pid!;
});
afterEach(async () => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  process.kill(-pid, 'SIGKILL');
  await exited;
});

describe('while no file can be opened, a process that runs', () => {
  it('while no file can be opened, a process that runs is alive, is not signalled, and everything else about it is unknown', async () => {
    const identity = identifyProcess(pid)!;
    await withoutDescriptors(() => {
      expect(isProcessAlive(identity)).toBe(true);
      expect(isProcessAlive(identifyChild(pid))).toBe(true);
      for (const look of [
        () => signalProcess(identity, 'SIGKILL'),
        () => identifyProcess(pid),
        () => childrenOf(pid),
        () => commandLineOf(pid),
        () => namesOfProcess(pid),
        () => processVariable(pid, 'HOME'),
        () => runningPids(),
        () => filesOpenIn(pid),
        () => startedAtMs(identity),
      ])
        expect(look, String(look)).toThrow(OUT);
    });
    expect(isProcessAlive(identity)).toBe(true);
  });

  it('while no file can be opened, the process in a pane is unknown, and still counts as the tool seen last', async () => {
    const looks = { names: ['cat'], launched: [], pids: () => [] };
    const pane = { dead: false, pid } as Pane;
    const known = { kind: 'tool' as const, tool: identifyProcess(pid), programs: ['cat'] };
    await withoutDescriptors(() => {
      expect(readForeground(pane, looks)).toMatchObject({ kind: 'unknown', tool: undefined });
      expect(readForeground(pane, looks, known)).toMatchObject({ kind: 'unknown', tool: known.tool });
    });
  });

  it('while no file can be opened, a process that runs is not taken for a headless turn that has ended', async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-no-descriptors-'));
    try {
      const files = turnFiles(root, 'turn-1');
      expect(runningTurnId(root)).toBeUndefined();
      expect(findRunner(files, ATTEMPT).pid).toBe(pid);
      await withoutDescriptors(() => {
        expect(() => findRunner(files, ATTEMPT)).toThrow(OUT);
        expect(() => runningTurnId(root)).toThrow(OUT);
      });
    } finally {
      fs.rmSync(root, { recursive: true });
    }
  });

  it('while no file can be opened, a process that runs is ended as a group only when it is known again', async () => {
    const identity = identifyProcess(pid)!;
    const clock = new FakeClock();
    const exited = once(child, 'exit');
    const ending = await withoutDescriptors(async () => {
      const ends = endGroup(identity, exited, { clock, graceMs: 1000 });
      await clock.advance(500);
      expect(child.signalCode).toBeNull();
      return { ends };
    });
    await clock.advance(200);
    await exited;
    await clock.advance(1000);
    await ending.ends;
  });
});

it('while no file can be opened, a process that has ended is known to have', async () => {
  const identity = identifyProcess(pid)!;
  const exited = once(child, 'exit');
  process.kill(-pid, 'SIGKILL');
  await exited;
  const looks = { names: ['cat'], launched: [], pids: () => [] };
  await withoutDescriptors(() => {
    expect(isProcessAlive(identity)).toBe(false);
    expect(signalProcess(identity, 'SIGKILL')).toBe(false);
    expect(identifyProcess(pid)).toBeUndefined();
    expect(readForeground({ dead: false, pid } as Pane, looks).kind).toBe('gone');
  });
});
