/** Commands for video rooms of a running service. */
import { type Command, Option } from 'commander';
import { CONFIG, URL_OF } from './common-options.ts';
import type { Run } from './run-with.ts';

const ROLES = ['moderator', 'participant', 'viewer', 'audience'];

export function addRooms(program: Command, run: Run): void {
  const room: [name: string, description: string] = ['<room>', 'room_id, as `rooms list` shows it'];
  const rooms = program.command('rooms').description('video rooms of a running service, and links into them');

  rooms
    .command('list', { isDefault: true })
    .description('list the rooms of the project')
    .option('--json', 'one JSON document: as the API has it')
    .action(run(() => import('./rooms.ts'), 'list'));

  rooms
    .command('show')
    .description('show a room, its settings, and who is in')
    .argument(...room)
    .option('--json', 'one JSON document: as the API has it')
    .action(run(() => import('./rooms.ts'), 'show'));

  rooms
    .command('token')
    .description('print a link to the page of a room: for one person, once, within 15 minutes')
    .argument(...room)
    .requiredOption('--name <name>', 'what the others see')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).default('participant'))
    .option('--user-ref <reference>', 'your reference, for reports (default: the name)')
    .option('--json', 'one JSON document: the token and the link')
    .action(run(() => import('./rooms.ts'), 'token'));

  for (const command of rooms.commands) command.option(...URL_OF).option(...CONFIG);
}
