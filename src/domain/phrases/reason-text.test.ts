import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REASONS, type Reason, type ReasonCode } from '../words/reasons.ts';
import {
  bareReason,
  readReason,
  readReasons,
  reason,
  reasonInWords,
  reasonRow,
  reasonTexts,
  reasonWords,
  whyText,
} from './reason-text.ts';

const CODES = (Object.keys(REASONS) as ReasonCode[]).filter((code) => code !== 'unnamed');

/** Any reason of the table, with any value; a value that is another reason's own is that reason. */
const anyReason = fc
  .tuple(fc.constantFrom(...CODES), fc.string({ unit: 'grapheme', maxLength: 200 }))
  .map(([code, text]) => reason(code, reasonRow(code).only ?? text))
  .filter(({ code, value }) => !CODES.some((other) => other !== code && isOther(code, other, value)));

function isOther(code: ReasonCode, other: ReasonCode, value: string): boolean {
  return reasonRow(other).name === reasonRow(code).name && reasonRow(other).only === value;
}

describe('a readiness reason as text', () => {
  it('a readiness reason as text is read back unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyReason), fc.constantFrom(' ', '; '), (reasons: Reason[], between) => {
        expect(readReasons(whyText(reasons, between) ?? '')).toEqual(reasons);
        expect(reasonTexts(reasons).map(readReason)).toEqual(reasons);
      }),
    );
  });

  it('readiness reasons share a name only if their values differ', () => {
    for (const code of CODES) {
      const same = CODES.filter((other) => reasonRow(other).name === reasonRow(code).name);
      expect(same.filter((other) => reasonRow(other).only === undefined).length, code).toBeLessThan(2);
      expect(new Set(same.map((other) => reasonRow(other).only)).size, code).toBe(same.length);
    }
  });

  it('a reason of another version is kept as it is, and a sentence is no reason', () => {
    expect(readReason("moon='full'")).toEqual({ code: 'unnamed', value: "moon='full'" });
    expect(reasonTexts([readReason("moon='full'")])).toEqual(["moon='full'"]);
    expect(readReasons('behind gwreq-1')).toEqual([]);
  });
});

describe('a readiness reason in words', () => {
  it('a readiness reason in words is shown with its text or alone', () => {
    expect(reasonInWords("editing_input='yes'")).toBe("its composer holds a draft (editing_input='yes')");
    expect(bareReason("dialog='permission'; stable='false'")).toBe(
      'a dialog is open: permission, its screen is still changing',
    );
    expect(bareReason('behind gwreq-1')).toBe('behind gwreq-1');
  });

  it('readiness words list the agent before its gateway, and leave out what is normal', () => {
    const free = "request_admission='open' active_execution='running' queue_depth='0' phase='active'";
    expect(bareReason(free)).toBe('it is working on a turn, the gateway is typing something else');
    expect(reasonWords([reason('queue_depth', '0')])).toBe("queue_depth='0'");
  });
});
