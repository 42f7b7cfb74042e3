import { preview, utcStamp } from '../../base/index.ts';
import { NEEDS } from '../../domain/index.ts';
import type { NeedRow } from '../outbox/need.ts';
import type { NoticeRow } from '../outbox/outbox.ts';
import type { Notice } from './channel.ts';

const MAX_TEXT = 300;

/** Who needs the person, and which kind it is; what it is about only if the person wants that. */
export function noticeOf(need: NeedRow, { uid, sendings }: NoticeRow, withText: boolean): Notice {
  return {
    uid,
    kind: need.kind,
    agent: need.agent,
    title: titleOf(need),
    text: withText ? preview(need.words, MAX_TEXT) : null,
    command: need.command,
    href: need.href,
    sinceUtc: utcStamp(new Date(need.opened_at_ms)),
    sendings,
  };
}

/** A kind of another version has no words here. */
function titleOf({ agent, kind }: Pick<NeedRow, 'agent' | 'kind'>): string {
  const { notice } = NEEDS[kind] ?? NEEDS.other;
  return preview(`${agent ?? 'Someone'} ${notice}`, 120);
}
