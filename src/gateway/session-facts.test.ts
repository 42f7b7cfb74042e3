import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeJsonAtomic } from '../base/index.ts';
import { sampleManifest } from '../session/testing.ts';
import { sessionReader } from './session-facts.ts';

let root: string;
let file: string;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-session-'));
  file = path.join(root, 'manifest.json');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const write = (agentName: string): void => writeJsonAtomic(file, sampleManifest({ agentName }));

it('a manifest is read again when another was written, and only then', () => {
  write('ana');
  const now = sessionReader(root);
  const first = now();
  expect(first.manifest.agent_name).toBe('ana');
  expect(now()).toBe(first);
  write('ben');
  expect(now().manifest.agent_name).toBe('ben');
});

it('a missing manifest is reported as missing, and a new one is read', () => {
  write('ana');
  const now = sessionReader(root);
  now();
  fs.rmSync(file);
  expect(now).toThrow('there is no session manifest');
  write('ana');
  expect(now().manifest.agent_name).toBe('ana');
});

it('a damaged manifest is refused each time', () => {
  write('ana');
  const now = sessionReader(root);
  now();
  fs.writeFileSync(file, '{}');
  expect(now).toThrow();
  expect(now).toThrow();
});
