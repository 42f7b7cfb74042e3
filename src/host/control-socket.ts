import * as fs from 'node:fs';
import * as net from 'node:net';
import { messageOf, runForNobody, socketAddress } from '../base/index.ts';
import type { HostAnswer, HostRequest } from '../wire/index.ts';

/** More than any environment; whoever sends more is cut off. */
const MAX_REQUEST_LENGTH = 16 * 1024 * 1024;

export interface ControlSocket {
  /** How many have asked and not been answered. */
  readonly asking: number;
  close(): void;
}

/** Serves one question for each connection. Its directory is open to its owner alone. */
export async function serveControl(
  socket: string,
  answer: (request: HostRequest) => Promise<HostAnswer>,
  served: () => void,
): Promise<ControlSocket> {
  const connections = new Set<net.Socket>();
  const server = runForNobody(() =>
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
    get asking() {
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
    const asked = await readLine(connection);
    connection.end(`${JSON.stringify(await answer(JSON.parse(asked) as HostRequest))}\n`);
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
      else if (text.length > MAX_REQUEST_LENGTH) connection.destroy(new Error('the question is too long'));
    });
    connection.on('close', () => reject(new Error('nobody asked')));
    connection.on('end', () => reject(new Error('nobody asked')));
  });
}
