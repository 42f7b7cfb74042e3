import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../base/index.ts';
import { habitsOf } from '../../../tools/index.ts';
import { type CanonicalEvent, renderEvent } from './canonical-event.ts';
import { EventStream } from './event-stream.ts';

const streamOf = (tool: string, longestLine?: number): EventStream =>
  new EventStream({
    habits: habitsOf(tool),
    turnIndex: 3,
    clock: new FakeClock(),
    ...(longestLine !== undefined && { longestLine }),
  });

const readAll = (tool: string, text: string): { events: CanonicalEvent[]; stream: EventStream } => {
  const stream = streamOf(tool);
  return { events: [...stream.feed(Buffer.from(text)), ...stream.end()], stream };
};

/** Lines as the tools printed them, shortened. */
const PRINTED: Record<string, { lines: string[]; kinds: string[]; sessionId: string; answer: string }> = {
  claude: {
    lines: [
      '{"type":"system","subtype":"init","cwd":"/p","session_id":"c1","tools":["Bash"]}',
      '{"type":"system","subtype":"thinking_tokens","estimated_tokens":3,"session_id":"c1"}',
      '{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}]},"session_id":"c1"}',
      '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I run it."},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]},"session_id":"c1"}',
      '{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"hi"}]},"session_id":"c1"}',
      '{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]},"session_id":"c1"}',
      '{"duration_api_ms":1,"session_id":"c1","type":"result","subtype":"success","result":"Done.","is_error":false}',
    ],
    kinds: 'progress progress progress assistant action_request action_result assistant completion'.split(
      ' ',
    ),
    sessionId: 'c1',
    answer: 'Done.',
  },
  codex: {
    lines: [
      '{"type":"thread.started","thread_id":"01a1"}',
      '{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata not found."}}',
      '{"type":"turn.started"}',
      '{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"ls","status":"in_progress"}}',
      '{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"x"}}',
      '{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"Done."}}',
      '{"type":"turn.completed","usage":{"input_tokens":1}}',
    ],
    kinds: 'progress diagnostic progress action_request action_result assistant completion'.split(' '),
    sessionId: '01a1',
    answer: 'Done.',
  },
  gemini: {
    lines: [
      '{"type":"init","timestamp":"t","session_id":"g1","model":"auto"}',
      '{"type":"message","role":"user","content":"hi"}',
      '{"type":"tool_use","tool_name":"run_shell_command","tool_id":"r","parameters":{}}',
      '{"type":"tool_result","tool_id":"r","status":"success","output":"hi"}',
      '{"type":"message","role":"assistant","content":"Do","delta":true}',
      '{"type":"message","role":"assistant","content":"ne.","delta":true}',
      '{"type":"result","status":"success","stats":{}}',
    ],
    kinds: 'progress progress action_request action_result assistant assistant completion'.split(' '),
    sessionId: 'g1',
    answer: 'Done.',
  },
  kimi: {
    lines: [
      '{"role":"meta","type":"system.version","version":"2.1.0"}',
      '{"role":"assistant","tool_calls":[{"type":"function","id":"c","function":{"name":"Bash","arguments":"{}"}}]}',
      '{"role":"tool","tool_call_id":"c","content":"hi\\n"}',
      '{"role":"assistant","content":"Done."}',
      '{"role":"meta","type":"session.resume_hint","session_id":"session_1","command":"kimi -r session_1"}',
    ],
    kinds: 'progress action_request action_result assistant completion'.split(' '),
    sessionId: 'session_1',
    answer: 'Done.',
  },
  opencode: {
    lines: [
      '{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}',
      '{"type":"tool_use","sessionID":"ses_1","part":{"type":"tool","tool":"bash","state":{"status":"completed"}}}',
      '{"type":"step_finish","sessionID":"ses_1","part":{"reason":"tool-calls"}}',
      '{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"Done."}}',
      '{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop"}}',
    ],
    kinds: 'progress action_result progress assistant completion'.split(' '),
    sessionId: 'ses_1',
    answer: 'Done.',
  },
  pi: {
    lines: [
      '{"type":"session","version":3,"id":"01a1e128","cwd":"/p"}',
      '{"type":"agent_start"}',
      '{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"Do"}}',
      '{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}',
      '{"type":"agent_end","messages":[]}',
    ],
    kinds: 'progress progress progress assistant completion'.split(' '),
    sessionId: '01a1e128',
    answer: 'Done.',
  },
  copilot: {
    lines: [
      '{"type":"session.tools_updated","data":{"model":"m"},"id":"e1","parentId":"e0"}',
      '{"type":"assistant.message_delta","data":{"deltaContent":"Do"},"ephemeral":true,"id":"e2"}',
      '{"type":"assistant.message","data":{"messageId":"m","content":"Done."},"id":"e3"}',
      '{"type":"result","sessionId":"18df","exitCode":0,"usage":{}}',
    ],
    kinds: 'progress progress assistant completion'.split(' '),
    sessionId: '18df',
    answer: 'Done.',
  },
};

