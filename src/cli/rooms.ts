/**
 * `callweave rooms`: lists the video rooms of a project and prints links to them. Uses the public API of a running
 * service.
 */
import { stripVTControlCharacters } from 'node:util';
import { systemClock } from '../base/core/clock.ts';
import { onOneLine } from '../base/core/control-characters.ts';
import { isObject, type JsonObject } from '../base/core/json.ts';
import {
  createService,
  findCredentials,
  printServiceError,
  type ServiceClient,
  type ServiceOptions,
} from './service-client.ts';
import { countOf, type Terminal } from './terminal.ts';

export interface TokenOptions extends ServiceOptions {
  name: string;
  role: string;
  userRef?: string;
}

const ROOMS = '/video/v2/rooms';
const PAGE = 500;

export const list = (options: ServiceOptions, terminal: Terminal): Promise<void> =>
  withService(options, terminal, async (service) => {
    const rooms = await allRooms(service);
    if (options.json) return terminal.printJson({ rooms });
    if (rooms.length === 0) terminal.print('there are no rooms');
    for (const room of rooms) terminal.print(roomLine(room));
  });

export const show = (room: string, options: ServiceOptions, terminal: Terminal): Promise<void> =>
  withService(options, terminal, async (service) => {
    const path = `${ROOMS}/${encodeURIComponent(room)}`;
    const { room: shown } = await service.request('GET', path);
    const { users } = await service.request('GET', `${path}/users`);
    if (options.json) return terminal.printJson({ room: shown!, users: users! });
    const { settings, sip } = shown as { settings: JsonObject; sip: JsonObject };
    terminal.print(roomLine(shown as JsonObject));
    if (sip['pin'] !== undefined) terminal.print(`PIN ${sip['pin']}`);
    for (const [name, value] of Object.entries(settings)) {
      terminal.print(`  ${name}: ${shownText(isObject(value) ? JSON.stringify(value) : String(value))}`);
    }
    const inside = Array.isArray(users) ? users.filter(isObject) : [];
    terminal.print(inside.length === 0 ? 'no participants' : `${countOf(inside.length, 'participant')}:`);
    for (const user of inside) terminal.print(`  ${shownText(String(user['name']))}  ${user['role']}`);
  });

/** Prints a link to the room page. The token is in the fragment (`#`), which browsers do not send to servers. */
export const token = (room: string, options: TokenOptions, terminal: Terminal): Promise<void> =>
  withService(options, terminal, async (service) => {
    const { name, role, userRef = name } = options;
    const path = `${ROOMS}/${encodeURIComponent(room)}/tokens`;
    const { token: made } = await service.request('POST', path, { name, role, user_ref: userRef });
    const link = `${service.url}/room/${encodeURIComponent(room)}#${made}`;
    if (options.json) return terminal.printJson({ token: made!, link });
    terminal.print(link);
    terminal.printError(`  admits one participant once, within 15 minutes`);
  });

async function allRooms(service: ServiceClient): Promise<JsonObject[]> {
  const rooms: JsonObject[] = [];
  for (let cursor: unknown = ''; cursor !== undefined; ) {
    const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
    const page = await service.request('GET', `${ROOMS}?limit=${PAGE}${more}`);
    rooms.push(...(page['rooms'] as JsonObject[]));
    cursor = page['next'];
  }
  return rooms;
}

function roomLine({ room_id: id, name, settings }: JsonObject): string {
  const { mode, scheduled, adhoc, scheduled_time: time } = settings as JsonObject;
  const type = scheduled ? `scheduled ${time}` : adhoc ? 'ad hoc' : 'permanent';
  return `${id}  ${shownText(String(name))}  ${type}, ${mode}`;
}

/** Removes control characters from names, which are user input. */
const shownText = (text: string): string => stripVTControlCharacters(onOneLine(text));

async function withService(
  options: ServiceOptions,
  terminal: Terminal,
  work: (service: ServiceClient) => Promise<void>,
): Promise<void> {
  const service = createService(findCredentials(options, terminal), systemClock);
  try {
    await work(service);
  } catch (error) {
    printServiceError(error, terminal);
  }
}
