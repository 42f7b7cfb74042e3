import { preview } from '../../base/index.ts';
import { REQUEST_KINDS, type RequestKind } from '../words/request-kinds.ts';

/** A request on one line: what it would type, or its kind. */
export function requestTitle({
  request_kind,
  payload_json,
}: {
  request_kind: RequestKind;
  payload_json: string;
}): string {
  return REQUEST_KINDS[request_kind].words ?? promptLine(payload_json) ?? request_kind;
}

function promptLine(payload: string): string | undefined {
  try {
    const { prompt } = JSON.parse(payload) as { prompt?: unknown };
    return typeof prompt === 'string' ? preview(prompt.slice(0, 2000), 120) : undefined;
  } catch {
    return undefined;
  }
}
