import type { PageAgentRow, PageNeed } from '../../wire/index.ts';
import { plain } from './plain.ts';
import { hasPush } from './push.ts';
import { agentPath, goTo, isOwnPlace } from './router.ts';
import { changeSettings, type NoticeKind, noticeKindOf, settings } from './settings.ts';

export const mayNotify = (): NotificationPermission =>
  typeof Notification === 'undefined' ? 'denied' : Notification.permission;

/** Browsers allow this only in response to a click. */
export async function askToNotify(): Promise<void> {
  if (mayNotify() === 'default') await Notification.requestPermission();
  changeSettings({ notify: mayNotify() === 'granted' });
}

/** `(2) Rouse`: how many items need a person, visible also on a background tab. */
export function showCount(count: number, where: string): void {
  const name = where ? `${plain(where)} · Rouse` : 'Rouse';
  document.title = count > 0 ? `(${count}) ${name}` : name;
}

/** Notify only if it still needs a person after this time: many states pass by themselves. */
const SETTLED_MS = 1000;

let known: Set<string> | undefined;
let unseen = new Set<string>();

/** Notifies about what is new since the last picture. The first picture is never new. */
export function notifyNew(needs: readonly PageNeed[], agents: Iterable<PageAgentRow>): void {
  const before = known;
  known = new Set(needs.map(({ key }) => key));
  const wereUnseen = unseen;
  const rows = [...agents];
  unseen = new Set(rows.filter(({ done_unseen }) => done_unseen).map(({ id }) => id));
  if (!before) return;
  for (const need of needs) if (!before.has(need.key)) setTimeout(() => notifyNeed(need), SETTLED_MS);
  for (const { id, name, done_unseen } of rows) {
    if (!done_unseen || wereUnseen.has(id)) continue;
    notify('finished', {
      tag: `done ${id}`,
      title: name,
      body: 'has finished its turn',
      href: agentPath(name),
    });
  }
}

function notifyNeed({ key, kind, agent, why, action }: PageNeed): void {
  // Web Push shows the same.
  if (!known?.has(key) || hasPush()) return;
  notify(noticeKindOf(kind), { tag: key, title: agent ?? 'Rouse', body: why, href: action.href });
}

function notify(
  kind: NoticeKind,
  { tag, title, body, href }: Record<'tag' | 'title' | 'body' | 'href', string>,
): void {
  const { notify: isOn, kinds } = settings.get();
  if (!isOn || !kinds[kind] || mayNotify() !== 'granted') return;
  if (!document.hidden && document.hasFocus()) return;
  // The tag keeps several tabs from showing the same notification twice.
  const notice = new Notification(plain(title), { body: plain(body), tag });
  notice.onclick = () => {
    window.focus();
    if (isOwnPlace(href)) goTo(href);
    notice.close();
  };
}