describe('the events of a tool', () => {
  it.each(Object.entries(PRINTED))(
    'the output of %s becomes events of the common kinds',
    (tool, { lines, kinds, sessionId, answer }) => {
      const { events, stream } = readAll(tool, lines.join('\n'));
      expect(events.map(({ kind }) => kind)).toEqual(kinds);
      expect([stream.sessionId, stream.answer]).toEqual([sessionId, answer]);
      expect(events.every(({ provider, turnIndex }) => provider === tool && turnIndex === 3)).toBe(true);
    },
  );

  it('the output of an unknown program is read by the rules that match it', () => {
    for (const { lines, kinds, sessionId } of [PRINTED['claude']!, PRINTED['codex']!]) {
      const { events, stream } = readAll('my-agent', lines.join('\n'));
      expect(events.map(({ kind }) => kind)).toEqual(kinds);
      expect(stream.sessionId).toBe(sessionId);
    }
  });

  it.each([
    ['plain words', 'passthrough', 'plain words'],
    ['{"half":', 'passthrough', '{"half":'],
    ['[1,2]', 'passthrough', '[1,2]'],
    ['{"type":"brand.new"}', 'passthrough', ''],
    ['{"type":7}', 'passthrough', ''],
    ['{"type":"assistant"}', 'passthrough', ''],
    ['{"type":"assistant","message":{"content":{}}}', 'passthrough', ''],
    ['{"type":"assistant","message":{"content":"just text"}}', 'assistant', 'just text'],
    ['{"__proto__":{"type":"result"}}', 'passthrough', ''],
    [`${'['.repeat(5000)}${']'.repeat(5000)}`, 'passthrough', '['.repeat(4000)],
    [`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'passthrough', ''],
  ])('the printed line %.30s… is never an error', (line, kind, message) => {
    const { events } = readAll('claude', `${line}\n`);
    expect(events).toMatchObject([{ kind, message }]);
    expect(JSON.parse(renderEvent(events[0]!))).toMatchObject({ kind, data: { line: 1 } });
  });

  it('output gives the same events however it is cut into chunks', () => {
    const line = fc.oneof(
      fc.constantFrom(...Object.values(PRINTED).flatMap(({ lines }) => lines)),
      fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replaceAll('\n', ' ')),
      fc.json().map((text) => text.replaceAll('\n', ' ')),
      fc.constant('y'.repeat(90)),
    );
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.constantFrom('\n', '\r\n'),
        cuts,
        (lines, end, sizes) => {
          const bytes = Buffer.from(lines.join(end));
          const whole = streamOf('my-agent', 80);
          const cut = streamOf('my-agent', 80);
          const expected = [...whole.feed(bytes), ...whole.end()];
          const found: CanonicalEvent[] = [];
          for (let from = 0, n = 0; from < bytes.length; n++) {
            const size = sizes[n % sizes.length]!;
            found.push(...cut.feed(bytes.subarray(from, from + size)));
            from += size;
          }
          found.push(...cut.end());
          expect(found).toEqual(expected);
          expect([cut.sessionId, cut.counts, cut.unread]).toEqual([
            whole.sessionId,
            whole.counts,
            whole.unread,
          ]);
        },
      ),
    );
  });

  it('a line that is too long is counted, and the lines around it are read', () => {
    const stream = streamOf('claude', 100);
    const long = `{"type":"assistant","filler":"${'x'.repeat(100)}"}`;
    const events = stream.feed(Buffer.from(`{"session_id":"s"}\n${long}\n{"type":"result"}\n`));
    expect(events.map(({ kind }) => kind)).toEqual(['passthrough', 'diagnostic', 'completion']);
    expect([stream.unread, stream.sessionId]).toEqual([1, 's']);
  });

  it('endless output is counted, and listed up to a limit', () => {
    const stream = streamOf('claude');
    const listed = stream.feed(Buffer.from('noise\n'.repeat(5000)));
    expect([listed.length, stream.counts.passthrough]).toEqual([2000, 5000]);
  });

  it.each([
    ['{"session_id":"a"}', 'a'],
    ['{"sessionId":"b"}', 'b'],
    ['{"thread_id":"c"}', 'c'],
    ['{"threadId":"d"}', 'd'],
    ['{"session":{"id":"e"}}', 'e'],
    ['{"thread":{"id":"f"}}', 'f'],
    ['{"data":{"session_id":"g"}}', 'g'],
    ['{"data":{"thread":{"id":"h"}}}', 'h'],
    ['{"session_id":"--flag"}', null],
    ['{"session_id":"two words"}', null],
    ['{"session_id":7}', null],
    ['{"id":"not a chat"}', null],
  ])('the event %s names the chat %s', (line, id) => {
    expect(readAll('my-agent', line).stream.sessionId).toBe(id);
  });

  it('the first session id of a stream is kept', () => {
    expect(readAll('claude', '{"session_id":"a"}\n{"session_id":"b"}').stream.sessionId).toBe('a');
  });
});
