import * as fs from 'node:fs';
import * as net from 'node:net';
import { errnoOf, socketAddress } from '../../base/index.ts';
import { hostFiles } from '../../wire/files/host-files.ts';
import type { HostAnswer, HostRequest } from '../../wire/host.ts';

/** `nobody`: no host listens there. `silent`: one does, and did not answer in time. */
export type HostSaid = HostAnswer | 'nobody' | 'silent';

/** One question to the host of a directory. */
export function askHost(directory: string, request: HostRequest, timeoutMs: number): Promise<HostSaid> {
  const { socket } = hostFiles(directory);
  if (!fs.existsSync(socket)) return Promise.resolve('nobody');
  const address = socketAddress(socket);
  return new Promise<HostSaid>((resolve) => {
    const connection = net.connect(address.path);
    let text = '';
    const timer = setTimeout(() => done('silent'), timeoutMs);
    const done = (said: HostSaid): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(said);
    };
    connection.setEncoding('utf8');
    connection.on('connect', () => connection.write(`${JSON.stringify(request)}\n`));
    connection.on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('\n')) done(JSON.parse(text) as HostAnswer);
    });
    connection.on('error', (error) => done(errnoOf(error) === 'EAGAIN' ? 'silent' : 'nobody'));
    // It ended between the question and the answer.
    connection.on('close', () => done('nobody'));
  }).finally(address.close);
}
