import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { CONFIG_KEYS } from '../config/check-file.ts';
import { FIELD_SENDERS } from '../domain/schemas.ts';
import { TOOLS_OF } from '../mcp/tool-list.ts';
import { isNotPlain, looksNamed, namedFields } from '../wire/access/named-fields.ts';
import { PLAIN_FIELDS } from '../wire/access/plain-fields.ts';
import { FLEET_ROUTES } from '../wire/fleet-routes.ts';
import {
  CAPABILITIES,
  type Caller,
  GATEWAY_ROUTES,
  NEEDS,
  PEOPLE_ONLY,
  parseBody,
  REMOTE_ROUTES,
} from '../wire/index.ts';
import type { Route } from '../wire/route.ts';
import { allFields } from './access-page.ts';

describe('a field that names a file, a directory, a command or a URL', () => {
  it('every field that names a file, command or URL says who may set it', () => {
    const unmarked = allFields().filter(({ sender }) => sender === undefined);
    expect(unmarked.map(({ place, field }) => `${place}: ${field}`)).toEqual([]);
  });

  it('a field that names a file is found at any depth and in any wrapper', () => {
    const deep = z.strictObject({
      a: z.array(z.union([z.strictObject({ log_file: z.string().nullish() }), z.literal(false)])).default([]),
      callback_url: z.string().optional(),
      args: z.array(z.string()),
      profile: z.number(),
      files: z.record(z.string(), z.unknown()),
    });
    const found = ['a[].log_file', 'callback_url', 'args[]', 'files'];
    expect(namedFields(deep, looksNamed).map(({ field }) => field)).toEqual(found);
    expect(namedFields(deep, isNotPlain).map(({ field }) => field)).toEqual(found);
  });

  it('a field with an unknown name counts as one that names something', () => {
    const body = z.strictObject({
      destination: z.string(),
      title: z.string(),
      folder: z.string().nullish(),
      report_to: z.url(),
      size: z.number(),
    });
    expect(namedFields(body, isNotPlain).map(({ field }) => field)).toEqual([
      'destination',
      'folder',
      'report_to',
    ]);
    const open = z.strictObject({ title: z.looseObject({}), note: z.object({}).catchall(z.string()) });
    expect(namedFields(open, isNotPlain).map(({ field }) => field)).toEqual(['title.*', 'note.*']);
    expect(namedFields(z.looseObject({}), isNotPlain).map(({ field }) => field)).toEqual(['*']);
  });

  it('the list of fields that name nothing contains only existing fields, and none that names a file', () => {
    expect([...PLAIN_FIELDS].filter(looksNamed)).toEqual([]);
    const used = new Set<string>();
    const note = (name: string): boolean => void used.add(name) === undefined;
    const routes = [...Object.values<Route>(GATEWAY_ROUTES), ...Object.values<Route>(FLEET_ROUTES)];
    for (const { body, query, path } of routes) {
      for (const schema of [body, query]) if (schema) namedFields(schema, note);
      for (const [, name] of path.matchAll(/\{(\w+)\}/g)) used.add(name!);
    }
    for (const { input } of Object.values(TOOLS_OF).flat()) namedFields(input, note);
    expect([...PLAIN_FIELDS].filter((name) => !used.has(name))).toEqual([]);
  });

  it('the known fields that name files are all found', () => {
    const places = allFields().map(({ place, field }) => `${place}: ${field}`);
    expect(places).toEqual(
      expect.arrayContaining([
        'POST /v1/mail/send: attachments[].path',
        'POST /houmao/agents/{agent_ref}/mail/reply: attachments[].path',
        'MCP mail_send: attachments[].path',
        'POST /houmao/launches: working_directory',
        'POST /v1/control/prompt: chat_session.id',
        'POST /a2a/{workspace_id}: *',
        'live_agents/{agent_id}/record.json: runtime.manifest_path',
        'config.toml, .rouse.toml: tools.*.role_file',
      ]),
    );
    expect(new Set(allFields().map(({ sender }) => sender))).toEqual(new Set(Object.keys(FIELD_SENDERS)));
  });

  it('every key of a configuration file that names something has a kind that says so', () => {
    const text = CONFIG_KEYS.filter(({ key, names }) => !names && looksNamed(key.split('.').at(-1)!));
    expect(text).toEqual([]);
  });
});

describe('what a direct route refuses', () => {
  const may = (caller: Caller, need: keyof typeof CAPABILITIES): boolean =>
    (CAPABILITIES[need].callers as readonly Caller[]).includes(caller);

  it('a field that direct routes refuse is on no remote route', () => {
    expect(may('remote', NEEDS['control.sendKeys']({}))).toBe(false);
    expect(REMOTE_ROUTES).not.toContain('control.sendKeys');
  });

  it('a route that no agent may call refuses its tools and its token alike', () => {
    const needs = ['control.sendKeys', 'pause.begin', 'pause.end'] as const;
    expect(needs.map((id) => may('agent', NEEDS[id]({})))).toEqual([false, false, false]);
    expect(Object.keys(PEOPLE_ONLY)).toEqual(needs);
    const routes: Record<string, Route> = FLEET_ROUTES;
    for (const id of needs) expect(routes[`agents.gateway.${id}`]!.access).toBe('people_of_it');
  });

  it('the fields that direct routes refuse are checked for every body that has them', () => {
    const once = { mode: 'one_off', title: 't', ranking: 0, start_after_seconds: 1 };
    const keys = { ...once, send_keys: { sequence: 'y<[Enter]>' } };
    const create = (...reminders: object[]) =>
      NEEDS['reminders.create'](parseBody(GATEWAY_ROUTES['reminders.create'].body, { reminders }));
    const put = (body: object) =>
      NEEDS['reminders.put'](parseBody(GATEWAY_ROUTES['reminders.put'].body, body));
    expect([create({ ...once, prompt: 'p' }, keys), put(keys)]).toEqual(['raw_keys', 'raw_keys']);
    expect([create({ ...once, prompt: 'p' }), put({ ...once, prompt: 'p' })]).toEqual([undefined, undefined]);
    const keyed = Object.values(GATEWAY_ROUTES).filter(
      (route) =>
        'body' in route &&
        /"(send_keys|sequence)"/.test(
          JSON.stringify(z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' })),
        ),
    );
    const whole = ['pause.begin', 'pause.end'];
    expect([...keyed.map(({ id }) => id), ...whole].sort()).toEqual(Object.keys(NEEDS).sort());
  });
});
