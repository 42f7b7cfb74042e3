import { invalid } from '../base/index.ts';
import type { Screen } from './model/screen.ts';
import { parseSnapshot } from './model/snapshot-parser.ts';

/** A screen saved to a file: `# tool / state  cursor=x,y cursor_flag=n size=WxH alternate_on=n title="…" …`, then the capture. */
export interface CaptureFile {
  screen: Screen;
  /** Tool and state from the first line; for people, never for the classifier. */
  tool: string | undefined;
  state: string | undefined;
  /** `pane_current_command` at that moment. */
  command: string | undefined;
}

const HEADER = /^# (?:(\S+) \/ (\S+)\s+)?.*\bcursor=(\d+),(\d+)/;

export function parseCaptureFile(text: string, file: string): CaptureFile {
  const [header = '', body = ''] = splitOnce(text.replace(/^\ufeff/, ''));
  const found = HEADER.exec(header);
  if (!found) {
    throw invalid(`${file} is not a captured screen: its first line must hold cursor=x,y`, {
      hint: 'the first line looks like: # claude / ready  cursor=2,27 cursor_flag=0 size=100x30 alternate_on=1 title="Claude Code"',
    });
  }
  const size = /\bsize=(\d+)x(\d+)/.exec(header);
  return {
    tool: found[1],
    state: found[2],
    command: /\bcmd=(\S+)/.exec(header)?.[1],
    screen: parseSnapshot(body, {
      columns: size ? Number(size[1]) : undefined,
      height: size ? Number(size[2]) : undefined,
      cursor: { x: Number(found[3]), y: Number(found[4]), visible: flag(header, 'cursor_flag') },
      alternate: flag(header, 'alternate_on'),
      title: /\btitle="(.*?)"(?=\s+\w+=|\s*$)/.exec(header)?.[1] ?? '',
    }),
  };
}

function splitOnce(text: string): [string, string] {
  const end = text.indexOf('\n');
  return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
}

function flag(header: string, name: string): boolean | undefined {
  const found = new RegExp(`\\b${name}=([01])\\b`).exec(header);
  return found ? found[1] === '1' : undefined;
}
