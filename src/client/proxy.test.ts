import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const client = path.join(path.dirname(fileURLToPath(import.meta.url)), 'index.ts');

async function server(answer: unknown): Promise<{ port: number; calls: () => number; close: () => void }> {
  let calls = 0;
  const listening = http.createServer((_, response) => {
    calls++;
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return { port, calls: () => calls, close: () => void listening.close() };
}

it('a client reaches its gateway directly although the environment names a proxy in every known way', async () => {
  const gateway = await server({ by: 'gateway' });
  const proxy = await server({ by: 'proxy' });
  const directory = mkdtempSync(path.join(os.tmpdir(), 'rouse-proxy-'));
  try {
    const program = path.join(directory, 'program.mjs');
    await build({
      stdin: {
        contents: `import { GatewayClient } from ${JSON.stringify(client)};
          const client = new GatewayClient({ host: '127.0.0.1', port: ${gateway.port} });
          console.log(JSON.stringify(await client.status()));`,
        resolveDir: directory,
      },
      bundle: true,
      outfile: program,
      format: 'esm',
      platform: 'node',
      external: ['koffi'],
      logLevel: 'silent',
    });
    const url = `http://127.0.0.1:${proxy.port}`;
    const env = {
      PATH: process.env['PATH'],
      NODE_USE_ENV_PROXY: '1',
      HOUMAO_GATEWAY_RESPECT_PROXY_ENV: '1',
      ...Object.fromEntries(
        ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'].map((name) => [
          name,
          url,
        ]),
      ),
    };
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
    expect(JSON.parse(stdout)).toEqual({ by: 'gateway' });
    expect([gateway.calls(), proxy.calls()]).toEqual([1, 0]);
  } finally {
    gateway.close();
    proxy.close();
    rmSync(directory, { recursive: true });
  }
});
