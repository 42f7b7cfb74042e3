import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONTROL_COMMANDS } from './control/control-commands.ts';
import { DIRECTIVE_NAMES } from './control/directives.ts';
import { FLAGS, helpText } from './options.ts';

const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/scripted-agent.md'), 'utf8');
const sources = fs
  .readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.includes('.test'))
  .map((name) => fs.readFileSync(path.join(import.meta.dirname, name), 'utf8'))
  .join('\n');

describe('docs/scripted-agent.md', () => {
  it.each(Object.keys(FLAGS).filter((flag) => flag !== 'help'))(
    'docs/scripted-agent.md lists the flag --%s',
    (flag) => {
      expect(page).toContain(`--${flag}`);
    },
  );

  it.each(DIRECTIVE_NAMES)('docs/scripted-agent.md and the help list the directive %s', (name) => {
    expect(page).toMatch(new RegExp(`\\[\\[${name}[\\]=]`));
    expect(helpText()).toMatch(new RegExp(`\\[\\[${name}[\\]=]`));
  });

  it.each(Object.keys(CONTROL_COMMANDS))('docs/scripted-agent.md lists the control message %s', (type) => {
    expect(page).toContain(`\`${type}\``);
  });

  it('docs/scripted-agent.md lists every type of record', () => {
    const types = [...sources.matchAll(/(?:record|tell|#note)\('(\w+)'/g)].map((match) => match[1]!);
    expect(types.length).toBeGreaterThan(20);
    for (const type of new Set(types)) expect(page).toContain(`\`${type}\``);
  });
});
