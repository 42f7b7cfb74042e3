import { preview } from '../../base/index.ts';

const KIND_WORDS: Readonly<Record<string, string>> = {
  mail_notifier_prompt: 'reads its mail',
  interrupt: 'interrupt',
};

/** A request on one line: what it would type, or its kind. */
export function requestTitle({
  request_kind,
  payload_json,
}: {
  request_kind: string;
  payload_json: string;
}): string {
  return KIND_WORDS[request_kind] ?? promptLine(payload_json) ?? request_kind;
}

function promptLine(payload: string): string | undefined {
  try {
    const { prompt } = JSON.parse(payload) as { prompt?: unknown };
    return typeof prompt === 'string' ? preview(prompt.slice(0, 2000), 120) : undefined;
  } catch {
    return undefined;
  }
}
