import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { habitsOf, toolNames } from '../../../tools/index.ts';
import type { HeadlessState } from '../../port.ts';
import { buildTurn, type ChatChoice, chooseChat, resumesById, type TurnTool } from './build-turn.ts';

const toolOf = (name: string, change: Partial<TurnTool> = {}): TurnTool => {
  const habits = habitsOf(name);
  return { habits, shape: habits.shape, executable: name, args: ['--own'], role: null, ...change };
};
const KNOWN = toolNames((tool) => tool.headless).map(habitsOf);
const CREATE: ChatChoice = { kind: 'create' };
const EXACT: ChatChoice = { kind: 'exact', id: 'ID' };
const LAST: ChatChoice = { kind: 'last' };

const commandOf = (tool: TurnTool, chat: ChatChoice, change = {}): string => {
  const built = buildTurn(tool, { chat, prompt: 'PROMPT', roleIsNew: chat.kind === 'create', ...change });
  return 'refused' in built ? `refused: ${built.refused}` : built.command.join(' ');
};

describe('the command of a headless turn', () => {
  it.each([
    ['claude', CREATE, 'claude --own -p --verbose --output-format stream-json'],
    ['claude', EXACT, 'claude --own -p --verbose --resume ID --output-format stream-json'],
    ['claude', LAST, 'claude --own -p --verbose --continue --output-format stream-json'],
    ['codex', CREATE, 'codex exec --json --own -'],
    ['codex', EXACT, 'codex exec --json --own resume ID -'],
    ['codex', LAST, 'codex exec --json --own resume --last -'],
    ['gemini', CREATE, 'gemini --own -p  --output-format stream-json'],
    ['gemini', EXACT, 'gemini --own --resume ID -p  --output-format stream-json'],
    ['gemini', LAST, 'gemini --own --resume latest -p  --output-format stream-json'],
    ['kimi', CREATE, 'kimi --own -p PROMPT --output-format stream-json'],
    ['kimi', EXACT, 'kimi --own --session ID -p PROMPT --output-format stream-json'],
    ['kimi', LAST, 'kimi --own --continue -p PROMPT --output-format stream-json'],
    ['opencode', CREATE, 'opencode run --own --format json'],
    ['opencode', EXACT, 'opencode run --own --session ID --format json'],
    ['opencode', LAST, 'opencode run --own --continue --format json'],
    ['qwen', CREATE, 'qwen --own --output-format stream-json'],
    ['qwen', EXACT, 'qwen --own --resume ID --output-format stream-json'],
    ['qwen', LAST, 'qwen --own --continue --output-format stream-json'],
    ['copilot', CREATE, 'copilot --own --output-format json'],
    ['copilot', EXACT, 'copilot --own --resume=ID --output-format json'],
    ['copilot', LAST, 'copilot --own --continue --output-format json'],
    ['pi', CREATE, 'pi --own --mode json -p'],
    ['pi', EXACT, 'pi --own --session ID --mode json -p'],
    ['pi', LAST, 'pi --own -c --mode json -p'],
    ['scripted', CREATE, 'scripted --own --print --output-format stream-json'],
    ['scripted', EXACT, 'scripted --own --resume ID --print --output-format stream-json'],
    ['scripted', LAST, 'scripted --own --continue --print --output-format stream-json'],
    ['my-agent', CREATE, 'my-agent --own'],
    ['my-agent', EXACT, 'refused: my-agent cannot continue a chat by its id'],
    ['my-agent', LAST, 'my-agent --own'],
  ])('the command of a turn of %s with chat %o', (tool, chat, command) => {
    expect(commandOf(toolOf(tool), chat)).toBe(command);
  });

  it.each([
    ['claude', EXACT, 'claude --own -p --verbose --append-system-prompt Be "Ada" --resume ID'],
    ['codex', EXACT, 'codex exec --json --own -c developer_instructions="Be \\"Ada\\"" resume ID -'],
    ['qwen', LAST, 'qwen --own --append-system-prompt Be "Ada" --continue'],
    ['pi', LAST, 'pi --own --append-system-prompt Be "Ada" -c'],
    ['scripted', EXACT, 'scripted --own --append-system-prompt Be "Ada" --resume ID'],
  ])('%s gets its role again when its chat continues', (tool, chat, start) => {
    expect(commandOf(toolOf(tool, { role: 'Be "Ada"' }), chat)).toContain(start);
  });

  it.each(['gemini', 'kimi', 'opencode', 'copilot'])(
    '%s gets its role once, before the first prompt of a chat',
    (name) => {
      const tool = toolOf(name, { role: 'Be Ada' });
      const first = buildTurn(tool, { chat: CREATE, prompt: 'hi', roleIsNew: true });
      const later = buildTurn(tool, { chat: EXACT, prompt: 'hi', roleIsNew: false });
      const text = (built: typeof first): string =>
        'refused' in built ? '' : (built.stdin ?? built.command[built.command.indexOf('-p') + 1]!);
      expect([text(first), text(later)]).toEqual(['Be Ada\n\nhi', 'hi']);
    },
  );

  it.each([
    ['claude', { name: 'opus' }, '--model opus'],
    ['claude', { reasoning: { level: 0 } }, '--effort low'],
    ['claude', { name: 'opus', reasoning: { level: 99 } }, '--model opus --effort max'],
    ['codex', { name: 'o', reasoning: { level: 3 } }, '-m o -c model_reasoning_effort="high"'],
    ['gemini', { name: 'pro' }, '--model pro'],
    ['gemini', { reasoning: { level: 1 } }, 'refused: gemini has no argument for a reasoning level'],
    ['pi', { reasoning: { level: 0 } }, '--thinking off'],
    ['copilot', { reasoning: { level: 2 } }, '--reasoning-effort low'],
    ['my-agent', { name: 'x' }, 'refused: my-agent has no argument for another model'],
    [
      'claude',
      { name: '--dangerous' },
      'refused: execution.model.name must not begin with "-" or contain U+0000',
    ],
  ])('the command of a turn of %s with the model %o', (tool, model, words) => {
    expect(commandOf(toolOf(tool), CREATE, { model })).toContain(words);
  });

  it('the prompt replaces the argument {prompt} of a command', () => {
    const words = ['{args}', '{model}'];
    const shape = { prompt: 'argument', role: 'prefix', create: words, exact: words, last: words } as const;
    const tool = toolOf('my-agent', {
      shape: { ...shape, create: words },
      args: ['--say', '{prompt}', '{session}'],
    });
    expect(commandOf(tool, CREATE)).toBe('my-agent --say PROMPT {session}');
  });

  it('a prompt with U+0000 is refused only where the prompt is an argument', () => {
    expect(commandOf(toolOf('kimi'), CREATE, { prompt: 'a\u0000b' })).toMatch(/^refused: .*U\+0000/);
    expect(commandOf(toolOf('claude'), CREATE, { prompt: 'a\u0000b' })).not.toMatch(/refused/);
  });

  it('a prompt, an id or a role never becomes a second word, and its placeholders are not replaced', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('{prompt}', '{session}', '{args}', '{role}', '--x', '$(id)'),
    );
    const prompt = text.filter((each) => !each.includes('\u0000'));
    fc.assert(
      fc.property(fc.constantFrom(...KNOWN), prompt, text, text, (habits, prompt, id, role) => {
        const tool = { habits, shape: habits.shape, executable: 'x', args: ['--own'], role };
        const built = buildTurn(tool, { chat: { kind: 'exact', id }, prompt, roleIsNew: false });
        if ('refused' in built) throw new Error(built.refused);
        const plain = buildTurn({ ...tool, role: 'R' }, { chat: EXACT, prompt: 'P', roleIsNew: false });
        if ('refused' in plain) throw new Error(plain.refused);
        expect(built.command).toHaveLength(plain.command.length);
        if (habits.shape.prompt === 'stdin') {
          const quoted = JSON.stringify(role).replaceAll('\u007f', '\\u007f');
          const filled: Record<string, string> = {
            ID: id,
            '--resume=ID': `--resume=${id}`,
            R: role,
            'developer_instructions="R"': `developer_instructions=${quoted}`,
          };
          expect(built.stdin).toBe(prompt);
          expect(built.command).toEqual(plain.command.map((word) => filled[word] ?? word));
        } else expect(built.command).toContain(prompt);
      }),
    );
  });

  it('every tool has a way to resume a chat by its id', () => {
    for (const { tool, shape } of KNOWN) expect([tool, resumesById(shape)]).toEqual([tool, true]);
  });
});

