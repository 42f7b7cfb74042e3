import type * as z from 'zod';
import { FIELD_SENDERS, type FieldSender, type NamedThing } from '../../domain/schemas.ts';
import { bindingSchemas } from '../../mail/transports.ts';
import { attachFile, gatewayManifestFile } from '../files/attach.ts';
import { desiredConfigFile } from '../files/desired-config.ts';
import { fleetMembership } from '../files/fleet-membership.ts';
import { sessionManifest } from '../files/manifest.ts';
import { registryRecord } from '../files/registry-record.ts';
import { FLEET_ROUTES } from '../fleet-routes.ts';
import type { Route, Routes } from '../route.ts';
import { GATEWAY_ROUTES } from '../routes.ts';
import { isNotPlain, looksNamed, type MayName, namedFields, thingOf } from './named-fields.ts';

/** One field that names something outside of Rouse: where it is, and who may set it. */
export interface FieldRow {
  /** The server, tool or file. */
  of: 'gateway' | 'fleet' | 'mcp' | 'file' | 'config';
  /** Name of the route, the tool, the file. */
  id: string;
  /** As people see it. */
  place: string;
  field: string;
  names: NamedThing;
  /** Undefined: not declared yet. The page is not generated with such a row, and a test fails. */
  sender: FieldSender | undefined;
}

/** Every such field of the bodies, queries and paths of both servers. */
export function routeFields(): FieldRow[] {
  return [...fieldsOfRoutes('gateway', GATEWAY_ROUTES), ...fieldsOfRoutes('fleet', FLEET_ROUTES)];
}

function fieldsOfRoutes(of: 'gateway' | 'fleet', routes: Routes): FieldRow[] {
  return Object.values<Route>(routes).flatMap((route) => {
    const place = `${route.method} ${route.path}`;
    const schemas = [route.body, route.query].filter((schema) => schema !== undefined);
    const params = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    return [
      ...schemas.flatMap((schema) => fieldsOf(schema, { of, id: route.id, place })),
      ...params.filter(isNotPlain).map((name) => ({
        ...{ of, id: route.id, place, field: `{${name}}` },
        ...{ names: 'file' as const, sender: PARAMS[route.id] },
      })),
    ];
  });
}

/** For path parameters that look like a file. */
const PARAMS: Readonly<Record<string, FieldSender>> = { 'page.shell.asset': 'listed' };

/** Every such field of a schema. Without a mark, `sender` applies. */
export function fieldsOf(
  schema: z.ZodType,
  where: Pick<FieldRow, 'of' | 'id' | 'place'>,
  { sender, mayName = isNotPlain }: { sender?: FieldSender; mayName?: MayName } = {},
): FieldRow[] {
  return namedFields(schema, mayName).map(({ field, mark }) => ({
    ...where,
    field: field || '*',
    names: mark?.names ?? thingOf(field),
    sender: mark?.sender ?? sender,
  }));
}

/** The files of a session and the registry, each written by Rouse and readable by its account alone. */
export function fileFields(): FieldRow[] {
  const files: Record<string, z.ZodType> = {
    'manifest.json': sessionManifest,
    'manifest.json, launch_plan.mailbox': bindingSchemas().binding,
    'gateway/attach.json': attachFile,
    'gateway/gateway_manifest.json': gatewayManifestFile,
    'gateway/desired-config.json': desiredConfigFile,
    'fleet/fleet.json': fleetMembership,
    'live_agents/{agent_id}/record.json': registryRecord,
    'live_agents/{agent_id}/record.json, mailbox': bindingSchemas().published,
  };
  const known = Object.entries(files).flatMap(([file, schema]) =>
    fieldsOf(schema, { of: 'file', id: file, place: file }, { sender: 'own_files', mayName: looksNamed }),
  );
  const others = Object.entries(WITHOUT_SCHEMA).flatMap(([file, fields]) =>
    fields.map((field): FieldRow => {
      const where = { of: 'file' as const, id: file, place: file, field };
      return { ...where, names: thingOf(field), sender: 'own_files' };
    }),
  );
  return [...known, ...others];
}

/** Files, and parts of files, that only one part of Rouse writes and reads. `test/attack/named-files.ts` looks for more. */
const WITHOUT_SCHEMA: Readonly<Record<string, readonly string[]>> = {
  'manifest.json, launch_plan.metadata.rouse': [
    ...['mcp_url', 'mcp_token_file', 'mcp.args[]', 'mcp_home.ours', 'mcp_home.theirs', 'mcp_home.file'],
    ...['signals_dir', 'status_path', 'control_path', 'transcript_path', 'launch_env', 'placed.*'],
    ...['headless.create[]', 'headless.exact[]', 'headless.last[]'],
  ],
  'gateway/run/keeper.json': ['host_directory'],
  'hosts/{id}/current-host.json': ['rouse_home'],
  'handover/{id}.json': ['env', 'fleet.url', 'fleet.tokenFile'],
  'mail/outbox/{message_id}.json': ['attachments[].path'],
  'mailbox, links/{address}/link.json': ['fleet_directory'],
  'mailbox, messages/{message_id}.md': ['attachments[].path'],
  'notices/notices.sqlite, subscriptions': ['target.url'],
  'notices/place.json': ['mailbox_root', 'registry_dir', 'tmux_socket'],
  'server/current-instance.json': ['public_url'],
};

/** The second half of docs/access.md. */
export function fieldsMarkdown(rows: readonly FieldRow[]): string[] {
  const unmarked = rows.filter(({ sender }) => sender === undefined);
  if (unmarked.length > 0)
    throw new Error(
      `it is not declared who may set ${unmarked.map(({ id, field }) => `${id} ${field}`).join(', ')}`,
    );
  return [
    '## Fields that name a file, a directory, a command or a URL',
    '',
    'On every route of both servers, in every MCP tool and in every file that is read, with who may set each. They are marked where they',
    'are declared (`names` in `src/domain/fields.ts`). A text field of a route or a tool without a mark that is not on the list of plain',
    'fields (`src/wire/access/plain-fields.ts`) fails `src/cli/access-page.test.ts`. `test/attack/named-fields.ts` tries each as every',
    'caller who may not set it.',
    '',
    ...Object.entries(FIELD_SENDERS).flatMap(([sender, meaning]) => {
      const fields = rows.filter((row) => row.sender === sender);
      if (fields.length === 0) return [];
      return [`### ${meaning[0]!.toUpperCase()}${meaning.slice(1)}`, '', ...linesOf(fields), ''];
    }),
  ];
}

function linesOf(rows: readonly FieldRow[]): string[] {
  const places = [...new Set(rows.map(({ place }) => place))];
  return places.map((place) => {
    const fields = rows.filter((row) => row.place === place);
    return `- \`${place}\`: ${fields.map(({ field, names }) => `\`${field}\` (${names})`).join(', ')}`;
  });
}
