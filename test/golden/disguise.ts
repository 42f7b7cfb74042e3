import * as os from 'node:os';

/**
 * Replaces what differs between runs with fixed words: times, ids, ports, process numbers, paths. Values with a
 * name come first, so that a transcript still shows which message or request is meant.
 */
export class Disguise {
  #names: [value: string, name: string][] = [];
  readonly #exact: boolean;

  constructor({ exact = false } = {}) {
    this.#exact = exact;
  }

  call(value: string, name: string): void {
    this.#names.push([value, `<${name}>`]);
    this.#names.sort(([a], [b]) => b.length - a.length);
  }

  text(raw: string): string {
    let text = raw;
    for (const [value, name] of this.#names) text = text.replaceAll(value, name);
    if (this.#exact) return text;
    for (const [pattern, name] of VOLATILE) text = text.replace(pattern, name);
    // Columns are as wide as their widest value, which may be one of those.
    return text.replace(/(?<=\S) {2,}/g, '  ');
  }
}

const SPAN = '(\\d+(\\.\\d+)? (ms|s|min|h|d) ?)+(?<! )';

const VOLATILE: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?/g, '<time>'],
  [/\b\d{8}[T-]\d{6}Z\b/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(\.\d+)?\b/g, '<time>'],
  [/\bFrom \w{3} \d\d:\d\d to (\w{3} )?\d\d:\d\d\b/g, 'From <time> to <time>'],
  [/(?<=\bmessages\/)\d{4}-\d\d-\d\d\b|\b\d{4}-\d\d-\d\d(?= \(UTC\))/g, '<date>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/(terminal_id(": "| {2,}))[0-9a-f]{8}\b/g, '$1<hex>'],
  [/(?<=-)[0-9a-f]{8,}\b/g, '<hex>'],
  [/\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,}\b/g, '<hex>'],
  [/\bunusable-<time>-[0-9a-f]{4}\b/g, 'unusable-<time>-<hex>'],
  [/(127\.0\.0\.1|localhost):\d+/g, '$1:<port>'],
  [/("?\w*(?<![a-z])(port|pid)"?(:| |=)\s*"?)\d+/g, '$1<n>'],
  [/\b\d+-\d{5,}\b/g, '<process>'],
  [/\brouse_([\w-]{43}|[\w-]{8})(?![\w-])/g, '<token>'],
  [/((process_start_ticks|heartbeat_age_seconds|uptime_seconds)\W+)\d+/g, '$1<n>'],
  [/(?<=\blive +)\d+/g, '<n>'],
  [new RegExp(`(?<=\\bhost"?:? +"?)${os.hostname()}\\b`, 'g'), '<host>'],
  // Printed only while it is not ready.
  [/^terminal_surface_eligibility .*\n/gm, ''],
  [/("terminal_surface_eligibility": )"\w+"/g, '$1<as seen>'],
  // From a wake's prompt, which names this installation's path.
  [/(\bbytes(?:": ?|=))1\d{3}\b/g, '$1<n>'],
  [/^agent +(idle|working|screen not recognised yet)\n/gm, ''],
  [/("standing": ?)\{\s*"needs_you": null,\s*"state": "\w+",\s*"words": "[^"]*"\s*\}/g, '$1<as seen>'],
  [/(\+)\d+ ms|(\bms=)\d+|("ms": ?)\d+|("stable_for_seconds": ?)[\d.]+/g, '$1$2$3$4<n>'],
  // A program seen before it sets its name has the name of its interpreter.
  [/("matched_process_names": ?\[\s*)"(?:sh|node|scripted-agent)"/g, '$1"<as seen>"'],
  // The states seen before depend on when someone looked.
  [/("evidence": \[)\n(\s+"[^"]*",?\n)+\s*\]/g, '$1<as seen>]'],
  [/("evidence":\[)[^\]\n]+\]/g, '$1<as seen>]'],
  [/("recent_transitions":\[).*?\}\]/g, '$1<as seen>]'],
  [/evidence=.*/g, 'evidence=<as seen>'],
  [/^( *)("recent_transitions": \[)[\s\S]*?\n\1\]/gm, '$1$2<as seen>]'],
  [/(recent changes \(UTC\)\n)(.*→.*\n)+/g, '$1<as seen>\n'],
  [new RegExp(`\\b(in|after|for) ${SPAN}`, 'g'), '$1 <a while>'],
  [new RegExp(`\\b(now(?=\\s|$)|${SPAN} ago)`, 'gm'), '<a while ago>'],
];
