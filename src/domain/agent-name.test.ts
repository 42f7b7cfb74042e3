import { expect, it } from 'vitest';
import {
  bareAgentName,
  canonicalAgentName,
  defaultAgentId,
  isAgentIdentifier,
  parseAgentId,
  parseAgentName,
  runtimeSessionId,
  tmuxSessionName,
} from './agent-name.ts';

const at = new Date('2026-04-06T09:19:27.530Z');

it.each(['gpu', 'cao-gpu', 'a', '7of9', 'A_b-c', 'HOUMAOish', 'x'.repeat(64)])(
  '%s is an agent name',
  (name) => {
    expect(parseAgentName(` ${name} `)).toBe(name);
    expect(isAgentIdentifier(name)).toBe(true);
  },
);

it.each([
  ['', /must not be empty/],
  ['   ', /must not be empty/],
  ['-gpu', /not valid/],
  ['_gpu', /not valid/],
  ['g pu', /not valid/],
  ['gpu/..', /not valid/],
  ['..', /not valid/],
  ['gpü', /not valid/],
  ['a:b', /not valid/],
  ['a.b', /not valid/],
  ['x'.repeat(65), /longer than 64/],
  ['HOUMAO-gpu', /reserved prefix HOUMAO/],
  ['HOUMAO_gpu', /reserved prefix HOUMAO/],
  ['houmao-gpu', /reserved prefix HOUMAO/],
])('%j is refused as an agent name', (name, message) => {
  expect(() => parseAgentName(name, '--agent-name')).toThrow(message);
});

it('an id may carry the prefix, a name chosen by a person may not', () => {
  expect(parseAgentId('HOUMAO-gpu')).toBe('HOUMAO-gpu');
  expect(() => parseAgentId('../x', '--agent-id')).toThrow(/--agent-id "\.\.\/x" is not valid/);
});

it('the default id is the MD5 of the name', () => {
  expect(defaultAgentId('gpu')).toBe('0aa0be2a866411d9ff03515227454947');
});

it('the canonical name carries the prefix once', () => {
  expect(canonicalAgentName('gpu')).toBe('HOUMAO-gpu');
  expect(canonicalAgentName('HOUMAO-gpu')).toBe('HOUMAO-gpu');
  expect(bareAgentName('HOUMAO-gpu')).toBe('gpu');
  expect(bareAgentName('gpu')).toBe('gpu');
});

it('a session launched without a name is HOUMAO-<agent_name>-<epoch-ms>', () => {
  expect(tmuxSessionName('cao-gpu', at)).toBe(`HOUMAO-cao-gpu-${at.getTime()}`);
});

it('a runtime session id names backend, second and eight random hex digits', () => {
  expect(runtimeSessionId('local_interactive', at)).toMatch(
    /^local_interactive-20260406-091927Z-[0-9a-f]{8}$/,
  );
  expect(runtimeSessionId('codex_headless', at, true)).toMatch(
    /^joined-codex_headless-20260406-091927Z-[0-9a-f]{8}$/,
  );
});
