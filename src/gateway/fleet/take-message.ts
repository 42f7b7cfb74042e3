import { asRouseError, crashPoint } from '../../base/index.ts';
import { type DeliveryAck, type LeasedMessage, parseBody, requestBody } from '../../wire/index.ts';
import { acceptRequest, type ControlDependencies } from '../control/index.ts';
import { keyOfMessage } from './fleet-store.ts';
import { promptOfMessage } from './prompt-of-message.ts';

/**
 * Puts a message of the fleet into the gateway's own queue and returns its acknowledgement. The server's id is the
 * idempotency key, so a message that comes twice is one request. A refusal has its reason and whether it is permanent.
 */
export async function takeMessage(message: LeasedMessage, deps: ControlDependencies): Promise<DeliveryAck> {
  const { id, attempt } = message;
  try {
    const body = parseBody(requestBody, {
      kind: 'submit_prompt',
      payload: { prompt: promptOfMessage(message.body) },
      priority: 'low',
      idempotency_key: keyOfMessage(id),
      expires_at: message.expires_at,
    });
    const { row } = await acceptRequest(body, deps, 'fleet');
    crashPoint('fleet.message-stored');
    return { id, attempt, result: 'accepted', request_id: row.request_id, permanent: false };
  } catch (thrown) {
    const { code, message: reason } = asRouseError(thrown);
    const permanent = code === 'invalid' || code === 'unsupported';
    return { id, attempt, result: 'refused', reason: reason.slice(0, 2000), permanent };
  }
}
