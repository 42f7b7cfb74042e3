import { describe, expect, expectTypeOf, it } from 'vitest';
import { command, type Flag, type FlagsOf, flagKey } from './command.ts';
import { notBlank, wholeNumber } from './input/flag-values.ts';

const FLAGS = [
  { name: 'agent-name', value: 'NAME', summary: '' },
  { name: 'request-id', value: 'ID', summary: '', required: true, parse: notBlank },
  { name: 'limit', value: 'N', summary: '', parse: wholeNumber(1), default: 20 },
  { name: 'mode', value: 'MODE', summary: '', choices: ['safe', 'force'] },
  { name: 'keep', value: 'ID', summary: '', many: true },
  { name: 'wait', summary: '' },
] as const satisfies readonly Flag[];

describe('the flags of a command', () => {
  it('the flags of a command have the types of their definitions', () => {
    expectTypeOf<FlagsOf<typeof FLAGS>>().toEqualTypeOf<{
      agentName: string | undefined;
      requestId: string;
      limit: number;
      mode: 'safe' | 'force' | undefined;
      keep: string[] | undefined;
      wait: boolean | undefined;
    }>();
  });

  it('reading a flag that the command does not have does not compile', () => {
    const made = command({
      name: 'x',
      summary: '',
      flags: FLAGS,
      // @ts-expect-error there is no such flag
      run: async ({ flags }) => ({ data: flags.agentNam }),
    });
    expect(made.flags.map(({ name }) => flagKey(name))).toContain('agentName');
  });
});
