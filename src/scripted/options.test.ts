import { describe, expect, it } from 'vitest';
import { helpText, readOptions } from './options.ts';

const read = (...argv: string[]) => readOptions(argv, { HOME: '/home/x' }, '/work/team');

describe('flags', () => {
  it.each([
    [['--skinn', 'plain'], /--skinn/, /Did you mean --skin\?/],
    [['--skin', 'clawd-like'], /--skin "clawd-like" is not known; allowed: plain/, /claude-like/],
    [['--turn', 'soon'], /--turn "soon" is not a duration/, undefined],
    [['--words', '-1'], /words/, undefined],
    [['--words', '1.5'], /--words "1.5" must be a whole number/, undefined],
    [['--busy-input', 'merge'], /--busy-input "merge" is not one of queue, steer/, undefined],
    [['--output-format', 'xml'], /not one of stream-json, json, text/, undefined],
    [['--resume', '../../etc/passwd'], /is not a session id/, undefined],
    [['--resume', 'a', '--continue'], /exclude each other/, undefined],
    [['one', 'two'], /one prompt is allowed/, /Quote/],
    [['--transcript'], /transcript/, /--help/],
  ])('the flags %j are refused with a useful hint', (argv, message, hint) => {
    try {
      read(...argv);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid', message: expect.stringMatching(message) });
      if (hint) expect((error as { hint: string }).hint).toMatch(hint);
    }
  });

  it('the flags of a real headless call are accepted', () => {
    expect(read('-p', '--verbose', '--resume', 'abc', 'do it', '--output-format', 'json')).toMatchObject({
      mode: 'headless',
      prompt: 'do it',
      outputFormat: 'json',
      session: { resume: 'abc', directory: '/home/x/.scripted-agent/sessions' },
    });
  });

  it('flags may come from the environment; a flag on the line wins', () => {
    const env = { ROUSE_SCRIPTED_TURN: '2s', ROUSE_SCRIPTED_ACT_ON_MAIL: '1', ROUSE_SCRIPTED_SKIN: 'ascii' };
    expect(readOptions(['--skin', 'bare'], env, '/work/team')).toMatchObject({
      turnMs: 2000,
      skin: 'bare',
      mail: { act: true },
      name: 'team',
    });
  });

  it('every flag is in the help', () => {
    for (const flag of ['--act-on-mail', '--control SOCKET', '-p, --print', '[[turn=800ms]]']) {
      expect(helpText()).toContain(flag);
    }
  });
});
