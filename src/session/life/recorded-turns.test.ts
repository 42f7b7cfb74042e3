import { describe, expect, it } from 'vitest';
import { turnTool } from '../../terminal/headless/headless-manifest.ts';
import { buildTurn } from '../../terminal/headless/turn/build-turn.ts';
import { habitsOf, TOOLS } from '../../tools/index.ts';
import { headlessMetadata } from './prepare-launch.ts';

/** The manifest of a headless launch, as far as turns are made from it. */
const launched = (tool: (typeof TOOLS)[number], role: string | undefined) => ({
  tool: tool.name,
  backend: tool.headless!.backend,
  launch_plan: {
    executable: tool.process.executable,
    args: ['--own'],
    metadata: { rouse: { headless: headlessMetadata(tool, tool.headless!, role) } },
  },
});

describe.each(TOOLS.filter(({ headless }) => headless).map((tool) => [tool.name, tool] as const))(
  'a headless turn of %s',
  (name, tool) => {
    it('a headless turn is run as the manifest of its launch describes', () => {
      const manifest = launched(tool, undefined);
      const recorded = manifest.launch_plan.metadata.rouse.headless;
      const { shape } = turnTool(manifest);
      expect(recorded).toMatchObject(shape);
      expect(shape).toEqual(habitsOf(name).shape);
    });

    it('a headless turn carries its role in the recorded words, or before the first prompt', () => {
      const manifest = launched(tool, 'be "brief"');
      const request = { chat: { kind: 'create' as const }, prompt: 'hello', roleIsNew: true };
      const turn = buildTurn(turnTool(manifest), request);
      if ('refused' in turn) throw new Error(turn.refused);
      const words = manifest.launch_plan.metadata.rouse.headless['role_args'] as string[];
      const at = turn.command.indexOf(words[0] ?? '');
      if (words.length > 0) expect(turn.command.slice(at, at + words.length)).toEqual(words);
      else expect([turn.stdin, ...turn.command].join(' ')).toContain('be "brief"\n\nhello');
    });
  },
);
