import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BETWEEN_KEYS_MS = 40;

/** The arguments for a tmux server by its name, or by the path of its socket. */
const server = (socket: string): string[] => [socket.includes('/') ? '-S' : '-L', socket];

/** A person at their own terminal, attached to the agent's session: their keys come through a real client. */
export class PersonAtClient {
  readonly #socket = `rouse-test-${randomBytes(6).toString('hex')}`;
  /** Resolves when the first key of the current line has been pressed. */
  begun: Promise<void> = Promise.resolve();

  /**
   * Attached only while writing, because an idle client slows every other case down. Leaving before the line has `arrived`
   * can lose its last keys on a busy machine.
   */
  async writes(line: string, arrived?: Promise<unknown>): Promise<void> {
    const target = this.#target!;
    let begun: () => void = () => {};
    this.begun = new Promise((resolve) => {
      begun = resolve;
    });
    await this.attach(target);
    for (const key of line) {
      await this.press(key);
      begun();
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_KEYS_MS));
    }
    await new Promise((resolve) => setTimeout(resolve, 5 * BETWEEN_KEYS_MS));
    await this.#press(['Enter']);
    await (arrived ?? new Promise((resolve) => setTimeout(resolve, BETWEEN_KEYS_MS)));
    await this.#tmux(['kill-session', '-t', '=person']);
  }

  #target: { socket: string; session: string } | undefined;

  sitsAt(target: { socket: string; session: string }): this {
    this.#target = target;
    return this;
  }

  async close(): Promise<void> {
    await this.#tmux(['kill-server']).catch(() => {});
  }

  async attach({ socket, session }: { socket: string; session: string }): Promise<void> {
    const command = `env -u TMUX TERM=tmux-256color tmux ${server(socket).join(' ')} attach-session -t =${session}`;
    await this.#tmux(['new-session', '-d', '-s', 'person', '-x', '100', '-y', '31', command]);
    for (;;) {
      const { stdout } = await run('tmux', [
        ...server(socket),
        'list-clients',
        '-t',
        `=${session}`,
        '-F',
        '#{client_control_mode}',
      ]);
      if (stdout.split('\n').includes('0')) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  press(key: string): Promise<unknown> {
    return this.#press(['-l', '--', key]);
  }

  #press(keys: string[]): Promise<unknown> {
    return this.#tmux(['send-keys', '-t', '=person:', ...keys]);
  }

  #tmux(args: string[]): Promise<unknown> {
    return run('tmux', ['-L', this.#socket, '-f', '/dev/null', ...args]);
  }
}
