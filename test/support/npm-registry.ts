import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';

export interface Registry {
  url: string;
  /** The names of the packages requested so far. */
  asked: string[];
  close(): void;
}

/** An npm registry with only the packages of `modules`, so that an installation needs no network. */
export async function serveRegistry(modules: string): Promise<Registry> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    const [, name, file] = /^\/((?:@[^/]+\/)?[^/]+)(\/-\/.*)?$/.exec(decodeURIComponent(request.url!)) ?? [];
    const directory = path.join(modules, name ?? '');
    asked.push(name ?? request.url!);
    if (!name || !fs.existsSync(path.join(directory, 'package.json'))) response.writeHead(404).end('{}');
    else if (file) response.end(tarballOf(directory));
    else response.end(JSON.stringify(packumentOf(directory, name, urlOf(server))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: urlOf(server), asked, close: () => server.close() };
}

const urlOf = (server: http.Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function packumentOf(directory: string, name: string, url: string): unknown {
  const manifest = JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8'));
  const { version } = manifest;
  const dist = { tarball: `${url}/${name}/-/${version}.tgz` };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

function tarballOf(directory: string): Buffer {
  const pack = ['-c', '--transform=s,^[.],package,', '-I', 'gzip -1', '-C', directory, '.'];
  return execFileSync('tar', pack, { maxBuffer: 256 * 1024 * 1024 });
}
