import type * as z from 'zod';
import { CARRIED_ROUTES } from '../agents/managed-agent-routes.ts';
import { besideOf } from '../files/beside.ts';
import { currentInstanceFile } from '../files/current-instance.ts';
import { desiredConfigFile } from '../files/desired-config.ts';
import { sessionManifest } from '../files/manifest.ts';
import { registryRecord } from '../files/registry-record.ts';
import { FLEET_ROUTES } from '../fleet-routes.ts';
import type { Route, Routes } from '../route.ts';
import { GATEWAY_ROUTES } from '../routes.ts';
import { type MarkedField, markedFields } from '../source/marked-fields.ts';
import { errorBody } from '../v1/error-body.ts';
import { DIFFERENCES, NOT_SERVED } from './differences.ts';

/** The files that programs of the source read. */
const FILES: Readonly<Record<string, z.ZodType>> = {
  'manifest.json': sessionManifest,
  'gateway/desired-config.json': desiredConfigFile,
  'gateway/run/current-instance.json': currentInstanceFile,
  'live_agents/<agent-id>/record.json': registryRecord,
};

/** docs/compatibility.md. */
export function compatibilityPage(): string {
  const own = Object.fromEntries(
    Object.entries<Route>(FLEET_ROUTES).filter(([id]) => !(id in CARRIED_ROUTES)),
  );
  return [
    '# Compatibility with Houmao',
    '',
    'Generated from the marks in `src/wire/` by `scripts/generate.mjs`.',
    '',
    'Rouse speaks the protocol of Houmao 0.7.1 and adds to it. Programs of Houmao refuse fields that they do not know. With',
    '`ROUSE_WIRE=houmao` a gateway and the fleet server leave out what is listed here, on every route and in every stream, except for',
    'callers that send `X-Rouse: 1`: the command line, the page and our servers among each other. Errors then have `detail` alone.',
    'Files that programs of Houmao read have its fields alone in either mode; what is ours of them is in a file beside each.',
    '`test/houmao/` holds recorded answers and files against the fields of the source.',
    '',
    ...fieldsOf('Fields of ours: the gateway', GATEWAY_ROUTES),
    ...fieldsOf('Fields of ours: the fleet server', own),
    `- Below \`/houmao/agents/{agent_ref}/gateway\` and \`/houmao/agents/{agent_ref}/mail\`: as the gateway's.`,
    '',
    '## Fields of ours: files',
    '',
    ...Object.entries(FILES).map(
      ([file, schema]) => `- \`${file}\`, in \`${besideOf(file)}\`: ${words(markedFields(schema))}`,
    ),
    '- `manifest.json`, in `manifest.rouse.json`: `home_given`: false where the tool was given no home of its own.',
    '- `gateway/state.json`: nothing; what is ours of a status is only in answers.',
    '',
    ...routesOf('Routes of ours: the gateway', GATEWAY_ROUTES),
    ...routesOf('Routes of ours: the fleet server', own),
    '## What differs on purpose',
    '',
    ...DIFFERENCES.map((each) => `- ${each}`),
    ...Object.entries(NOT_SERVED).map(
      ([path, why]) => `- \`${path}\`: ${why[0]!.toLowerCase()}${why.slice(1)}`,
    ),
    '',
  ].join('\n');
}

function fieldsOf(title: string, routes: Routes): string[] {
  const served = Object.values<Route>(routes).filter(({ ours }) => !ours);
  const lines = served.flatMap(({ method, path, response }) => {
    const marks = markedFields(response);
    return marks.length > 0 ? [`- \`${method} ${path}\`: ${words(marks)}`] : [];
  });
  return [
    `## ${title}`,
    '',
    `- Every error: ${words(markedFields(errorBody))}`,
    ...lines,
    ...(title.endsWith('server') ? [] : ['']),
  ];
}

function routesOf(title: string, routes: Routes): string[] {
  const own = Object.values<Route>(routes).filter(({ ours, documented }) => ours && documented !== false);
  return [`## ${title}`, '', ...own.map(({ method, path }) => `- \`${method} ${path}\``), ''];
}

function words(marks: readonly MarkedField[]): string {
  return marks
    .map(({ field, values }) => {
      if (!values) return `\`${field}\``;
      const told = Object.entries(values).map(([ours, theirs]) => `\`${ours}\` is \`${theirs}\` there`);
      return `\`${field}\` (${told.join(', ')})`;
    })
    .join(', ');
}
