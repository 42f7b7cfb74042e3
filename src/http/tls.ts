import * as fs from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import * as path from 'node:path';
import { createSecureContext } from 'node:tls';
import { commandLine, errnoOf, invalid, messageOf } from '../base/index.ts';
import { isLoopback } from './sender.ts';

export interface TlsFiles {
  certFile: string;
  keyFile: string;
  /** Called when a renewed certificate is used, or cannot be used and the one before stays. */
  renewed?: (problem: string | undefined) => void;
}

const HANDSHAKE_BYTE = 0x16;
const FIRST_BYTE_MS = 10_000;
/** Certificate and key are seldom written at the same instant. */
const SETTLE_MS = 500;

export interface TlsServer {
  /** The server that listens. */
  server: Server;
  /** The servers that answer, without and with TLS. */
  answering: readonly [http.Server, https.Server];
  stop(): void;
}

/**
 * TLS for all callers, on one port. Programs of the same machine may also use plain HTTP: loopback traffic does not leave the
 * machine, and local commands need no certificate. Plain HTTP from elsewhere gets an error, and its connection is closed.
 */
export function tlsServer(files: TlsFiles, listener: http.RequestListener): TlsServer {
  const plain = http.createServer(listener);
  const inForce = readTls(files);
  const secure = https.createServer(inForce, listener);
  secure.on('tlsClientError', (_, socket) => socket.destroy());
  const server = createServer((socket) => choose(socket, plain, secure));
  const stop = watchFiles(files, secure, inForce);
  return { server, answering: [plain, secure], stop };
}

function choose(socket: Socket, plain: http.Server, secure: https.Server): void {
  const silent = setTimeout(() => socket.destroy(), FIRST_BYTE_MS);
  socket.once('error', () => socket.destroy());
  socket.once('close', () => clearTimeout(silent));
  socket.once('data', (first: Buffer) => {
    clearTimeout(silent);
    socket.pause();
    socket.unshift(first);
    if (first[0] === HANDSHAKE_BYTE) secure.emit('connection', socket);
    else if (isOfThisMachine(socket)) plain.emit('connection', socket);
    else return void socket.end(NEEDS_TLS);
    process.nextTick(() => socket.resume());
  });
}

function isOfThisMachine({ remoteAddress = '', localAddress }: Socket): boolean {
  return remoteAddress === localAddress || isLoopback(remoteAddress.replace(/^::ffff:/, ''));
}

const WORDS = JSON.stringify({ detail: 'this port uses TLS: address it with https://' });
const NEEDS_TLS = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${WORDS.length}\r\nconnection: close\r\n\r\n${WORDS}`;

interface Tls {
  cert: Buffer;
  key: Buffer;
}

/** Reads both files and proves that they belong together. A key that others can read is refused. */
function readTls({ certFile, keyFile }: TlsFiles): Tls {
  const [cert, key] = [read(certFile, '--tls-cert'), read(keyFile, '--tls-key')];
  if ((fs.statSync(keyFile).mode & 0o007) !== 0)
    throw invalid(`${keyFile} can be read by others`, { hint: `run "${commandLine`chmod 600 ${keyFile}`}"` });
  try {
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (error) {
    throw invalid(
      `${certFile} and ${keyFile} are not a certificate and its key in PEM form: ${messageOf(error)}`,
    );
  }
}

function read(file: string, flag: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw invalid(`${flag}: ${file} cannot be read (${errnoOf(error) ?? messageOf(error)})`);
  }
}

/**
 * Loads a renewed certificate while the server runs. Its directory may hold other files, such as the log that reports it, so
 * only a changed certificate or a new problem is reported.
 */
function watchFiles(files: TlsFiles, secure: https.Server, first: Tls): () => void {
  let settling: NodeJS.Timeout | undefined;
  let inForce = first;
  let trouble: string | undefined;
  const report = (problem: string | undefined): void => {
    trouble = problem;
    files.renewed?.(problem);
  };
  const renew = (): void => {
    try {
      const now = readTls(files);
      if (trouble === undefined && now.cert.equals(inForce.cert) && now.key.equals(inForce.key)) return;
      secure.setSecureContext(now);
      inForce = now;
      report(undefined);
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== trouble) report(problem);
    }
  };
  const directories = new Set([files.certFile, files.keyFile].map((file) => path.dirname(file)));
  const watches = [...directories].flatMap((directory) => {
    try {
      const watch = fs.watch(directory, { persistent: false }, () => {
        clearTimeout(settling);
        settling = setTimeout(renew, SETTLE_MS).unref();
      });
      return watch.on('error', () => watch.close());
    } catch {
      return [];
    }
  });
  return () => {
    clearTimeout(settling);
    for (const watch of watches) watch.close();
  };
}
