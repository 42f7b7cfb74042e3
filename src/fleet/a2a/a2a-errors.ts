import {
  A2AError,
  JsonRpcTransportError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { asRouseError, type Log, type RouseError } from '../../base/index.ts';
import { toJsonRpc } from '../../wire/index.ts';

/** Maps any thrown value to an error of the protocol. Internal details stay internal. */
export function toA2aError(thrown: unknown, log: Log): A2AError {
  if (thrown instanceof A2AError) return thrown;
  const error = asRouseError(thrown);
  const message = error.hint ? `${error.message}; ${error.hint}` : error.message;
  if (error.code === 'invalid') return new RequestMalformedError({ message, cause: error });
  if (error.code === 'not_found') return new TaskNotFoundError({ message, cause: error });
  if (error.code === 'unsupported') return new UnsupportedOperationError({ message, cause: error });
  if (error.code === 'internal') log.error('a2a request failed', { cause: stackOf(error) });
  const { code, message: reported, data } = toJsonRpc(error);
  return new JsonRpcTransportError({
    jsonrpc: '2.0',
    id: null,
    error: { code, message: reported, data: data as Record<string, unknown> },
  });
}

function stackOf(error: RouseError): string {
  return (error.cause instanceof Error ? error.cause.stack : error.stack) ?? error.message;
}
