import * as http from 'node:http';
import { workerData } from 'node:worker_threads';

/**
 * Keeps a given number of calls running, in its own thread, so that its reading does not delay the measured calls.
 * `shared`: [0] calls that have ended, [1] set to end, [2] calls with another status than 200.
 */
const { calls, shared } = workerData;
const counts = new Int32Array(shared);

const once = ({ port, method, path, body, headers }) =>
  new Promise((resolve) => {
    const request = http.request({ host: '127.0.0.1', port, method, path, agent: false, headers });
    request.on('error', () => resolve(0));
    request.on('response', (response) => {
      response.on('error', () => resolve(0)).on('end', () => resolve(response.statusCode));
      response.resume();
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });

await Promise.all(
  calls.map(async (call) => {
    do {
      if ((await once(call)) !== 200) Atomics.add(counts, 2, 1);
      Atomics.add(counts, 0, 1);
    } while (Atomics.load(counts, 1) === 0);
  }),
);
