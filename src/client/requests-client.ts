import type * as wire from '../wire/index.ts';
import { type FleetClient, queryText } from './fleet-client.ts';
import { type CallOptions, segment } from './gateway-client.ts';

export interface RequestPage {
  status?: string | undefined;
  kind?: string | undefined;
  recipient_type?: string | undefined;
  org_id?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** The requests inbox as calls: of whoever holds the token, or of one agent. */
export class RequestsClient {
  #server: Pick<FleetClient, 'request'>;
  #root: string;

  constructor(server: Pick<FleetClient, 'request'>, workspaceId?: string) {
    this.#server = server;
    this.#root =
      workspaceId === undefined
        ? '/requests'
        : `/workspaces/${segment(workspaceId, 'workspace id')}/requests`;
  }

  create(body: wire.CreateRequestInput, options?: CallOptions): Promise<wire.RequestCreated> {
    return this.#server.request('POST', this.#root, body, options);
  }

  /** What the agent or person asked, newest first. */
  sent(page: RequestPage = {}, options?: CallOptions): Promise<wire.InboxRequestList> {
    return this.#get(queryText({ ...page }), options);
  }

  inbox(page: RequestPage = {}, options?: CallOptions): Promise<wire.InboxRequestList> {
    return this.#get(`/inbox${queryText({ ...page })}`, options);
  }

  /** All that a person may see, whoever it is for. */
  pending(page: RequestPage = {}, options?: CallOptions): Promise<wire.InboxRequestList> {
    return this.#server.request('GET', `/requests/pending${queryText({ ...page })}`, undefined, options);
  }

  get(id: string, page: RequestPage = {}, options?: CallOptions): Promise<wire.InboxRequestThread> {
    return this.#get(`/${idOf(id)}${queryText({ ...page })}`, options);
  }

  respond(id: string, body: wire.RespondRequestInput, options?: CallOptions): Promise<wire.RequestChanged> {
    return this.#server.request('POST', `${this.#root}/${idOf(id)}/respond`, body, options);
  }

  message(id: string, body: string, options?: CallOptions): Promise<wire.RequestMessageAdded> {
    return this.#server.request('POST', `${this.#root}/${idOf(id)}/messages`, { body }, options);
  }

  cancel(id: string, options?: CallOptions): Promise<wire.RequestChanged> {
    return this.#server.request('POST', `${this.#root}/${idOf(id)}/cancel`, undefined, options);
  }

  #get<T>(rest: string, options?: CallOptions): Promise<T> {
    return this.#server.request('GET', this.#root + rest, undefined, options);
  }
}

const idOf = (id: string): string => segment(id, 'request id');
