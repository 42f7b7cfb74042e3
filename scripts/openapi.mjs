// Generates docs/openapi/*.json and docs/environment.md from src/wire/. With --check it writes nothing and fails if a file
// is out of date.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { loadSource } from './load-source.mjs';
import { root } from './setup.mjs';

/** JSON in the layout of this project's formatter. */
function formatted(name, text) {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const result = spawnSync(process.execPath, [biome, 'format', `--stdin-file-path=${name}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status !== 0) throw new Error(`formatting ${name} failed: ${result.stderr}`);
  return result.stdout;
}

const { openApiDocument, fleetOpenApiDocument } = await loadSource('src/wire/openapi.ts');
const { environmentMarkdown } = await loadSource('src/wire/env.ts');
const generated = {
  'docs/openapi/gateway.json': formatted('docs/openapi/gateway.json', JSON.stringify(openApiDocument())),
  'docs/openapi/fleet.json': formatted('docs/openapi/fleet.json', JSON.stringify(fleetOpenApiDocument())),
  'docs/environment.md': environmentMarkdown(),
};

const check = process.argv.includes('--check');
let stale = 0;
for (const [name, content] of Object.entries(generated)) {
  const file = path.join(root, name);
  let current = '';
  try {
    current = readFileSync(file, 'utf8');
  } catch {}
  if (current === content) continue;
  stale++;
  if (check) process.stderr.write(`${name} does not match src/wire/; run: node scripts/openapi.mjs\n`);
  else {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    process.stdout.write(`wrote ${name}\n`);
  }
}
if (check && stale > 0) process.exitCode = 1;
