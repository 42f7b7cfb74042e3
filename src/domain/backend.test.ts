import { expect, it } from 'vitest';
import { BACKEND_KINDS, capabilitiesOf, dispatchMode, isBackendKind } from './backend.ts';

const pair = { managedApiBaseUrl: 'http://127.0.0.1:9889', managedAgentRef: 'gpu' };

it.each([
  ['local_interactive', {}, 'tui'],
  ['cao_rest', {}, 'tui'],
  ['houmao_server_rest', {}, 'tui'],
  ['claude_headless', {}, 'local_headless'],
  ['codex_headless', { ...pair, agentDefDir: '/defs' }, 'local_headless'],
  ['codex_headless', { managedApiBaseUrl: pair.managedApiBaseUrl }, 'local_headless'],
  ['codex_headless', { managedAgentRef: 'gpu' }, 'local_headless'],
  ['gemini_headless', pair, 'server_headless'],
  ['local_interactive', pair, 'tui'],
  ['codex_app_server', pair, undefined],
] as const)('the dispatch mode of %s with %j is %s', (backend, facts, mode) => {
  expect(dispatchMode(backend, facts)).toBe(mode);
});

it('send-keys reminders need local tmux keys; REST-backed and headless targets have none', () => {
  const able = BACKEND_KINDS.filter((kind) => capabilitiesOf(kind).sendKeysReminders);
  expect(able).toEqual(['local_interactive']);
  expect(capabilitiesOf('houmao_server_rest').sendKeys).toBe(true);
  expect(capabilitiesOf('cao_rest')).toMatchObject({ gateway: true, sendKeys: true, launch: false });
  expect(capabilitiesOf('claude_headless', 'server_headless').sendKeys).toBe(false);
});

it('a backend kind is one of the closed set', () => {
  expect(isBackendKind('local_interactive')).toBe(true);
  expect(isBackendKind('toString')).toBe(false);
});
