import * as fs from 'node:fs';
import * as net from 'node:net';
import { messageOf, runOutsideTenants, socketAddress } from '../base/index.ts';
import type { HostAnswer, HostRequest } from '../wire/index.ts';

/** Larger than any environment. A longer request closes the connection. */
const MAX_REQUEST_LENGTH = 16 * 1024 * 1024;

export interface ControlSocket {
  /** Requests without an answer yet. */
  readonly open: number;
  close(): void;
}

/** Serves one request per connection. Only the owner can enter the directory of the socket. */
export async function serveControl(
  socket: string,
  answer: (request: HostRequest) => Promise<HostAnswer>,
  served: () => void,
): Promise<ControlSocket> {
  const connections = new Set<net.Socket>();
  const server = runOutsideTenants(() =>
    net.createServer({ allowHalfOpen: true }, (connection) => {
      connections.add(connection);
      connection.on('error', () => {});
      connection.on('close', () => {
        connections.delete(connection);
        served();
      });
      void serve(connection, answer);
    }),
  );
  fs.rmSync(socket, { force: true });
  const address = socketAddress(socket);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: address.path }, resolve);
  });
  fs.chmodSync(socket, 0o600);
  return {
    get open() {
      return connections.size;
    },
    close: () => {
      server.close();
      address.close();
      fs.rmSync(socket, { force: true });
    },
  };
}

async function serve(
  connection: net.Socket,
  answer: (request: HostRequest) => Promise<HostAnswer>,
): Promise<void> {
  try {
    const request = JSON.parse(await readLine(connection)) as HostRequest;
    connection.end(`${JSON.stringify(await answer(request))}\n`);
  } catch (error) {
    const refused: HostAnswer = { ok: false, message: messageOf(error) };
    connection.end(`${JSON.stringify(refused)}\n`);
  }
}

function readLine(connection: net.Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    connection.setEncoding('utf8');
    connection.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > MAX_REQUEST_LENGTH) connection.destroy(new Error('the request is too long'));
    });
    connection.on('close', () => reject(new Error('the connection was closed before a request')));
    connection.on('end', () => reject(new Error('the connection was closed before a request')));
  });
}
