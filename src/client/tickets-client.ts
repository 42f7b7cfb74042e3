import type * as wire from '../wire/index.ts';
import { REQUEST_PLACES, WORKSPACE_REQUEST_PLACES } from '../wire/places.ts';
import type { FleetClient } from './fleet-client.ts';
import type { CallOptions } from './gateway-client.ts';
import { type FleetAnswer, type FleetInput, question } from './question.ts';

export type TicketPage = {
  [K in keyof FleetInput<'requests.pending'>]?: K extends 'limit' ? number | undefined : string | undefined;
};

type End = 'create' | 'outgoing' | 'inbox' | 'get' | 'respond' | 'message' | 'cancel';

/** The ticket routes as calls, for the token's holder or for one agent. */
export class TicketsClient {
  #server: Pick<FleetClient, 'request'>;
  #workspaceId: string | undefined;

  constructor(server: Pick<FleetClient, 'request'>, workspaceId?: string) {
    this.#server = server;
    this.#workspaceId = workspaceId;
  }

  create(body: wire.CreateRequestInput, options?: CallOptions): Promise<wire.RequestCreated> {
    return this.#ask('create', { body }, options);
  }

  /** Tickets that the agent or person sent, newest first. */
  sent(page: TicketPage = {}, options?: CallOptions): Promise<wire.InboxRequestList> {
    return this.#ask('outgoing', page, options);
  }

  inbox(page: TicketPage = {}, options?: CallOptions): Promise<wire.InboxRequestList> {
    return this.#ask('inbox', page, options);
  }

  /** Every open ticket that a person may see, whatever its recipient. */
  pending(page: TicketPage = {}, options?: CallOptions): Promise<wire.InboxRequestList> {
    const { method, path } = question(REQUEST_PLACES['requests.pending'], page);
    return this.#server.request(method, path, undefined, options);
  }

  get(id: string, page: TicketPage = {}, options?: CallOptions): Promise<wire.InboxRequestThread> {
    return this.#ask('get', { request_id: id, ...page }, options);
  }

  respond(id: string, body: wire.RespondRequestInput, options?: CallOptions): Promise<wire.RequestChanged> {
    return this.#ask('respond', { request_id: id, body }, options);
  }

  message(id: string, body: string, options?: CallOptions): Promise<wire.RequestMessageAdded> {
    return this.#ask('message', { request_id: id, body: { body } }, options);
  }

  cancel(id: string, options?: CallOptions): Promise<wire.RequestChanged> {
    return this.#ask('cancel', { request_id: id }, options);
  }

  async #ask<E extends End>(
    end: E,
    input: object,
    options?: CallOptions,
  ): Promise<FleetAnswer<`requests.${E}`>> {
    const { method, path, body } =
      this.#workspaceId === undefined
        ? question(REQUEST_PLACES[`requests.${end}`], input)
        : question(WORKSPACE_REQUEST_PLACES[`workspace_requests.${end}`], {
            workspace_id: this.#workspaceId,
            ...input,
          });
    return this.#server.request(method, path, body, options);
  }
}
