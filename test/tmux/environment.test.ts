import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ControlClient } from '../../src/tmux/index.ts';
import { PLAIN_SHELL, withTmux } from '../support/tmux.ts';

const SESSION = { name: 'a', width: 80, height: 24, command: PLAIN_SHELL };

describe('environment', () => {
  it('gives back any value as it was set, by process, on standard input and by control client', () =>
    withTmux(async ({ tmux, dir }) => {
      await tmux.newSession({ ...SESSION, cwd: dir });
      const client = await ControlClient.attach(tmux.exec, 'a');
      const unit = fc
        .oneof(
          fc.constantFrom(...';\\"\'$~#{}=%- \t\n'),
          fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        )
        .filter((one) => !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(one))
        .map((one) => Buffer.from(one).toString());
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit, maxLength: 60 }),
          fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,12}$/),
          fc.constantFrom('process', 'input', 'control'),
          async (value, name, way) => {
            const by = way === 'control' ? tmux.via(client) : tmux;
            await by.setEnvironment('a', { name, value }, { secret: way === 'input' });
            expect(await tmux.showEnvironment('a', name)).toEqual({ state: 'set', value });
            expect(await tmux.via(client).showEnvironment('a', name)).toEqual({ state: 'set', value });
          },
        ),
        { numRuns: 80 },
      );
      await client.close();
    }));

  it('tells a removed variable from one that was never set', () =>
    withTmux(async ({ tmux, dir }) => {
      await tmux.newSession({ ...SESSION, cwd: dir });
      expect(await tmux.showEnvironment('a', 'PORT')).toEqual({ state: 'absent' });
      await tmux.setEnvironment('a', { name: 'PORT', value: '' });
      expect(await tmux.showEnvironment('a', 'PORT')).toEqual({ state: 'set', value: '' });
      await tmux.removeEnvironment('a', 'PORT');
      expect(await tmux.showEnvironment('a', 'PORT')).toEqual({ state: 'removed' });
      await tmux.unsetEnvironment('a', 'PORT');
      expect(await tmux.showEnvironment('a', 'PORT')).toEqual({ state: 'absent' });
      await tmux.unsetEnvironment('a', 'PORT');
    }));

  it('keeps the environments of sessions apart', () =>
    withTmux(async ({ tmux, dir }) => {
      await tmux.newSession({ ...SESSION, cwd: dir });
      await tmux.newSession({ ...SESSION, name: 'ab', cwd: dir });
      await tmux.setEnvironment('a', { name: 'PORT', value: '1' });
      expect(await tmux.showEnvironment('ab', 'PORT')).toEqual({ state: 'absent' });
    }));

  it.each([
    ['', 'v'],
    ['A=B', 'v'],
    ['-u', 'v'],
    ['A B', 'v'],
    ['A', 'nul\u0000'],
    ['A', 'escape\u001b'],
    ['A', 'return\r'],
  ])('refuses %j with value %j and sets nothing', (name, value) =>
    withTmux(async ({ tmux, dir }) => {
      await tmux.newSession({ ...SESSION, cwd: dir });
      const before = await tmux.run([['show-environment', '-t', '=a:']]);
      await expect(tmux.setEnvironment('a', { name, value })).rejects.toMatchObject({ code: 'invalid' });
      expect(await tmux.run([['show-environment', '-t', '=a:']])).toBe(before);
    }),
  );
});