type Chat = HeadlessState['chat_session'];
const state = (change: Partial<Chat> = {}): Chat => ({
  current: null,
  startup_default: { mode: 'new', id: null },
  next_prompt_override: null,
  ...change,
});
const current = { id: 'pinned' };
const override = { mode: 'new' as const };
const fresh = { chat: { kind: 'create' }, takesOverride: false };
const exact = (id: string) => ({ chat: { kind: 'exact', id }, takesOverride: false });
const last = { chat: { kind: 'last' }, takesOverride: false };

describe('the chat of a headless prompt', () => {
  it.each([
    ['there is no chat', undefined, state(), fresh],
    ['a chat is pinned', undefined, state({ current }), exact('pinned')],
    ['auto is requested', { mode: 'auto' as const }, state({ current }), exact('pinned')],
    [
      'the session started with the latest',
      undefined,
      state({ startup_default: { mode: 'tool_last_or_new', id: null } }),
      last,
    ],
    [
      'the session started with a named one',
      undefined,
      state({ startup_default: { mode: 'exact', id: 'first' } }),
      exact('first'),
    ],
    [
      'a chat was pinned since',
      undefined,
      state({ current, startup_default: { mode: 'exact', id: 'first' } }),
      exact('pinned'),
    ],
    [
      'the override is set',
      undefined,
      state({ current, next_prompt_override: override }),
      { ...fresh, takesOverride: true },
    ],
    ['new is requested', { mode: 'new' as const }, state({ current, next_prompt_override: override }), fresh],
    [
      'current is requested',
      { mode: 'current' as const },
      state({ current, next_prompt_override: override }),
      exact('pinned'),
    ],
    [
      'current is requested and there is none',
      { mode: 'current' as const },
      state(),
      { refused: 'there is no current chat session' },
    ],
    ['the latest is requested', { mode: 'tool_last_or_new' as const }, state({ current }), last],
    ['a named one is requested', { mode: 'exact' as const, id: 'other' }, state({ current }), exact('other')],
    [
      'a flag is requested',
      { mode: 'exact' as const, id: '--last' },
      state(),
      { refused: expect.stringContaining('"-"') },
    ],
    [
      'an empty id is requested',
      { mode: 'exact' as const },
      state(),
      { refused: expect.stringContaining('1 to 200') },
    ],
    [
      'two words are requested',
      { mode: 'exact' as const, id: 'a b' },
      state(),
      { refused: expect.stringContaining('white space') },
    ],
  ])('when %s', (_when, asked, chat, chosen) => {
    expect(chooseChat(asked, chat, true)).toEqual(chosen);
  });

  it('only a direct prompt uses the one-shot choice of a new chat', () => {
    expect(chooseChat(undefined, state({ current, next_prompt_override: override }), false)).toEqual(
      exact('pinned'),
    );
  });
});
