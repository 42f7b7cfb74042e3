import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomHex } from '../../src/base/index.ts';
import type { Created } from '../../src/tmux/index.ts';
import { SessionLine } from '../../src/tmux/index.ts';
import type { PrivateTmux } from '../support/tmux.ts';

const PROGRAM = fileURLToPath(new URL('reader-program.mjs', import.meta.url));

export const PASTE_BEGIN = '\u001b[200~';
export const PASTE_END = '\u001b[201~';

export interface Reader extends Created {
  /** All bytes so far, once they satisfy the test. */
  until: (enough: (bytes: Buffer) => boolean) => Promise<Buffer>;
  /** Everything until `mark` has arrived. */
  untilText: (mark: string) => Promise<string>;
  close: () => void;
}

/** A session whose pane runs the reader, with the reader ready and bracketed paste known to tmux. */
export async function openReader(
  { tmux, dir }: PrivateTmux,
  mode: 'bracketed' | 'plain' = 'bracketed',
): Promise<Reader> {
  const name = `reader-${randomHex(3)}`;
  const socketPath = path.join(dir, `${name}.sock`);
  let bytes = Buffer.alloc(0);
  const waiting = new Set<() => void>();
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (const check of [...waiting]) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const command = [process.execPath, PROGRAM, socketPath, mode];
  const created = await tmux.newSession({ name, cwd: dir, width: 80, height: 24, command });
  await screenShows({ tmux, dir, socketPath }, name, created.paneId, 'READY');
  const until = (enough: (got: Buffer) => boolean): Promise<Buffer> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!enough(bytes)) return;
        waiting.delete(check);
        resolve(bytes);
      };
      waiting.add(check);
      check();
    });
  return {
    ...created,
    until,
    untilText: async (mark) => (await until((got) => got.includes(mark))).toString(),
    close: () => {
      server.close();
      fs.rmSync(socketPath, { force: true });
    },
  };
}

/** Waits, by the pane's own output, until its screen holds the text. */
export async function screenShows(
  { tmux }: PrivateTmux,
  session: string,
  pane: string,
  text: string,
): Promise<void> {
  const client = await SessionLine.join(tmux.exec, session);
  try {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        tmux
          .via(client)
          .capturePane(pane)
          .then((screen) => {
            if (screen.includes(text)) resolve();
          }, reject);
      };
      client.watchOutput(pane, look).then(look, reject);
    });
  } finally {
    await client.close();
  }
}
