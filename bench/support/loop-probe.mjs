/**
 * Loaded before a server (`--import`). Over the socket LOOP_PROBE it returns, in milliseconds, the longest stop of the event
 * loop since the last request (`stop`), or how long parsing the slowest body of the maximum size takes here (`parse`).
 */
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const LARGEST = 4 * 1024 * 1024;
const socket = process.env.LOOP_PROBE;

function parsing() {
  const list = `[${Array(10_000).fill('[]').join(',')}]`;
  const text = `{"a":[${Array(Math.floor((LARGEST - 20) / (list.length + 1)))
    .fill(list)
    .join(',')}]}`;
  const bytes = Buffer.from(text);
  const begun = performance.now();
  JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  return performance.now() - begun;
}

if (isMainThread && socket) {
  delete process.env.LOOP_PROBE;
  delete process.env.NODE_OPTIONS;
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const server = createServer((connection) => {
    connection.on('error', () => {});
    connection.once('data', (asked) => {
      if (String(asked) === 'parse') return void connection.end(String(parsing()));
      // A stop is counted by the timer after it.
      setTimeout(() => {
        connection.end(String(delays.max / 1e6));
        delays.reset();
      }, 5);
    });
  });
  server.listen(socket).unref();
}
