import * as fs from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';

const PAGE = `<!doctype html><title>bare</title><p id="said">nothing yet</p><script>
  new EventSource('/events').onmessage = ({ data }) => { document.getElementById('said').textContent = data; };
</script>`;

/** The minimum between a changed file and a screen: a watch, an event stream, a line of text. */
export async function startBareStream(file: string): Promise<{ url: string; stop(): void }> {
  const open = new Set<http.ServerResponse>();
  const watch = fs.watch(path.dirname(file), (_, name) => {
    if (name !== path.basename(file)) return;
    const { standing } = JSON.parse(fs.readFileSync(file, 'utf8')) as { standing: { words: string } };
    for (const response of open) response.write(`data: ${standing.words}\n\n`);
  });
  const server = http.createServer((request, response) => {
    if (request.url !== '/events') {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(PAGE);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    open.add(response);
    request.on('close', () => open.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop() {
      watch.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
