/** Commands for video rooms of a running service. */
import { type Command, Option } from 'commander';
import { CONFIG, URL_OF } from './common-options.ts';
import type { Run } from './run-with.ts';

const ROLES = ['moderator', 'participant', 'viewer', 'audience'];

export function addRooms(program: Command, run: Run): void {
  const room: [name: string, description: string] = ['<room>', 'room_id, as shown by `rooms list`'];
  const rooms = program.command('rooms').description('manage video rooms of a running service');

  rooms
    .command('list', { isDefault: true })
    .description('list the rooms of the project')
    .option('--json', 'one JSON document, as in the API')
    .action(run(() => import('./rooms.ts'), 'list'));

  rooms
    .command('show')
    .description('show a room with its settings and participants')
    .argument(...room)
    .option('--json', 'one JSON document, as in the API')
    .action(run(() => import('./rooms.ts'), 'show'));

  rooms
    .command('token')
    .description('print a link that admits one participant to a room once, within 15 minutes')
    .argument(...room)
    .requiredOption('--name <name>', 'display name')
    .addOption(new Option('--role <role>', 'role of the participant').choices(ROLES).default('participant'))
    .option('--user-ref <reference>', 'reference of your own for reports (default: the name)')
    .option('--json', 'one JSON document: the token and the link')
    .action(run(() => import('./rooms.ts'), 'token'));

  for (const command of rooms.commands) command.option(...URL_OF).option(...CONFIG);
}
