import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { withoutDescriptors } from '../../../test/support/no-descriptors.ts';
import { PLAIN_SHELL, withTmux } from '../../../test/support/tmux.ts';
import { errnoOf } from '../errors.ts';
import { Ending } from '../processes/ending.ts';
import { isThatProcess, signalProcess } from '../processes/process-identity.ts';
import type { System } from './system.ts';

const OTHER_UID = 65_534;
const PATIENCE = { timeout: 30_000, interval: 10 };

/** What every caller of the operating system's port may rely on, shown by live processes. */
export function systemContract(name: string, system: System): void {
  describe(`${name} reports`, () => {
    let ending = new Ending();
    afterEach(async () => {
      await ending.run();
      ending = new Ending();
    });

    /** A child that runs until its input ends. */
    async function start(
      words: string[],
      options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
    ): Promise<{ child: ChildProcess; pid: number; output: () => string; end: () => Promise<void> }> {
      const [program = '', ...rest] = words;
      const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
      let text = '';
      child.stdout.on('data', (part) => {
        text += part;
      });
      const exited = once(child, 'exit');
      await once(child, 'spawn');
      const end = async (): Promise<void> => {
        child.stdin.end();
        await exited;
      };
      ending.add(end);
      return { child, pid: child.pid!, output: () => text, end };
    }

    function place(): string {
      const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-system-')));
      ending.add(() => fs.rmSync(directory, { recursive: true }));
      return directory;
    }

    it('which processes run, with parent, account, start time, words and variables', async () => {
      const before = Date.now();
      const words = ['sh', '-c', 'read -r _', 'a name', 'two\nlines', ''];
      const { pid } = await start(words, { env: { PATH: process.env['PATH'], GREETING: 'a=b c' } });
      expect(system.runningPids()).toEqual(expect.arrayContaining([process.pid, pid]));
      expect(system.childrenOf(process.pid)).toContain(pid);
      const status = system.processStatus(pid)!;
      expect(status).toMatchObject({ command: 'sh', state: 'running', parent: process.pid });
      expect(status.processGroup).toBe(system.processStatus(process.pid)!.processGroup);
      expect(Math.abs(system.startedAtMs(status)! - before)).toBeLessThan(60_000);
      expect(system.startedAtMs({ startTicks: null })).toBeUndefined();
      expect(system.accountOf(pid)).toBe(process.getuid!());
      expect(system.commandLineOf(pid)).toEqual(words);
      expect(system.environmentOf(pid)).toContain('GREETING=a=b c');
      expect(system.childrenOf(pid)).toEqual([]);
    });

    it('the directory of a process, its open files, and who holds a lock', async () => {
      const cwd = place();
      const file = path.join(cwd, 'a file');
      const script = 'exec 9>"a file"; flock 9; echo open; read -r _';
      const { pid, output } = await start(['sh', '-c', script], { cwd });
      await expect.poll(output, PATIENCE).toContain('open');
      expect(system.directoryOf(pid)).toBe(cwd);
      expect(system.openFilesOf(pid)).toContain(file);
      // The lock was taken by a program that has ended since; the descriptor of its parent keeps it.
      expect(system.lockHoldersOf(file)).toHaveLength(1);
      fs.writeFileSync(path.join(cwd, 'free'), '');
      expect(system.lockHoldersOf(path.join(cwd, 'free'))).toEqual([]);
    });

    it('a stopped process as stopped, and a zombie as ended', async () => {
      // The child ends once its parent is cat: a shell could have waited for it.
      const script = '(until [ "$(ps -o comm= -p $$)" = cat ]; do :; done) & echo "$!"; exec cat';
      const { pid, output } = await start(['sh', '-c', script]);
      await expect.poll(output, PATIENCE).toContain('\n');
      const zombie = Number(output());
      await expect.poll(() => system.processStatus(zombie)?.state, PATIENCE).toBe('ended');
      expect(system.commandLineOf(zombie)).toEqual([]);
      const { startTicks } = system.processStatus(zombie)!;
      expect(isThatProcess({ pid: zombie, startTicks, bootId: system.bootId() })).toBe(false);
      process.kill(pid, 'SIGSTOP');
      await expect.poll(() => system.processStatus(pid)?.state, PATIENCE).toBe('stopped');
      process.kill(pid, 'SIGCONT');
      await expect.poll(() => system.processStatus(pid)?.state, PATIENCE).toBe('running');
    });

    it('nothing for a process that has ended, without an error', async () => {
      const { pid, end } = await start(['cat']);
      await end();
      expect(system.processStatus(pid)).toBeUndefined();
      expect(system.accountOf(pid)).toBeUndefined();
      expect(system.directoryOf(pid)).toBeUndefined();
      expect(system.runningPids()).not.toContain(pid);
      for (const list of ['commandLineOf', 'environmentOf', 'childrenOf', 'openFilesOf'] as const)
        expect(system[list](pid), list).toEqual([]);
    });

    it('by its start time that a pid belongs to another process now', async () => {
      const { startTicks } = system.processStatus((await start(['cat'])).pid)!;
      let later = await start(['cat']);
      for (
        let tries = 0;
        tries < 100 && system.processStatus(later.pid)!.startTicks === startTicks;
        tries++
      ) {
        await later.end();
        later = await start(['cat']);
      }
      const earlier = { pid: later.pid, startTicks, bootId: system.bootId() };
      expect(system.processStatus(later.pid)!.startTicks).toBeGreaterThan(startTicks);
      expect(isThatProcess(earlier)).toBe(false);
      expect(signalProcess(earlier, 'SIGKILL')).toBe(false);
      expect(system.processStatus(later.pid)!.state).toBe('running');
    });

    it('which process group is in the foreground of a terminal', () =>
      withTmux(async ({ tmux, dir }) => {
        await tmux.newSession({ name: 'front', cwd: dir, width: 80, height: 24, command: PLAIN_SHELL });
        const [pane] = await tmux.listPanes('front');
        const shell = pane!.pid;
        const front = (): number | undefined => system.processStatus(shell)?.foregroundGroup;
        await expect.poll(front, PATIENCE).toBe(shell);
        expect(system.processStatus(shell)!.terminal).toBe(fs.statSync(pane!.tty).rdev);
        await tmux.sendLiteral(pane!.id, 'cat');
        await tmux.pressEnter(pane!.id);
        await expect.poll(front, PATIENCE).not.toBe(shell);
        const [cat] = system.childrenOf(shell);
        expect(system.processStatus(cat!)).toMatchObject({ processGroup: front(), foregroundGroup: front() });
        await tmux.sendKeyName(pane!.id, 'C-d');
        await expect.poll(front, PATIENCE).toBe(shell);
      }));

    it('the owner of the socket at the other end of a connection, and none for a closed one', async () => {
      const server = net.createServer().listen(0, '127.0.0.1');
      ending.add(() => server.close());
      await once(server, 'listening');
      const { port } = server.address() as net.AddressInfo;
      const client = net.connect(port, '127.0.0.1');
      const [[accepted]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [
        [net.Socket],
        unknown,
      ];
      const { localAddress, localPort, remoteAddress, remotePort } = accepted;
      const ends = { localAddress, localPort, remoteAddress, remotePort };
      expect(system.socketOwner(ends)).toBe(process.getuid!());
      expect(system.socketOwner({ ...ends, remotePort: port })).toBe('none');
      expect(system.socketOwner({ ...ends, remoteAddress: '192.0.2.1' })).toBe('none');
      const closed = once(accepted, 'close');
      client.destroy();
      accepted.destroy();
      await closed;
      await expect.poll(() => system.socketOwner(ends), PATIENCE).toBe('none');
    });

    it('the boot id, port range and file limit of the machine, and paths of open files', async () => {
      expect(system.bootId()).toMatch(/\S/);
      expect(system.lowestGivenPort()).toBeGreaterThan(0);
      const { output, end } = await start(['sh', '-c', 'ulimit -n']);
      await end();
      expect(system.openFilesLimit()).toBe(Number(output()));
      const file = path.join(place(), 'nameless');
      fs.writeFileSync(file, 'still there');
      const fd = fs.openSync(file, 'r');
      ending.add(() => fs.closeSync(fd));
      fs.rmSync(file);
      expect(fs.readFileSync(system.pathOfDescriptor(fd)!, 'utf8')).toBe('still there');
    });

    it('the same facts to a shell script', async () => {
      const { identity, uptime } = system.inShell;
      const script = `${identity}\n${uptime}\necho "$started $boot $now"; read -r _`;
      const { pid, output } = await start(['sh', '-c', script]);
      await expect.poll(output, PATIENCE).toContain('\n');
      const [started, boot, now] = output().trim().split(' ');
      expect(Number(started)).toBe(system.processStatus(pid)!.startTicks);
      expect(boot).toBe(system.bootId());
      expect(Math.abs(Number(now) - os.uptime())).toBeLessThan(60);
    });

    it('an error, never an ended process, while no file can be opened', async () => {
      const { pid } = await start(['cat']);
      const { startTicks } = system.processStatus(pid)!;
      await withoutDescriptors(() => {
        for (const look of [
          () => system.runningPids(),
          () => system.processStatus(pid),
          () => system.startedAtMs({ startTicks }),
          () => system.commandLineOf(pid),
          () => system.environmentOf(pid),
          () => system.childrenOf(pid),
          () => system.openFilesOf(pid),
          () => system.lockHoldersOf('/'),
          () => system.openFilesLimit(),
          () => system.lowestGivenPort(),
        ])
          expect(look, String(look)).toThrow(/EMFILE/);
        expect(system.accountOf(pid)).toBe(process.getuid!());
        expect(system.directoryOf(pid)).toBe(process.cwd());
      });
    });

    it('an error for what this account may not see', async () => {
      const isRoot = process.getuid!() === 0;
      const pid = isRoot ? (await start(['cat'])).pid : 1;
      if (isRoot) process.seteuid!(OTHER_UID);
      try {
        for (const look of ['environmentOf', 'directoryOf', 'openFilesOf'] as const)
          expect(
            causeOf(() => system[look](pid)),
            look,
          ).toMatch(/^(EACCES|EPERM)$/);
        expect(system.processStatus(pid)).toBeDefined();
      } finally {
        if (isRoot) process.seteuid!(0);
      }
    });
  });
}

function causeOf(look: () => unknown): string | undefined {
  try {
    look();
    return undefined;
  } catch (error) {
    return errnoOf((error as Error).cause);
  }
}
