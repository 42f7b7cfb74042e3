import { ERROR_CODES, type ErrorCode, RouseError } from '../base/index.ts';
// Imported directly because the index of wire/ loads the schemas.
import { codeOfStatus, isRefusalName, REFUSALS } from '../wire/codes.ts';

type Fields = Record<string, unknown>;

const MAX_SENTENCE_LENGTH = 2000;

/**
 * The error a gateway meant by a status and a body. Ours have code, hint and facts; a body with only `detail` gets its
 * code from the named refusal, else from the status. `facts` keep the status, the list of issues and the structured
 * detail, so that passing the error on loses nothing.
 */
export function failureOf(status: number, body: unknown): RouseError {
  const { detail, error } = fieldsOf(body);
  const reported = fieldsOf(error);
  const facts = fieldsOf(reported['facts']);
  const name = facts['error_code'] ?? fieldsOf(detail)['error_code'];
  return new RouseError(
    codeOf(status, reported['code'], name),
    sentenceOf(status, reported['message'], detail),
    {
      ...(typeof reported['hint'] === 'string' && { hint: plain(reported['hint']) }),
      facts: {
        ...facts,
        ...(name !== undefined && { error_code: name }),
        ...(Array.isArray(detail)
          ? { issues: detail }
          : typeof detail === 'object' && detail !== null && { detail }),
        http_status: status,
      },
    },
  );
}

function codeOf(status: number, code: unknown, name: unknown): ErrorCode {
  if ((ERROR_CODES as readonly unknown[]).includes(code)) return code as ErrorCode;
  return isRefusalName(name) ? REFUSALS[name].code : codeOfStatus(status);
}

function sentenceOf(status: number, message: unknown, detail: unknown): string {
  const inner = Array.isArray(detail) ? detail.map(issueSentence).join('; ') : fieldsOf(detail)['detail'];
  const text = [message, detail, inner].find((each) => typeof each === 'string' && each.trim() !== '');
  return text === undefined ? `the gateway answered with status ${status}` : plain(text as string);
}

function issueSentence(issue: unknown): string {
  const { loc, msg } = fieldsOf(issue);
  const path = Array.isArray(loc) ? loc.slice(1).join('.') : '';
  return `${path} ${typeof msg === 'string' ? msg : 'is not valid'}`.trim();
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

// The text is printed on a terminal, and another program may have taken the port.
function plain(text: string): string {
  return text.slice(0, MAX_SENTENCE_LENGTH).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}
