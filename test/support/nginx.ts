import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';

export interface TestNginx {
  stop(): Promise<void>;
}

const PROGRAM = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((file) => fs.existsSync(file)) ?? 'nginx';
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** A real nginx of this account with these server blocks, one process in the foreground. Resolves when it listens on the port. */
export async function startNginx(servers: string, port: number): Promise<TestNginx> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-nginx-'));
  const places = TEMPORARY.map((name) => `${name}_temp_path ${directory}/${name};`).join(' ');
  fs.writeFileSync(
    path.join(directory, 'nginx.conf'),
    `daemon off; master_process off; pid ${directory}/pid; error_log stderr; events {}
http { access_log off; ${places}
${servers}
}`,
  );
  const words = ['-p', directory, '-c', path.join(directory, 'nginx.conf'), '-e', 'stderr'];
  const child = spawn(PROGRAM, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const said = text(child.stderr);
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    fs.rmSync(directory, { recursive: true, force: true });
  };
  const listens = vi.waitUntil(() => isListening(port), { timeout: 60_000 }).then(() => 'listening');
  if ((await Promise.race([listens, ended])) !== 'listening') throw new Error(`nginx ended: ${await said}`);
  return { stop };
}

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
