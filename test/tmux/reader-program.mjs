// A program for a pane: raw mode, bracketed paste on request, and it sends every byte it gets to the test's socket.
import * as net from 'node:net';

const [, , socketPath, mode] = process.argv;
const socket = net.connect(socketPath, () => {
  process.stdin.setRawMode(true);
  if (mode === 'bracketed') process.stdout.write('\u001b[?2004h');
  process.stdin.pipe(socket);
  process.stdout.write('READY');
});
socket.on('error', () => process.exit(0));
